"""Pages of the arena: how a policy did, why it fails, and what rounds of evolution came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.arena import Evolution, Rate
from schemas.diagnoses import Finding, Findings, TaskGuideline
from tasks.arena.diagnosis.summary import describe
from tasks.pages.markdown import Row, bounded, bullets, code, codes, count, page, plural, text

Comparison = Sequence[Row]
"""Two policies side by side, as `flows.standings.compare` returns them."""
SIDES = {"level1": "class", "level": "level", "kind": "kind", "cause": "cause"}
"""What a comparison goes by → head of its column; by tool there are too many for a page."""
_INTERVALS = "In brackets: Wilson's interval at 95 %, with the tasks as trials."


def evaluation_page(policy: str, number: int, pools: Mapping[str, Mapping[str, Any]], message: str) -> str:
    """Return how a policy did in a round: `pools` as `flows.standings.figures_of` returns them, by pool, with their classes."""
    rows = [row for pool, found in pools.items() for row in _pool_rows(pool, found)]
    columns = ("pool", "class", "tasks", "attempts", "errors", "pass@1")
    return page(
        f"# {text(policy)} in round {number}",
        text(message, limit=500),
        bounded(columns, rows, right=columns[2:5]) if rows else "Nothing was attempted.",
        f"*errors*: attempts without a verdict. {_INTERVALS}" if rows else "",
    )


def _pool_rows(pool: str, found: Mapping[str, Any]) -> list[list[str]]:
    if not found["attempts"] + found["errors"]:
        return []
    return [
        [
            pool,
            text(each.get("class", "all")),
            *(count(each[name]) for name in ("tasks", "attempts", "errors")),
            _told(each["pass_at_1"], *each["intervals"]["pass_at_1"]),
        ]
        for each in (*found["classes"], found)
    ]


def diagnosis_page(policy: str, number: int, findings: Findings, guidelines: Sequence[TaskGuideline]) -> str:
    """Return why a policy fails in a round, where, and what is to be built against it."""
    themes = {each.environment_id: each.theme_name for each in findings.environments}
    return page(
        f"# Why {text(policy)} fails in round {number}",
        bullets(text(line, limit=500) for line in describe(findings)),
        "## Causes" if findings.causes else "",
        _findings("cause", [(code(each.what), each) for each in findings.causes]),
        "## Environments, the weakest first" if findings.environments else "",
        _findings("environment", [(code(each.theme_name), each.finding) for each in findings.environments]),
        "## What to build" if guidelines else "",
        bullets(_guideline(each, themes[each.environment_id]) for each in guidelines),
        "*expected*: failures that the control's share predicts; *p*: one-sided, before Holm's correction at 5 %. "
        f"An attempt step by step beside its gold run: {code('factory show ROLLOUT')}"
        if findings.failures
        else "",
    )


def _findings(what: str, found: Sequence[tuple[str, Finding]]) -> str:
    columns = (what, "failures", "expected", "p", "stands out")
    rows = [
        [name, count(each.failures), f"{each.expected:.1f}", f"{each.p_value:.2g}", "yes" if each.named else ""]
        for name, each in found
    ]
    return bounded(columns, rows, right=columns[1:4]) if rows else ""


def _guideline(guideline: TaskGuideline, theme: str) -> str:
    asked = f"tasks with at least {plural(guideline.least, 'such place')}"
    asked += f" at {codes(guideline.tools)}" if guideline.tools else ""
    asked += f" of level {guideline.level} or above" if guideline.level else ""
    grown = "; the database grows first" if guideline.growth else ""
    shown = f" (shown by {codes(guideline.rollout_ids, most=3)})" if guideline.rollout_ids else ""
    return f"**{text(theme)}**: {text(guideline.lacking, limit=300)} {asked[0].upper()}{asked[1:]}{grown}{shown}."


def evolution_page(rounds: Sequence[tuple[Evolution, Comparison]]) -> str:
    """Return what rounds of evolution came to, each with its policy before and after; no comparison where nothing was trained."""
    columns = ("round", "pass@1 before", "after", "guidelines", "databases grown", "tasks", "outcome")
    rows = [
        [
            str(one.round),
            _rate(one.before.pass_at_1),
            _rate(one.after.pass_at_1) if one.after else "",
            *(count(number) for number in (one.guidelines, one.grown, one.tasks)),
            one.outcome.replace("_", " "),
        ]
        for one, _ in rounds
    ]
    return page(
        "# Evolution",
        bounded(columns, rows, right=("round", *columns[3:6])) if rows else "No round ended.",
        *(part for one, compared in rounds for part in _round(one, compared)),
        _INTERVALS if rows else "",
    )


def _round(one: Evolution, compared: Comparison) -> list[str]:
    parts = [text(one.reason, limit=500)] if one.reason else []
    for by, head in SIDES.items():
        rows = [row for row in compared if row["by"] == by and (row["one"]["rate"] or row["other"]["rate"])]
        if rows:
            columns = (head, "before", "after", "difference", "stands")
            parts += [
                f"### Round {one.round}, by {head}",
                bounded(columns, [_compared(row) for row in rows]),
            ]
    return parts


def _compared(row: Row) -> list[str]:
    found = row["difference"]
    told = f"{found['difference']:+.3f} ({found['low']:+.3f} to {found['high']:+.3f})" if found else ""
    sides = [_told(side["rate"], side["low"], side["high"]) for side in (row["one"], row["other"])]
    return [text(row["group"]), *sides, told, "yes" if found and found["stands"] else ""]


def _rate(rate: Rate) -> str:
    return _told(rate.rate, rate.low, rate.high)


def _told(rate: float | None, low: float, high: float) -> str:
    return "" if rate is None else f"{rate:.3f} ({low:.3f}–{high:.3f})"
