"""The figures of `factory status`: what stands, about current versions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from warehouse.published import Published
from warehouse.seeds import taxonomy_rows
from warehouse.store import Reader


def read_status(home: Path) -> dict[str, Any]:
    """Return the figures of the published warehouse of `home`; UsageError when there is none."""
    return status(Published(home))


def status(reader: Reader) -> dict[str, Any]:
    """Return what stands now, and the last finished run that did work.

    Keys: environments {accepted, rejected}, tools {kept, rejected}, tasks {accepted, rejected,
    by_kind (kind → count), with_required_change}, mean_gold_calls, wall_s (seconds),
    orchestration_share (0 to 1: the share of wall_s in which no stage worked). These three
    are None before there is a task or such a run. themes {in, merged, rejected}, formats (format →
    files of current environments), classes (all 20 first levels → accepted environments).
    """
    counts = reader.rows("status")[0]
    kinds = {row["kind"]: row["tasks"] for row in reader.rows("tasks_by_kind")}
    last = (reader.rows("last_run_with_work") or [{}])[0]
    classes = {level1: 0 for level1, _, _ in taxonomy_rows()}
    standing = reader.rows("standing_classes")
    classes |= {row["level1"]: row["environments"] for row in standing if row["level1"] in classes}
    return {
        "environments": {
            "accepted": counts["environments_accepted"],
            "rejected": counts["environments_rejected"],
        },
        "tools": {"kept": counts["tools_kept"], "rejected": counts["tools_rejected"]},
        "tasks": {
            "accepted": counts["tasks_accepted"],
            "rejected": counts["tasks_rejected"],
            "by_kind": kinds,
            "with_required_change": counts["tasks_with_required_change"],
        },
        "mean_gold_calls": _rounded(counts["mean_gold_calls"]),
        "wall_s": _rounded(last.get("wall_s")),
        "orchestration_share": _rounded(last.get("orchestration_share")),
        "themes": {name.removeprefix("themes_"): count for name, count in reader.rows("ecosystem")[0].items()},
        "formats": {row["format"]: row["files"] for row in reader.rows("formats")},
        "classes": classes,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
