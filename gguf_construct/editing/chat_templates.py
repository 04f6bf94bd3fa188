"""The chat templates of a document: set, remove, render, check, compare.

`chat_template`, `rendering` and `template_audit` work on plain texts; here they meet the
model, which knows the special tokens and the vocabulary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.values import text_of
from ..errors import EditError, KeyNotFoundError
from ..templates.audit import Audit, audit_template
from ..templates.compare import RenderedDifference, compare_templates, unified_diff
from ..templates.finding import TemplateFinding
from ..templates.keys import DEFAULT, changes_to_set, changes_to_unset, numbered, template_key
from ..templates.rendering import make_context, render_template
from ..templates.turn_ends import Tokens
from ..tokens.markers import mend_command, split_markers
from ..tokens.special import special_tokens, template_variables
from ..tokens.vocabulary import Vocabulary
from .changes import Change, set_value, unset_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from ..core.document import Document
    from ..templates.finding import Engine
    from ..templates.rendering import RenderLimits


class TemplateSet(NamedTuple):
    """Chat templates by name (the plain one is "default"), and the special tokens they see."""

    templates: dict[str, str]
    special_tokens: dict[str, str]


class TemplateDifference(NamedTuple):
    """What differs between two templates of the same name.

    Attributes:
        name: the template's name.
        text: unified diff of the sources; empty where they are the same.
        rendered: the built-in conversations that come out differently.
        missing: "old" or "new" where one side has no such template, else empty.
    """

    name: str
    text: str
    rendered: tuple[RenderedDifference, ...]
    missing: str = ""


def template_set(document: Document) -> TemplateSet:
    """The templates of a document, and the special tokens that its vocabulary gives them."""
    return TemplateSet(all_templates(document), template_variables(document))


def all_templates(document: Document) -> dict[str, str]:
    """Every template by name, each occurrence of a repeated key: "default", "default#2", ..."""
    return numbered(
        (field.key, field.value) for field in document.metadata.fields() if field.type == "string"
    )


def chat_template(document: Document, name: str = DEFAULT) -> str:
    """The source of a template.

    Raises:
        KeyNotFoundError: there is none of this name; `matches` has those that are there.
    """
    templates = all_templates(document)
    if name in templates:
        return templates[name]
    key = template_key(name)
    for there, source in templates.items():
        if template_key(there) == key:
            return source
    names = tuple(templates)
    raise KeyNotFoundError(
        "the model has no chat template" + ("" if name == DEFAULT else f" {name!r}"),
        hint=f"it has {', '.join(map(repr, names))}" if names else None,
        key=key,
        matches=names,
    )


def set_chat_template(
    document: Document, source: str, name: str = DEFAULT, *, force: bool = False
) -> list[Change]:
    """Set a template, and list its name where names are listed.

    Raises:
        RefusedError: it cannot be parsed; `force` sets it anyway.
    """
    before = document.metadata.snapshot()
    try:
        return [
            set_value(document, key, value, force=force)
            for key, value in changes_to_set(document.metadata, source, name).items()
        ]
    except BaseException:
        document.metadata.restore(before)
        raise


def unset_chat_template(document: Document, name: str = DEFAULT) -> list[Change]:
    """Remove a template and its name from the list.  Raises KeyNotFoundError."""
    chat_template(document, name)
    return [
        unset_key(document, key) if value is None else set_value(document, key, value)
        for key, value in changes_to_unset(document.metadata, name).items()
    ]


def render_chat(
    document: Document,
    messages: Sequence[Mapping[str, Any]],
    *,
    name: str = DEFAULT,
    source: str | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    documents: Sequence[Mapping[str, Any]] | None = None,
    add_generation_prompt: bool = False,
    extra: Mapping[str, Any] | None = None,
    now: datetime | None = None,
    limits: RenderLimits | None = None,
) -> str:
    """The prompt that the model's template makes of a conversation, as transformers renders it.

    The template runs in a sandboxed child process with limits of time, memory and output.

    Args:
        name: which template.
        source: a template to use in place of the model's.
        extra: further variables for the template.
        now: what the template takes for the current time.

    Raises:
        KeyNotFoundError: the model has no such template.
        TemplateError: the template is wrong, refuses, or exceeds a limit; with its line.
    """
    context = make_context(
        messages,
        tools=tools,
        documents=documents,
        add_generation_prompt=add_generation_prompt,
        special_tokens=template_variables(document),
        extra=extra,
    )
    chosen = chat_template(document, name) if source is None else source
    return render_template(chosen, context, now=now, limits=limits)


def check_chat_template(
    document: Document,
    name: str = DEFAULT,
    *,
    source: str | None = None,
    engine: Engine | None = None,
    now: datetime | None = None,
    limits: RenderLimits | None = None,
) -> list[TemplateFinding]:
    """What is wrong with a template in this model; empty for a sound one.

    Checks its syntax, what it uses, what no template needs, whether the vocabulary has its
    markers of turns, that it renders the built-in conversations and passes on what they say, and
    that a turn ends with a token that ends generation.

    Args:
        source: a template to look at in place of the model's.
        engine: llama.cpp, see `gguf_construct.engine.llama_templates.ask_llama`; without it the
            known limits of its engine count.

    Raises:
        KeyNotFoundError: the model has no such template.
    """
    return audit_chat_template(
        document, name, source=source, engine=engine, now=now, limits=limits
    ).findings


def audit_chat_template(
    document: Document,
    name: str = DEFAULT,
    *,
    source: str | None = None,
    engine: Engine | None = None,
    now: datetime | None = None,
    limits: RenderLimits | None = None,
) -> Audit:
    """The same, with what each engine renders.  Raises as `check_chat_template`."""
    chosen = chat_template(document, name) if source is None else source
    found = audit_template(
        chosen,
        special_tokens=template_variables(document),
        tokens=_tokens(document),
        engine=engine,
        now=now,
        limits=limits,
    )
    return found._replace(findings=[*found.findings, *_split_markers(document, chosen)])


def _split_markers(document: Document, source: str) -> list[TemplateFinding]:
    """Markers of turns whose tokens are typed normal, so that prompts get pieces of them."""
    texts = [text_of(text) for text in split_markers(document, source).values()]
    texts = [text for text in texts if text in source]
    if not texts:
        return []
    what = "is a token" if len(texts) == 1 else "are tokens"
    return [
        TemplateFinding(
            "template-token-normal",
            "warning",
            f"{', '.join(map(repr, texts))} {what} of type normal: prompts get pieces of text",
            hint=f"mark them: {mend_command(texts)}",
        )
    ]


def _tokens(document: Document) -> Tokens:
    try:
        texts = Vocabulary(document).texts
    except EditError:
        return Tokens()
    rows = special_tokens(document)
    bos = next((row for row in rows if row.role == "bos" and row.token), None)
    return Tokens(
        vocabulary={text.decode("utf-8", "surrogateescape") for text in texts},
        stops={
            row.token.text
            for row in rows
            if row.role in ("eos", "eot", "eom") and row.token and row.source != "text"
        },
        bos=bos.token.text if bos and bos.token and bos.source != "text" else "",
        adds_bos=bool(bos and bos.add),
    )


def diff_chat_templates(
    old: TemplateSet,
    new: TemplateSet,
    *,
    names: Sequence[str] | None = None,
    now: datetime | None = None,
    limits: RenderLimits | None = None,
) -> list[TemplateDifference]:
    """The templates that differ, in source or in what they render; each side has its own tokens.

    Args:
        names: those to compare; the default is all of both sides.

    Raises:
        TemplateError: the sources differ and one of them cannot be parsed.
    """
    before = {template_key(name): source for name, source in old.templates.items()}
    after = {template_key(name): source for name, source in new.templates.items()}
    found: list[TemplateDifference] = []
    for name in names or dict.fromkeys([*old.templates, *new.templates]):
        key = template_key(name)
        if key not in before and key not in after:
            raise KeyNotFoundError(f"neither side has a chat template {name!r}", key=key)
        if any(key == template_key(one.name) for one in found):
            continue
        if key not in before or key not in after:
            missing = "new" if key in before else "old"
            found.append(TemplateDifference(name, "", (), missing))
        elif before[key] != after[key] or old.special_tokens != new.special_tokens:
            found += _difference(
                name,
                TemplateSet({key: before[key]}, old.special_tokens),
                TemplateSet({key: after[key]}, new.special_tokens),
                now,
                limits,
            )
    return found


def _difference(
    name: str,
    old: TemplateSet,
    new: TemplateSet,
    now: datetime | None,
    limits: RenderLimits | None,
) -> list[TemplateDifference]:
    (before,), (after,) = old.templates.values(), new.templates.values()
    rendered = compare_templates(
        before,
        after,
        old_tokens=old.special_tokens,
        new_tokens=new.special_tokens,
        now=now,
        limits=limits,
    )
    if before == after and not rendered:
        return []
    return [TemplateDifference(name, unified_diff(before, after), tuple(rendered))]
