"""Places where writing a file has effects beyond it: content-addressed caches, links.

Pure looking: nothing is opened or changed.  The command line shows the warnings and asks for
`--yes`.
"""

from __future__ import annotations

import os
import re
from stat import S_ISREG

# A store names files by their hash: Hugging Face (bare hex), Ollama and ramalama ("sha256-..."),
# OCI layouts (blobs/sha256/<hex>), git-lfs and git-annex objects ("SHA256E-s123--<hex>.gguf").
_HASH_NAME = r"(?i)(?:^|[-_:])(?:[0-9a-f]{40}|[0-9a-f]{64})(?:$|\.)"
_STORES = ("blobs", "objects", ".cache")
_HUB_REPOSITORIES = ("models--", "datasets--", "spaces--")


def warnings_for(path: str | os.PathLike[str], *, in_place: bool = False) -> list[str]:
    """What else would be touched by writing to `path`; one sentence each, often none.

    Args:
        path: the file that will be written.
        in_place: it is changed where it lies, not replaced by a new one.

    Covers a file in a content-addressed cache (Hugging Face, Ollama, OCI stores, git-lfs) and a
    file with further hard links.
    """
    given = os.path.abspath(path)
    target = os.path.realpath(given)
    return [warning for warning in (_cache(given, target), _links(target, in_place)) if warning]


def _cache(given: str, target: str) -> str | None:
    parts = given.split(os.sep) + target.split(os.sep)
    folders = target.split(os.sep)[:-1]
    in_hub = any(part.startswith(_HUB_REPOSITORIES) for part in parts)
    in_store = any(folder in _STORES for folder in folders)
    if not in_hub and not in_store:
        return None
    named_by_hash = re.search(_HASH_NAME, os.path.basename(target)) is not None
    if in_hub and (named_by_hash or "snapshots" in parts):
        return (
            f"{target} belongs to a Hugging Face cache, which names files by their content: "
            "changed there, it no longer is what its name says, for every program that uses it"
        )
    if named_by_hash and in_store:
        return (
            f"{target} is named by a hash of its content (a store such as Ollama's): "
            "changed there, it fails its check and is downloaded again or refused"
        )
    return None


def link_note(path: str | os.PathLike[str]) -> str | None:
    """A sentence for a path that is a symlink, whose target will be written; else None."""
    given = os.path.abspath(path)
    if not os.path.islink(given):
        return None
    target = os.path.realpath(given)
    return f"{given} is a link: the file it leads to, {target}, is changed, and the link stays"


def _links(target: str, in_place: bool) -> str | None:
    try:
        status = os.stat(target)
    except OSError:
        return None
    links = status.st_nlink
    if links < 2 or not S_ISREG(status.st_mode):  # a folder is linked by its subfolders
        return None
    what = (
        "the edit shows under all of them"
        if in_place
        else "this name gets a file of its own, the others keep the old content"
    )
    return f"{target} has {links} hard links: {what}"
