"""Rules of a policy as the tools enforce them."""

from __future__ import annotations

from tasks.authors.rules.documents.rules import CODE
from tests.tasks.authors.rules.documents.depot import Depot


def test_tools_enforce_the_rules_in_the_sandbox(depot: Depot) -> None:
    """The tickets' policy has a rule on reopening: tickets before its day are refused, later ones are reopened."""
    operations = depot.environment.operations[0]
    action = next(a for a in operations.actions if any(g.rule for g in a.guards) and len(a.arguments) == 1)
    guard = next(g for g in action.guards if g.rule)
    tool = next(t for t in depot.module.tools if t.intent.get("action") == action.name)
    table = depot.environment.profile.table(action.table)
    seen = set()
    with depot.world.open(depot.bundle, "policy") as session:
        for row in depot.draft.frames[table.name].iter_rows(named=True):
            answer = session.call(tool.name, {table.key: row[table.key]})
            code = answer["error"]["code"] if "error" in answer else None
            allowed = row[guard.value.column] >= guard.than.value  # type: ignore[union-attr]
            assert (code == CODE) <= (not allowed) and not (code is None and not allowed)
            seen.add(code)
    assert {CODE, None} <= seen
