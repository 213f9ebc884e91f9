"""Intents: each operation that a theme's source names with the tool that does the same, or why none does."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.pages.markdown import Row, bounded, bullets, code, codes, count, page, text


def intents_section(intents: Sequence[Row]) -> str:
    """Return rows of `page_intents`: covered operations in a table, the others by reason."""
    covered = [intent for intent in intents if intent["covered"]]
    cells = [
        (code(i["operation"]), text(f"{i['verb']} {i['entity']}".replace("_", " ")), code(i["tool"] or ""),
         f"{i['matched']} of {i['parameters']}" if i["parameters"] else "none")
        for i in covered
    ]  # fmt: skip
    columns = ("operation", "does", "tool", "parameters")
    return page(
        f"The source names {count(len(intents))} operations; tools cover {count(len(covered))} of them.",
        bounded(columns, cells, columns[3:]) if cells else "",
        _not_covered([intent for intent in intents if not intent["covered"]]),
    )


def _not_covered(intents: Sequence[Row]) -> str:
    reasons: dict[str, list[str]] = {}
    for intent in intents:
        reasons.setdefault(intent["why"] or "not told", []).append(intent["operation"])
    told = [f"{text(why)}: {codes(names, most=12)}" for why, names in reasons.items()]
    return page("Not covered:", bullets(told)) if told else ""
