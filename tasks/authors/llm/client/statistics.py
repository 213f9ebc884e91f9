"""What each role's models did, as `factory llm stats` shows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from schemas.models import ROLES, Role
from tasks.authors.llm.client.spool import Spool

_CALLS = """
select role, count(*) as calls,
    coalesce(sum(tokens_in) filter (where not cached), 0) as tokens_in,
    coalesce(sum(tokens_out) filter (where not cached), 0) as tokens_out,
    case when count(*) filter (where not cached and cost is null and tokens_in + tokens_out > 0) = 0
        then coalesce(sum(cost) filter (where not cached), 0.0) end as cost,
    count(*) filter (where cached) as cached,
    count(*) filter (where outcome = 'parsed') as parsed,
    count(*) filter (where outcome = 'refused') as refused,
    count(*) filter (where outcome = 'error') as errors
from calls group by role
"""
_KEPT = "select role, count(distinct id) as proposals from contributions where outcome = 'kept' group by role"
_REFUSED = """
select role, gate, count(distinct id) as proposals from contributions where outcome = 'refused'
group by role, gate order by proposals desc, gate
"""


@dataclass(frozen=True)
class RoleStatistics:
    """One role. Every call is parsed, refused or an error; tokens and cost are those of calls that were sent.

    `cost`: US dollars, None when a call has no price. `kept` and `refused_by` (gate → count) are what became of proposals.
    """

    role: Role
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    cached: int = 0
    parsed: int = 0
    refused: int = 0
    errors: int = 0
    kept: int = 0
    refused_by: dict[str, int] = field(default_factory=dict)


def role_statistics(spool: Spool) -> list[RoleStatistics]:
    """Return a row for every role, in their order, zeros for those that did nothing.

    All of it is counted in the spool, which keeps the figures of what was drained: nothing is counted twice, and a
    run that still goes is counted too. The query `model_roles` counts the same in the published warehouse.
    """
    if not spool.path.exists():
        return [RoleStatistics(role) for role in ROLES]
    calls = {row["role"]: dict(row) for row in spool.rows(_CALLS)}
    kept = {row["role"]: row["proposals"] for row in spool.rows(_KEPT)}
    refused: dict[str, dict[str, int]] = {role: {} for role in ROLES}
    for row in spool.rows(_REFUSED):
        refused[row["role"]][row["gate"]] = row["proposals"]
    return [
        RoleStatistics(**calls.get(role, {"role": role}), kept=kept.get(role, 0), refused_by=refused[role])
        for role in ROLES
    ]
