"""Acceptance of a round: it must measurably add structure, and take none away."""

from __future__ import annotations

from schemas.rounds import Measures

COUNTED = ("tables", "fk_depth", "guarded_writes", "max_chain")
"""Measures that a round may raise; formats are counted as well."""
LATE = 2
"""Rounds after which an environment must be more than a set of simple tools."""
FEWEST_RICH = 3

REASONS = {
    "nothing_proposed": "the author had nothing left to add",
    "quality_gate": "the larger world failed a critical expectation",
    "no_tools": "the tool gate kept no tool of the larger world",
    "tools_lost": "fewer tools survived the gate than the parent has",
    "adds_nothing": "no measure of structure grew",
    "takes_away": "a measure of structure fell",
    "too_simple": "after two rounds more than half of the tools are simple, or fewer than three are rich",
}
"""Closed list of reasons for which a round is refused: code → what it means."""


def judge_round(before: Measures, after: Measures, number: int) -> tuple[str, str] | None:
    """Return (reason, detail with the figures) when round `number` is refused, None when it is accepted."""
    one, other = _counts(before), _counts(after)
    fallen = [f"{name} {one[name]} to {other[name]}" for name in one if other[name] < one[name]]
    if fallen:
        return "takes_away", ", ".join(fallen)
    if one == other:
        return "adds_nothing", ", ".join(f"{name} {count}" for name, count in one.items())
    if number >= LATE and (2 * after.simple_tools > after.tools or after.rich_tools < FEWEST_RICH):
        return "too_simple", f"{after.simple_tools} of {after.tools} tools are simple, {after.rich_tools} are rich"
    return None


def _counts(measures: Measures) -> dict[str, int]:
    return {**measures.model_dump(include=set(COUNTED)), "formats": len(measures.formats)}
