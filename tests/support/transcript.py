"""A session with every verb, as text: what is printed, and the exit code, for good and bad input.

The commands run in order in one folder, so later ones see what earlier ones wrote.  What changes
from run to run (times) is replaced.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from tests.support import builders as b
from tests.support.files import write_vocabulary_model
from tools.samples import sample_model

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["COMMANDS", "Entry", "format_entry", "parse_transcript", "prepare", "words_of"]

COMMANDS = r"""
--help
--version
frobnicate
shwo sample.gguf
show sample.gguf
show sample.gguf --no-tensors --full
show model.gguf
show model.gguf --json
show odd.gguf
show cut.gguf
show zip.gguf
show missing.gguf
show text.gguf
show model.gguf --limits max_array_depth=2
show model.gguf --limits nonsense
get sample.gguf general.architecture
get sample.gguf tokenizer.chat_template
get model.gguf tokenizer.ggml.tokens
get model.gguf x.flag
get model.gguf x.flag --json
get model.gguf general.nmae
get odd.gguf x.twice
get odd.gguf x.twice --occurrence 1
get odd.gguf x.twice --occurrence 7
tensors sample.gguf
tensors sample.gguf 'blk.0.*' --sort size
tensors sample.gguf --totals --json
tensors model.gguf --json
tensors sample.gguf --requantize 'blk.1.*=F16' -o tensors.gguf
tensors tensors.gguf --take 'sample.gguf:blk.1.*' -n
tensors tensors.gguf --rename 'blk.0.*=blk.1.*' -n
tensors tensors.gguf --drop output.weight --order 'blk.*' -n --json
tensors tensors.gguf --drop output_norm.weight -i
tensors tensors.gguf --drop 'nothing.*' -i
tensors tensors.gguf -i
tensor sample.gguf output_norm.weight
tensor sample.gguf output_norm.weight --json
tensor sample.gguf token_embd.weight --block 0
tensor sample.gguf token_embd.weight --block 99999
tensor sample.gguf token_embd.weight --compare sample.gguf
tensor sample.gguf token_embd.weight --compare missing.gguf
tensor sample.gguf nowhere.weight
tensor model.gguf weight --export weight.npy
tensor model.gguf weight --export weight.npy
tensor model.gguf weight --dequantize
map model.gguf
map model.gguf --json --length 100
map model.gguf --at 0
map model.gguf --at 0x30 --json
map model.gguf --at 99999
map model.gguf --path tokenizer.ggml.tokens[1]
map model.gguf --path nowhere
map model.gguf --hex --start 0 --length 64
map model.gguf --hex --json
map cut.gguf
map model.gguf --at x
hash model.gguf
hash model.gguf --json
hash model.gguf --content
hash model.gguf --write model.hashes
hash model.gguf --write model.hashes
hash model.gguf --check model.hashes
hash sample.gguf --check model.hashes
hash sample.gguf --check model.hashes --json
hash model.gguf --check folder/config.json
diff model.gguf model.gguf
diff model.gguf
diff model.gguf model.gguf --json
set model.gguf general.name=x
set model.gguf -o edited.gguf general.name=x my.key:uint32=7 --verify full
set model.gguf -o edited.gguf general.name=x
set model.gguf -o edited.gguf -i general.name=x
set model.gguf -o edited.gguf -f general.name=x my.key:uint32=7 --json
set model.gguf -n general.name=longer-name
set model.gguf -n general.name=longer-name --json
set model.gguf -i general.name=x general.name=y
set model.gguf -i tokenizer.ggml.eos_token_id=900
set model.gguf -i tokenizer.ggml.eos_token_id=x
set model.gguf -i general.name:uint32=5
set model.gguf -i general.name:nonsense=5
set model.gguf -i unknown.key=5
set model.gguf -i nothing
set model.gguf -i x.file=@missing.txt
set model.gguf -i general.alignment=48
set model.gguf -i general.name=Anna
set model.gguf -i general.name=Anna
set model.gguf -i general.name=Bea --json
set model.gguf -o - general.name=Anna
set model.gguf -o nowhere/out.gguf general.name=Anna
diff model.gguf edited.gguf
diff model.gguf edited.gguf --json
diff model.gguf edited.gguf --ignore 'general.*' --ignore 'my.*' --no-tensors
diff model.gguf zip.gguf
diff model.gguf --upstream folder
diff model.gguf --upstream folder --json
unset model.gguf -o less.gguf x.flag
unset model.gguf -o less2.gguf x.nothing
unset model.gguf -o less2.gguf x.nothing --missing-ok
unset odd.gguf -o less3.gguf x.twice
unset odd.gguf -o less3.gguf x.twice --occurrence 0 --json
rename model.gguf -o renamed.gguf x.flag x.flog
rename model.gguf -o renamed2.gguf x.nothing x.flog
rename model.gguf -o renamed2.gguf x.flag general.name --json
edit model.gguf -i
edit model.gguf -i --yes
token list model.gguf
token list model.gguf --json
token find model.gguf hello
token find model.gguf 3 --json
token find model.gguf helo
token find model.gguf --regex '^<'
token find model.gguf --regex '['
token set model.gguf eos '</s>' -o token.gguf
token set model.gguf eos 'hell' -o token2.gguf
token set model.gguf eos 900 -o token2.gguf
token set model.gguf nobody 1 -o token2.gguf
token set model.gguf eos -o token2.gguf
token set model.gguf bos 1 --no-add-bos -o token2.gguf --json
template show sample.gguf
template show sample.gguf --list
template show sample.gguf --json
template show model.gguf
template set model.gguf good.jinja -o templated.gguf
template set model.gguf bad.jinja -o templated2.gguf
template set model.gguf nofile.jinja -o templated2.gguf
template set model.gguf folder -o templated2.gguf --json
template check templated.gguf --engine none
template check templated.gguf --engine none --json
template check sample.gguf --engine none
template render templated.gguf --conversation single
template render templated.gguf --messages '[{"role": "user", "content": "Hi"}]'
template render templated.gguf --messages '[{"role": "user", "content": "Hi"}]' --json
template render templated.gguf --messages nonsense
template render templated.gguf --conversation nonsense
template diff templated.gguf good.jinja
template diff templated.gguf other.jinja
template diff templated.gguf other.jinja --json
template unset templated.gguf -o untemplated.gguf
template unset model.gguf -o untemplated.gguf
convert model.gguf
convert model.gguf --endian big -o be.gguf
convert model.gguf --endian little -o same.gguf
convert model.gguf --endian little -i
convert be.gguf --endian little -o le.gguf --json
convert be.gguf --to-version 2 -o le2.gguf
repack model.gguf -o packed.gguf
repack odd.gguf -o packed2.gguf --alignment 64 --json
repack model.gguf -o packed3.gguf --alignment 48
export model.gguf model.d
export model.gguf model.d
export sample.gguf sample.d --json -q
build model.d -o built.gguf
build model.d -o built.gguf -f --json
build nowhere -o built2.gguf
build folder -o built2.gguf
validate model.gguf
validate sample.gguf
validate sample.gguf model.gguf cut.gguf missing.gguf
validate sample.gguf --json
validate model.gguf --fix-hints --all
validate odd.gguf --profile spec
validate odd.gguf --profile nonsense
validate cut.gguf
validate cut.gguf --json
validate
validate folder
repair odd.gguf
repair odd.gguf --json
repair odd.gguf -o repaired.gguf
repair odd.gguf -o odd.gguf
repair sample.gguf
recover model.gguf
recover model.gguf --json
recover missing.gguf
spec nonsense
completion bash
completion nonsense
"""

_TIMES = re.compile(r'in \d+\.\d\d s|"seconds": [\d.]+')


class Entry(NamedTuple):
    """A command, what it printed on either stream, and its exit code."""

    command: str
    out: str
    err: str
    code: int


def words_of(command: str) -> list[str]:
    """The arguments of a command."""
    return shlex.split(command)


def prepare(folder: Path) -> None:
    """The files that the commands are about."""
    write_vocabulary_model(folder)
    (folder / "sample.gguf").write_bytes(sample_model())
    pairs = (
        b.Pair(b"general.architecture", b.text("llama")),
        b.Pair(b"x.twice", b.u32(1)),
        b.Pair(b"x.twice", b.u32(1)),
        b.Pair(b"x.list\x1b[31m", b.array(b.ARRAY, b.Array(b.UINT8, (1, 2)), b.Array(b.STRING))),
    )
    data = b"\0\0\x80\x3f" * 32
    tensors = (b.Tensor(b"one", (32,), 0, data), b.Tensor(b"two\nlines", (4, 8), 0, data))
    odd = b.build(b.Model(pairs, tensors, tail=bytes(4))).data
    (folder / "odd.gguf").write_bytes(odd)
    (folder / "cut.gguf").write_bytes((folder / "model.gguf").read_bytes()[:100])
    (folder / "zip.gguf").write_bytes(b"PK\x03\x04" + bytes(100))
    (folder / "text.gguf").write_text("<!DOCTYPE html><html></html>")
    good = "{% for m in messages %}<s>{{ m.role }}: {{ m.content }}</s>{% endfor %}"
    (folder / "good.jinja").write_text(good)
    (folder / "other.jinja").write_text(good.replace(": ", "> "))
    (folder / "bad.jinja").write_text("{% for %}")
    upstream = folder / "folder"
    upstream.mkdir()
    (upstream / "config.json").write_text(json.dumps({"eos_token_id": 2, "model_type": "llama"}))
    (upstream / "tokenizer_config.json").write_text(
        json.dumps({"eos_token": "</s>", "chat_template": good})
    )


def format_entry(entry: Entry, folder: Path) -> str:
    """An entry as text: the command, stdout, stderr behind ``! ``, the exit code."""
    lines = [f"$ {entry.command}"]
    lines += [f"  {line}".rstrip() for line in entry.out.splitlines()]
    lines += [f"! {line}".rstrip() for line in entry.err.splitlines()]
    text = "\n".join([*lines, f"[exit code {entry.code}]", ""])
    text = text.replace(str(folder), "FOLDER")
    return _TIMES.sub(lambda found: re.sub(r"[\d.]+", "N", found[0]), text)


def parse_transcript(text: str) -> dict[str, str]:
    """Command to entry; a command that runs twice gets a number."""
    found: dict[str, str] = {}
    for part in re.split(r"^(?=\$ )", text, flags=re.MULTILINE):
        command = part.partition("\n")[0]
        if command:
            times = sum(name.partition(" #")[0] == command for name in found)
            found[f"{command} #{times + 1}" if times else command] = part.rstrip("\n")
    return found
