"""Findings: by which causes, where and with which tools a policy fails more than a uniformly noisy one does.

What is compared are shares of failures, so that a policy which fails more often, but as a noisy one does, shows nothing. Causes
come first. Once some are named, environments and tools are judged by the failures of these causes: they lie where the
weakness is, and the rest is noise. Without a named cause all failures count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from schemas.diagnoses import Cause, Failure, Finding, Findings, WeakEnvironment
from tasks.arena.diagnosis.significance import excesses

Sort = Callable[[Failure], str | None]
"""What a failure is counted under: its cause, its environment, its tool; None: under nothing."""


@dataclass(frozen=True)
class Judged:
    """An attempt that was judged: where it was made, and its failure; None: it passed."""

    rollout_id: str
    task_id: str
    environment_id: str
    theme_name: str
    failure: Failure | None


def find(policy_id: str, control_id: str, attempts: Sequence[Judged], control: Sequence[Judged]) -> Findings:
    """Return what a policy's attempts say of it, held against a noisy control's attempts at the same tasks.

    Attempts that were not judged are in neither. A control with few failures names only what it can bear out.
    """
    failures, noise = _failures(attempts), _failures(control)
    causes = _rank(failures, noise, failures, lambda failure: failure.cause)
    named = {finding.what for finding in causes if finding.named}
    telling = [failure for failure in failures if not named or failure.cause in named]
    background = [failure for failure in noise if not named or failure.cause in named]
    environments = _rank(telling, background, failures, lambda failure: failure.environment_id)
    return Findings(
        policy_id=policy_id,
        control_id=control_id,
        attempts=len(attempts),
        failures=len(failures),
        causes=tuple(causes),
        environments=tuple(_weak(environments, attempts)),
        tools=tuple(_rank(telling, background, failures, _tool)),
    )


def _failures(attempts: Iterable[Judged]) -> list[Failure]:
    return [attempt.failure for attempt in attempts if attempt.failure is not None]


def _tool(failure: Failure) -> str | None:
    return f"{failure.environment_id}/{failure.tool}" if failure.tool else None


def _rank(
    telling: Sequence[Failure], background: Sequence[Failure], failures: Sequence[Failure], sort: Sort
) -> list[Finding]:
    """Return a finding for each sort of a policy's failures, by those that tell against the control's background."""
    listed = _count(failures, sort)
    ranked = excesses(_count(telling, sort), _count(background, sort))
    silent = sorted(listed.keys() - {each.what for each in ranked})
    return [
        Finding(
            what=each.what,
            failures=each.failures,
            expected=round(each.expected, 4),
            p_value=each.p_value,
            named=each.named,
        )
        for each in ranked
        if each.what in listed
    ] + [Finding(what=what, failures=0, expected=0.0, p_value=1.0, named=False) for what in silent]


def _count(failures: Iterable[Failure], sort: Sort) -> Counter[str]:
    return Counter(what for failure in failures if (what := sort(failure)) is not None)


def _weak(ranked: Sequence[Finding], attempts: Sequence[Judged]) -> Iterator[WeakEnvironment]:
    """Yield the environments as they were ranked, each with its attempts and its failures by cause."""
    within: Mapping[str, list[Judged]] = {finding.what: [] for finding in ranked}
    for attempt in attempts:
        if attempt.environment_id in within:
            within[attempt.environment_id].append(attempt)
    for rank, finding in enumerate(ranked, 1):
        there = within[finding.what]
        causes: Counter[Cause] = Counter(failure.cause for failure in _failures(there))
        yield WeakEnvironment(
            rank=rank,
            environment_id=finding.what,
            theme_name=there[0].theme_name,
            attempts=len(there),
            failures=causes.total(),
            causes=dict(sorted(causes.items(), key=lambda item: (-item[1], item[0]))),
            finding=finding,
        )
