"""``validate``: what is wrong with files, where, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from .shared.exit_codes import FAILED, FINDINGS, FINE, MALFORMED, decide
from .shared.options import PATH, json_option, limits_option, quiet_option
from .shared.output import print_json, print_line, print_lines, styled
from .shared.reading import given

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._generated.types import Limits
    from ..core.problem import Problem
    from ..errors import ParseError
    from ..storage.read.shards import ShardSets
    from ..storage.source.source import Source
    from ..validation.validate import Report

_EPILOG = """\b
Examples:
  gguf-construct validate model.gguf
  gguf-construct validate models/ --strict --json
  gguf-construct validate 'shards/*.gguf' --data
  gguf-construct validate --list-rules

Profiles: llama.cpp (what its loader takes and what then works), spec (the text of the format),
strict (the stricter of the two for each rule). For a folder, all .gguf files in it are checked.
Exit code 1: a file has errors (with --strict also warnings); 3: the only file cannot be parsed;
4: a file cannot be read."""

_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


class _Checked(NamedTuple):
    """A file and what was found; `error` says why its header could not be parsed."""

    path: str
    problems: tuple[Problem, ...]
    error: ParseError | None = None
    is_unreadable: bool = False

    def is_bad(self, strict: bool) -> bool:
        """Whether it counts for the exit code."""
        bad = ("error", "warning") if strict else ("error",)
        return any(one.severity in bad for one in self.problems)


@click.command("validate", epilog=_EPILOG)
@click.argument("files", nargs=-1, type=PATH, metavar="FILE...")
@click.option("--profile", default="llama.cpp", metavar="NAME", help="llama.cpp, spec or strict.")
@click.option("--data", is_flag=True, help="Also look for NaN and infinities in the tensor data.")
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings as well.")
@click.option("--fix-hints", is_flag=True, help="List the commands that would help, for each file.")
@click.option("--all", "show_all", is_flag=True, help="Show notes as well.")
@click.option("--list-rules", is_flag=True, help="List every rule and stop.")
@quiet_option
@json_option
@limits_option
def command(
    files: tuple[str, ...],
    profile: str,
    data: bool,
    strict: bool,
    fix_hints: bool,
    show_all: bool,
    list_rules: bool,
    quiet: bool,
    as_json: bool,
    limits: Limits | None,
) -> int:
    """Check FILES: structure, types, tensors, tokenizer, shards; with --data also the numbers."""
    from ..validation.rules import PROFILES

    if list_rules:
        return _list_rules(as_json)
    if profile not in PROFILES:
        raise click.UsageError(f"--profile takes {', '.join(PROFILES)}, not {profile!r}")
    paths = _paths(files)
    checked = _check_all(paths, profile, data, limits, quiet or as_json)
    code = decide(_exit_code(checked, strict))
    if as_json:
        _print_json(checked, profile)
    else:
        _print_text(checked, quiet=quiet, show_all=show_all, fix_hints=fix_hints)
    return code


def _paths(files: tuple[str, ...]) -> list[str]:
    from ..render.escaping import one_line
    from ..storage.source.find_files import find_files

    if not files:
        raise click.UsageError("name a file, a folder or a pattern")
    paths = find_files(files)
    if not paths:
        raise click.UsageError(f"no .gguf file in {' '.join(map(one_line, files))}")
    return paths


def _check_all(
    paths: list[str], profile: str, data: bool, limits: Limits | None, quiet: bool
) -> list[_Checked]:
    from ..storage.read.shards import ShardSets

    shards = ShardSets(limits)
    return [_check(path, profile, data, limits, quiet, shards) for path in paths]


def _check(
    path: str, profile: str, data: bool, limits: Limits | None, quiet: bool, shards: ShardSets
) -> _Checked:
    from ..api import validate_source
    from ..core.problem import Problem
    from ..storage.source.source import open_to_show, read_steadily
    from .shared.writing import progress_bar

    def check(source: Source) -> Report:
        with progress_bar(quiet or not data, "checking") as progress:
            return validate_source(
                source,
                profile=profile,
                data=data,
                limits=limits,
                progress=progress,
                shards=shards,
            )

    try:
        source, report = read_steadily(given(path), open_to_show, check)
    except OSError as error:
        problem = Problem("file-unreadable", "error", error.strerror or str(error))
        return _Checked(path, (problem,), None, True)
    source.close()
    return _Checked(path, report.problems, report.error)


def _exit_code(checked: Sequence[_Checked], strict: bool) -> int:
    if any(one.is_unreadable for one in checked):
        return FAILED
    if len(checked) == 1 and checked[0].error is not None:
        return MALFORMED
    return FINDINGS if any(one.is_bad(strict) for one in checked) else FINE


def _print_text(
    checked: Sequence[_Checked], *, quiet: bool, show_all: bool, fix_hints: bool
) -> None:
    from ..render.report_text import commands_for, report_lines, summary_text

    for one in checked:
        if quiet and not one.is_bad(strict=True):
            continue
        for line in report_lines(one.path, one.problems, all=show_all):
            label, colon, rest = line.text.partition(":")
            print_lines([f"{styled(label, _COLOURS.get(line.kind))}{colon}{styled(rest)}"])
        commands = commands_for(one.path, one.problems) if fix_hints else []
        if commands:
            print_line("  what may help (with -o OUT or -i):")
        for text in commands:
            print_line(f"    {text}")
    if len(checked) > 1:
        print_line(summary_text([one.problems for one in checked]))


def _print_json(checked: Sequence[_Checked], profile: str) -> None:
    from ..render.report_json import problem_json

    files = [
        {
            "path": one.path,
            "ok": not one.is_bad(strict=False),
            "problems": [problem_json(problem) for problem in one.problems],
        }
        for one in checked
    ]
    print_json({"profile": profile, "files": files})


def _list_rules(as_json: bool) -> int:
    from ..render.report_json import rule_json
    from ..render.report_text import rules_lines
    from ..validation.rules import load

    rules = load().values()
    if as_json:
        print_json({"rules": [rule_json(one) for one in rules]})
    else:
        print_lines(rules_lines(rules))
    return FINE
