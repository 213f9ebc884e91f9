"""Claims: each cause that a model names is held against the policy's attempts; the program counts, not the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.rounds import Guideline
from tasks.authors.llm.diagnostician.attempts import Attempts
from tasks.authors.llm.diagnostician.diagnosis import Claim, ClaimRefusal, Diagnosis, RefusedClaim
from tasks.authors.llm.diagnostician.evidence import Evidence, Rows
from tasks.authors.llm.diagnostician.proposals import Cause, ProposedDiagnosis, Weakness
from tasks.authors.llm.react.loop import ToolFault

MOST_COUNTED = 100_000
"""Rows that a claim's SQL may list; a policy has fewer attempts."""


class _Refused(Exception):
    def __init__(self, reason: ClaimRefusal, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def examine(proposed: ProposedDiagnosis, floor: Diagnosis, attempts: Attempts, evidence: Evidence) -> Diagnosis:
    """Return the diagnosis by counts with the proposed causes that stand, and those that do not with the reason.

    The order of the environments is the counts', whatever order the model gave.
    """
    checked = [
        _checked(cause, weakness.environment_id, attempts, evidence)
        for weakness in proposed.weak
        for cause in weakness.causes
    ]
    kept = [one for one in checked if isinstance(one, Claim)]
    weak = []
    for place in floor.weak:
        causes = tuple(dict.fromkeys(claim for claim in kept if claim.environment_id == place.environment_id))
        said = [one for one in proposed.weak if one.environment_id == place.environment_id]
        guideline = _guideline(said, causes, evidence.tables(place.environment_id)) if causes else None
        weak.append(place.model_copy(update={"causes": causes, "guideline": guideline}))
    refused = tuple(one for one in checked if isinstance(one, RefusedClaim))
    return floor.model_copy(update={"weak": tuple(weak), "refused": refused})


def _checked(cause: Cause, environment_id: str, attempts: Attempts, evidence: Evidence) -> Claim | RefusedClaim:
    try:
        _require_weak(environment_id, attempts)
        cited = _require_cited(cause.rollout_ids, environment_id, attempts)
        counted = _count(cause.counting_sql, environment_id, attempts, evidence)
        _require_agreement(cause, counted)
        _require_failing(counted, environment_id, attempts)
    except _Refused as refused:
        return RefusedClaim(
            environment_id=environment_id, statement=cause.statement, reason=refused.reason, detail=refused.detail
        )
    return Claim(
        environment_id=environment_id,
        statement=cause.statement,
        rollout_ids=tuple(cited),
        counting_sql=cause.counting_sql,
        value=cause.value,
    )


def _require_weak(environment_id: str, attempts: Attempts) -> None:
    standing = attempts.standings.get(environment_id)
    if standing is None:
        raise _Refused("unknown_environment", f"the policy has no attempts that count in {environment_id!r}")
    if not attempts.is_weak(standing):
        overall = attempts.overall
        raise _Refused(
            "not_weak",
            f"{standing.passed} of {standing.attempts} attempts pass there, {overall.passed} of {overall.attempts} overall",
        )


def _require_cited(rollout_ids: Sequence[str], environment_id: str, attempts: Attempts) -> list[str]:
    """Return the cited attempts, each once: all of them there, and in this environment."""
    if not rollout_ids:
        raise _Refused("no_rollout", "it cites no attempt")
    for rollout_id in rollout_ids:
        attempt = attempts.by_rollout.get(rollout_id)
        if attempt is None:
            raise _Refused("unknown_rollout", f"no attempt {rollout_id!r} of the policy counts")
        if attempt.environment_id != environment_id:
            raise _Refused("other_environment", f"{rollout_id} is an attempt in {attempt.environment_id}")
    return list(dict.fromkeys(rollout_ids))


def _count(sql: str, environment_id: str, attempts: Attempts, evidence: Evidence) -> set[str]:
    """Return the attempts in the environment that a claim's SQL lists: what it lists beside them counts nothing."""
    try:
        rows = evidence.select(sql, MOST_COUNTED + 1)
    except ToolFault as fault:
        raise _Refused("no_count", str(fault)) from fault
    counted = attempts.within(environment_id).intersection(_listed(rows))
    if not counted:
        raise _Refused("no_count", f"its SQL lists no attempt in {environment_id} in a column rollout_id")
    return counted


def _listed(rows: Rows) -> Iterable[str]:
    if len(rows) > MOST_COUNTED:
        raise _Refused("no_count", f"its SQL lists more than {MOST_COUNTED} rows")
    return (row["rollout_id"] for row in rows if isinstance(row.get("rollout_id"), str))


def _require_agreement(cause: Cause, counted: set[str]) -> None:
    if len(counted) != cause.value:
        raise _Refused("contradicted", f"it states {cause.value}, its SQL lists {len(counted)} attempts there")
    if stray := sorted(set(cause.rollout_ids) - counted):
        raise _Refused("not_counted", f"its SQL does not list {stray[0]}")


def _require_failing(counted: set[str], environment_id: str, attempts: Attempts) -> None:
    """Refuse a cause whose attempts pass more often than the others in the environment, compared without division."""
    others = attempts.within(environment_id) - counted
    passed, elsewhere = attempts.passing(counted), attempts.passing(others)
    if passed * len(others) > elsewhere * len(counted):
        raise _Refused(
            "passes_more", f"{passed} of {len(counted)} such attempts pass, {elsewhere} of {len(others)} others there"
        )


def _guideline(said: Sequence[Weakness], causes: Sequence[Claim], tables: Sequence[str]) -> Guideline:
    """Return what the next round should add, for the causes that stand; tables that are not there are left out."""
    return Guideline(
        additions=tuple(dict.fromkeys(addition for one in said for addition in one.additions)),
        tables=tuple(dict.fromkeys(table for one in said for table in one.tables if table in tables)),
        reason="; ".join(f"{claim.statement} ({claim.value} attempts)" for claim in causes),
    )
