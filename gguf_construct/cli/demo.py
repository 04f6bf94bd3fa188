"""``demo``: the main job on a sample model, from a look at it to the proof that nothing broke."""

from __future__ import annotations

import hashlib
import shlex
from typing import TYPE_CHECKING

import click

from ..errors import ValidationError
from ..model import open_model
from .shared.options import PATH
from .shared.output import print_line

if TYPE_CHECKING:
    from pathlib import Path

_EPILOG = """\b
Examples:
  gguf-construct demo
  gguf-construct demo --keep /tmp/demo       leaves the files to play with
  gguf-construct demo my-model.gguf          works on a copy of your own small model"""

_TEMPLATE = """\
{%- for message in messages -%}
<|im_start|>{{ message['role'] }}
{{ message['content'] | trim }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt -%}
<|im_start|>assistant
{% endif -%}
"""
_EOS_TEXT = "<|im_end|>"
_STEPS = (
    ("What is in the file?", "show model.gguf --no-tensors"),
    (
        "Its chat template is hard to read, and it names the wrong end-of-text token. Fix both.",
        "set model.gguf -o edited.gguf tokenizer.chat_template=@template.jinja "
        "tokenizer.ggml.eos_token_id={eos}",
    ),
    ("The new template is there, byte for byte.", "get edited.gguf tokenizer.chat_template"),
    ("For a big-endian host (IBM Z) ...", "convert edited.gguf --endian big -o big.gguf"),
    ("... and back.", "convert big.gguf --endian little -o back.gguf"),
    ("Is the result sound?", "validate edited.gguf back.gguf"),
)


@click.command("demo", epilog=_EPILOG)
@click.argument("model", type=PATH, required=False, metavar="[FILE]")
@click.option("--keep", type=PATH, metavar="DIR", help="Leave the files in DIR.")
def command(model: str | None, keep: str | None) -> None:
    """Show, edit, convert and validate a sample model, and prove that no tensor byte changed."""
    from ..storage.write.demo_folder import workspace

    with workspace(keep, model, {"template.jinja": _TEMPLATE}) as folder:
        eos = _eos(folder / "model.gguf")
        for title, line in _STEPS:
            _step(title, line.format(eos=eos))
        _prove(folder)
        if keep:
            print_line()
            print_line(f"The files are in {folder}.")


def _eos(path: Path) -> int:
    """The id of the token that ends a turn; for another model than ours, the EOS that it has."""
    with open_model(path) as model:
        for field in model.metadata.fields():
            if field.type == "[string]" and _EOS_TEXT in field.value:
                return int(field.value.index(_EOS_TEXT))
        return int(model.metadata["tokenizer.ggml.eos_token_id"])


def _step(title: str, line: str) -> None:
    from .main import cli

    _heading(title)
    print_line(f"$ gguf-construct {line}", bold=True)
    code = cli.main(shlex.split(line), prog_name="gguf-construct", standalone_mode=False)
    if isinstance(code, int) and code:
        raise ValidationError(f"the step ended with exit code {code}")


def _heading(title: str) -> None:
    print_line()
    print_line(f"# {title}", "cyan", bold=True)


def _prove(folder: Path) -> None:
    _heading("Did any tensor byte change? Compare hashes.")
    before = _hashes(folder / "model.gguf")
    for name in ("edited.gguf", "back.gguf"):
        after = _hashes(folder / name)
        if after != before:
            raise ValidationError(f"{name}: a tensor differs from the original")
    width = max(map(len, before))
    for tensor, digest in before.items():
        shown = tensor.ljust(width)
        print_line(f"{shown}  sha256 {digest[:16]}...  same before, after the edit, and back")
    edited, back = folder / "edited.gguf", folder / "back.gguf"
    if _file_hash(edited) != _file_hash(back):
        raise ValidationError("there and back is not the identity")
    print_line()
    print_line(
        f"All {len(before)} tensors are unchanged, and the conversion to big-endian and back gave "
        "the edited file again, bit for bit."
    )


def _hashes(path: Path) -> dict[str, str]:
    with open_model(path) as model:
        return {tensor.name: hashlib.sha256(tensor.raw).hexdigest() for tensor in model.tensors.all}


def _file_hash(path: Path) -> str:
    with open_model(path) as model:
        return hashlib.sha256(model.buffer).hexdigest()
