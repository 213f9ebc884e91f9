"""Reading: operations with a title and an overview become a theme, or a refusal that says why not."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from schemas.themes import Evidence, SourceParameter, Theme
from tasks.mining.library.names import theme_name
from tasks.themes.entities import find_things
from tasks.themes.findings import Refusal
from tasks.themes.lexicon import plain_text, singular
from tasks.themes.operations import Named, understand

MOST_OPERATIONS = 200
"""Operations of one source that are kept; the rest say little that is new."""
_FEWEST_STORED = 1 / 3
"""Share of a source's operations that must read or keep something: with less it computes or steers."""
_LONGEST_TITLE = 80
_LONGEST_DESCRIPTION = 600
_SERVER = re.compile(
    r"\b(remote |official )?(model context protocol|mcp)\b|\b(server|servers|api|integration|tool|tools|client|service|connector|bridge|wrapper)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Described:
    """What a source says of itself: a title, an overview, operations, rules, and the evidence that it rests on.

    `fields` are those of things (singular) that it describes apart from its operations.
    """

    title: str
    overview: str
    operations: Sequence[Named]
    evidence: Evidence
    kind: Literal["mcp", "tools", "requirements"]
    rules: list[str] = field(default_factory=list)
    fields: Mapping[str, Sequence[SourceParameter]] = field(default_factory=dict)


def read_theme(source: Described) -> Theme | Refusal:
    """Return the theme of a source, or why it gives none: no_tools, nothing_to_store or no_entity."""
    title = tidy_title(source.title) or "Untitled"
    address = source.evidence.address

    def refuse(reason: Literal["no_tools", "nothing_to_store", "no_entity"], detail: str) -> Refusal:
        return Refusal(title, address, reason, detail)

    if not source.operations and not source.fields:
        return refuse("no_tools", "it names no operations")
    overview = plain_text(source.overview, 4_000)
    read = understand(source.title, overview, source.operations[:MOST_OPERATIONS], source.fields)
    stored = [one for one in read if one.verb != "other"]
    if len(stored) < max(1, _FEWEST_STORED * len(read)) and not source.fields:
        names = ", ".join(one.named.name for one in read if one.verb == "other")
        return refuse(
            "nothing_to_store", f"{len(stored)} of {len(read)} operations read or keep something: {names[:120]}"
        )
    things = find_things(subject_of(title, source.fields), read, source.fields)
    if not things.entities:
        names = ", ".join(f"{one.named.name} ({one.noun or 'of nothing'})" for one in stored[:3])
        return refuse("no_entity", f"no kind of thing with three fields in {len(stored)} operations: {names}")
    return Theme(
        name=name_of(title, source.fields),
        title=title,
        description=plain_text(source.overview, _LONGEST_DESCRIPTION) or f"{title}.",
        kind=source.kind,
        package=address,
        version=source.evidence.sha256[:16],
        licence=source.evidence.licence,
        tables=[],
        entities=things.entities,
        operations=[one.operation(things.tables.get(one.noun, "")) for one in read],
        evidence=[source.evidence],
        rules=source.rules,
    )


def tidy_title(title: str) -> str:
    """Return a title on one line, without emphasis and what stands around it."""
    return plain_text(re.sub(r"[*_`#]+", " ", title), _LONGEST_TITLE).strip(" -–—:·|")


def subject_of(title: str, declared: Collection[str] = ()) -> str:
    """Return what a title is about, without words for software: 'PubMed MCP Server' → 'PubMed'.

    Words of `declared` things (singular) stay: a library of tools is about tools.
    """
    things = {word for noun in declared for word in noun.split("_")}
    bare = _SERVER.sub(lambda found: found[0] if singular(found[0].lower()) in things else " ", title)
    subject = re.sub(r"\s+", " ", bare).strip(" -–—:·|()")
    return subject if re.search(r"\w\w", subject) else title


def name_of(title: str, declared: Collection[str] = ()) -> str:
    """Return a theme's name: snake_case, of the title's subject, starting with a letter."""
    name = theme_name([subject_of(title, declared).lower()])
    return name if re.fullmatch(r"[a-z][a-z0-9_]*", name) and name != "column" else f"theme_{name}".strip("_")
