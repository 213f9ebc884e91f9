"""A plan without the things that nothing in it uses."""

from __future__ import annotations

from typing import Any

from schemas.plans import ITEM, Plan


def drop_unused_things(plan: Plan) -> Plan:
    """Return the plan with only those things that a pass, a deed, a figure or a used thing speaks of."""
    whole = plan.model_dump(mode="json")
    used = _places([whole["passes"], whole["deeds"], whole["asked"]])
    for place in reversed(range(len(plan.things))):  # a thing leads only to those before it
        if place in used:
            used |= _places(whole["things"][place])
    moved = {old: new for new, old in enumerate(sorted(used))}
    whole["things"] = [each for place, each in enumerate(whole["things"]) if place in used]
    return Plan.model_validate(_moved(whole, moved))


def _places(node: Any) -> set[int]:
    """Return the places of things that a part of a plan names."""
    if isinstance(node, list):
        return set().union(*map(_places, node))
    if not isinstance(node, dict):
        return set()
    own = {place for key, value in node.items() if (place := _place(key, value)) is not None}
    return own.union(*map(_places, node.values()))


def _place(key: str, value: Any) -> int | None:
    if key == "of" and isinstance(value, list):
        return int(value[0])
    return value if key == "thing" and isinstance(value, int) and value != ITEM else None


def _moved(node: Any, moved: dict[int, int]) -> Any:
    if isinstance(node, list):
        return [_moved(each, moved) for each in node]
    if not isinstance(node, dict):
        return node
    plain = {key: _moved(value, moved) for key, value in node.items()}
    if _place("thing", plain.get("thing")) is not None:
        plain["thing"] = moved[plain["thing"]]
    if isinstance(plain.get("of"), list):
        plain["of"] = [moved[plain["of"][0]], plain["of"][1]]
    return plain
