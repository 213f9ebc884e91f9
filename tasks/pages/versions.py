"""How an environment grew: what each version measures, what the round to it added, and which rounds were refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.pages.markdown import Row, bullets, code, count, page, parsed, table, text

LONGEST_ADDITION = 200
_MEASURES = {
    "tables": "tables",
    "fk_depth": "fk depth",
    "guarded_writes": "guarded writes",
    "max_chain": "longest chain",
    "formats": "formats",
    "tools": "tools",
}
"""Measure → head of its column. Formats are counted."""
_MEANT = (
    "*fk depth*: references of the longest way from table to table; *guarded writes*: tools that enforce more than "
    "that their rows exist; *longest chain*: calls of which each takes an id that the one before found."
)


def versions_section(versions: Sequence[Row], rounds: Sequence[Row]) -> str:
    """Return what each version measures and added, and what was refused: rows of `page_versions`, `page_rounds`."""
    if not versions:
        return "Nothing was measured."
    cells = [(str(v["version"]), *(_measure(v[name]) for name in _MEASURES)) for v in versions]
    columns = ("version", *_MEASURES.values())
    added = [f"Version {v['version']} added {additions(v['additions'])}." for v in versions if v["additions"]]
    return page(table(columns, cells, columns[1:]), _MEANT, bullets(added), refused_rounds(rounds))


def refused_rounds(rounds: Sequence[Row]) -> str:
    """Return a table of refused rounds with reason and figures; nothing when there is none."""
    if not rounds:
        return ""
    cells = [
        (str(r["number"]), code(r["reason"] or "not told"), text(r["detail"], LONGEST_ADDITION),
         _change(parsed(r["measured_before"]), parsed(r["measured_after"])), additions(r["additions"]))
        for r in rounds
    ]  # fmt: skip
    return page("Refused rounds:", table(("round", "reason", "what was found", "figures", "proposed"), cells))


def additions(lines: Sequence[str]) -> str:
    """Return lines such as 'documents: Fees (csv)' on one, those of a kind joined behind its name."""
    kinds: dict[str, list[str]] = {}
    for line in lines:
        kind, _, what = line.partition(": ")
        kinds.setdefault(kind, []).append(text(what or "more", LONGEST_ADDITION))
    return ". ".join(f"*{text(kind)}* {'; '.join(what)}" for kind, what in kinds.items())


def _measure(value: Any) -> str:
    return count(len(value) if isinstance(value, list | tuple) else value)


def _change(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> str:
    """Return what a round would have changed: 'tables 5 → 9, longest chain 6 → 4'."""
    if not before or not after:
        return ""
    pairs = [(words, _measure(before.get(name)), _measure(after.get(name))) for name, words in _MEASURES.items()]
    return ", ".join(f"{words} {was} → {became}" for words, was, became in pairs if was != became)
