"""The funnel: how much of what was proposed survived each stage, in all and theme by theme."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.pages.markdown import Row, bounded, code, count, page, plural, table, text

LONGEST_REASONS = 300
MANY_ENVIRONMENTS = 20
"""Environments beyond which the page tells how they spread over the classes."""
_SUBJECTS = {"complexify": "round"}
"""What a stage decides about, where it is no plain environment."""


def funnel_page(
    stages: Sequence[Row],
    themes: Sequence[Row],
    message: str = "",
    intake: Row | None = None,
    classes: Sequence[Row] = (),
) -> str:
    """Return the page of rows of the queries `funnel`, `page_themes`, `ecosystem` (one) and `page_classes`.

    `message` says how the run ended.
    """
    standing = [theme for theme in themes if theme["state"] == "accepted"]
    refused = [theme for theme in themes if theme["state"] == "rejected"]
    totals = [sum(theme[name] for theme in themes) for name in ("tools", "tasks")]
    return page(
        "# Funnel",
        text(message, limit=1000),
        f"{plural(len(standing), 'environment')} with {plural(totals[0], 'tool')} and {plural(totals[1], 'task')} stand; "
        f"{plural(len(refused), 'theme')} {'was' if len(refused) == 1 else 'were'} refused.",
        _intake(intake),
        "## Stages",
        _stages(stages),
        "## Themes",
        _themes([theme for theme in themes if theme["state"] != "rejected"]),
        _classes(classes) if len(standing) > MANY_ENVIRONMENTS else "",
        "## Refused themes" if refused else "",
        _refused(refused),
    )


def _intake(row: Row | None) -> str:
    if row is None:
        return ""
    return (
        f"Themes: {count(row['themes_in'])} taken in, {count(row['themes_merged'])} more merged with one of them, "
        f"{count(row['themes_rejected'])} rejected at the door or later."
    )


def _classes(classes: Sequence[Row]) -> str:
    rows = [
        (text(row["level1"]), count(row["environments"]), count(row["themes"]),
         "" if row["mean_confidence"] is None else f"{row['mean_confidence']:.2f}")
        for row in classes
    ]  # fmt: skip
    columns = ("class", "environments", "themes", "mean confidence")
    return page("## Classes", table(columns, rows, columns[1:]), "Classes without a theme are not listed.").rstrip()


def _stages(stages: Sequence[Row]) -> str:
    if not stages:
        return "Nothing was decided yet."
    rows = [
        (code(s["stage"]), text(_SUBJECTS.get(s["stage"], s["subject_kind"])), count(s["proposed"]), count(s["kept"]),
         count(s["rejected"]), _share(s["kept"], s["proposed"]), text(s["rejected_by_reason"], LONGEST_REASONS))
        for s in stages
    ]  # fmt: skip
    columns = ("stage", "of", "proposed", "kept", "rejected", "share kept", "reasons")
    return table(columns, rows, ("proposed", "kept", "rejected", "share kept"))


def _themes(themes: Sequence[Row]) -> str:
    if not themes:
        return "No environment stands."
    columns = ("theme", "version", "tables", "rows", "tools", "tasks", "writing", "refused", "calls")
    rows = [
        (_theme(t), count(len(t["versions"])), count(t["world_tables"]), count(t["world_rows"]), count(t["tools"]),
         count(t["tasks"]), count(t["tasks_with_change"]),
         count(t["tools_refused"] + t["tasks_refused"]),
         "" if t["mean_gold_calls"] is None else f"{t['mean_gold_calls']:.1f}")
        for t in themes
    ]  # fmt: skip
    told = (
        "*writing*: tasks with a required change; *refused*: tools and drafts of tasks; *calls*: mean of the gold runs."
    )
    return f"{bounded(columns, rows, columns[1:])}\n\n{told}"


def _theme(row: Row) -> str:
    return code(row["theme_name"]) + ("" if row["state"] == "accepted" else f" ({text(row['state'])})")


def _refused(themes: Sequence[Row]) -> str:
    if not themes:
        return ""
    rows = [(code(t["theme_name"]), code(t["reason"] or ""), text(t["detail"], LONGEST_REASONS)) for t in themes]
    return bounded(("theme", "reason", "what was found"), rows)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else ""
