"""The findings in words, by rules: a sentence a cause, for pages and for guidelines."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.diagnoses import CAUSES, Cause, Finding, Findings, WeakEnvironment

LACKING: dict[Cause, str] = {
    "wrong_tool": "takes tools that look alike for each other",
    "wrong_argument": "leaves arguments of a call out or gives them values that nothing gives",
    "missing_lookup": "goes on with values that it never looked up",
    "missing_write": "leaves out changes that are asked for",
    "extra_write": "makes changes that nobody asked for",
    "state_lost": "mixes up what it saw earlier of several things",
    "error_ignored": "goes on after a refused or failed call as if it had been done",
    "stopped_early": "ends before all that is asked for is done",
    "wrong_aggregation": "works the answer out wrongly from what it saw",
    "wrong_format": "gives right answers in another form than asked for",
    "out_of_budget": "runs out of calls or of length on the way",
    "unexplained": "fails for a reason that its calls do not show",
}
"""Cause → what a policy does that fails by it; "It" comes before."""
MOST_PLACES = 3
"""Environments that a sentence names."""


def describe(findings: Findings) -> list[str]:
    """Return sentences: how often a policy passed, then one on each named cause, or that none stands out."""
    named = [finding for finding in findings.causes if finding.named]
    passed = findings.attempts - findings.failures
    opening = f"It passed {passed} of {findings.attempts} attempts."
    if not named:
        return [opening, "Its failures are spread over causes as a noisy policy's are: none stands out."]
    return [opening, *(describe_cause(finding, findings.environments) for finding in named)]


def describe_cause(finding: Finding, environments: Sequence[WeakEnvironment]) -> str:
    """Return one sentence on a cause: how often, against what was expected, and where most."""
    cause = next(each for each in CAUSES if each == finding.what)
    places = [each for each in environments if each.causes.get(cause)]
    most = sorted(places, key=lambda each: (-each.causes[cause], each.rank))[:MOST_PLACES]
    where = ", ".join(f"{each.theme_name} ({each.causes[cause]} of {each.attempts} attempts)" for each in most)
    return (
        f"It {LACKING[cause]}: {finding.failures} failures where a noisy policy's share predicts "
        f"{finding.expected:.1f} (p = {finding.p_value:.2g}), in {len(places)} environments, most in {where}."
    )
