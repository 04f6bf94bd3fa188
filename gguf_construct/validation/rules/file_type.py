"""Rules about general.file_type, the name of the mix of tensor types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.registry import file_type, keys_with_role
from .base import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context

(_KEY,) = (info.key for info in keys_with_role("file_type"))
_FTYPE = "enum llama_ftype in llama.h"


@rule("file-type-unknown", source=_FTYPE, llama="warning", spec="warning")
def unknown(c: Context) -> Iterator[Finding]:
    """The file type is one that exists."""
    number = c.integer(_KEY)
    if number is not None and file_type(number) is None:
        offset, path = c.place(_KEY)
        yield Finding(f"{number} is no file type", offset, path)


@rule("file-type-removed", source=_FTYPE, llama="warning", spec="warning")
def removed(c: Context) -> Iterator[Finding]:
    """The file type is not one that llama.cpp gave up."""
    number = c.integer(_KEY)
    found = None if number is None else file_type(number)
    if found is not None and found.removed:
        offset, path = c.place(_KEY)
        yield Finding(f"{found.name}: {found.removed}", offset, path)


@rule(
    "file-type-mix",
    source="registry of file types",
    llama="warning",
    spec="warning",
    needs="tensors",
)
def mix(c: Context) -> Iterator[Finding]:
    """The type after which the file is named occurs among its matrices."""
    number = c.integer(_KEY)
    found = None if number is None else file_type(number)
    if found is None or "model" not in c.kinds:
        return
    sizes: dict[str, int] = {}
    for tensor in c.tensors:
        if len(tensor.dims) > 1:
            sizes[tensor.type_name] = sizes.get(tensor.type_name, 0) + tensor.num_elements
    if not sizes or not sizes.keys().isdisjoint(found.main):
        return
    most = max(sizes, key=sizes.__getitem__)
    offset, path = c.place(_KEY)
    yield Finding(
        f"{number} is {found.name}, but no matrix is {' or '.join(found.main)}; most are {most}",
        offset,
        path,
        "gguf-construct set ... general.file_type=N",
    )
