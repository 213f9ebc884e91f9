"""The check evaluator: checks, an answer and a state diff in; pass, fail or error out.

Standard library only, so that a snapshot can carry it to a trainer.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any


def evaluate(
    checks: list[dict[str, Any]], answer: Any, diff: dict[str, Any], contract: dict[str, Any]
) -> dict[str, Any]:
    """Judge one attempt: {"outcome": "pass" | "fail", "results": [{check_id, passed, detail}], "detail"}.

    All checks must hold for a pass; those of kind judge are left to a judge. A check that this evaluator does not know,
    or a verdict without checks, is an "error": the factory's fault, never a reward of 0.
    """
    return evaluate_changes(checks, answer, canonical_changes(diff, contract))


def evaluate_changes(checks: list[dict[str, Any]], answer: Any, changes: list[str]) -> dict[str, Any]:
    """Judge one attempt as `evaluate` does, by its canonical changes."""
    checks = [check for check in checks if check.get("kind") != "judge"]
    if not checks:
        return {"outcome": "error", "results": [], "detail": "no checks"}
    unknown = sorted({check["type"] for check in checks} - set(_JUDGES))
    if unknown:
        return {"outcome": "error", "results": [], "detail": f"unknown check type: {', '.join(unknown)}"}
    results = []
    for check in checks:
        detail = _JUDGES[check["type"]](check["spec"], answer, changes)
        results.append({"check_id": check["id"], "passed": not detail, "detail": detail})
    failed = [result["check_id"] for result in results if not result["passed"]]
    return {
        "outcome": "fail" if failed else "pass",
        "results": results,
        "detail": f"failed: {', '.join(failed)}" if failed else "",
    }


def canonical_changes(diff: dict[str, Any], contract: dict[str, Any]) -> list[str]:
    """Flatten a diff into sorted change texts that two right final states share.

    Log tables and clock columns are left out, and a generated key of an inserted row is blanked:
    an extra read shifts clocks, and two creations may come in either order. A column that the
    contract's `references` lead to such a row stands for the row's content instead of its key.
    """
    changes: list[str] = []
    minted = _minted_rows(diff, contract)
    for table in sorted(set(diff) - set(contract.get("log_tables", ()))):
        clocks = set(contract.get("clock_columns", {}).get(table, ()))
        hidden = clocks | {contract.get("generated_keys", {}).get(table)}
        leads = contract.get("references", {}).get(table, {})
        part = diff[table]
        for row in part.get("inserted", ()):
            changes.append(_change(table, "insert", _renamed(row, hidden, leads, minted)))
        for update in part.get("updated", ()):
            new = _renamed(update["new"], clocks, leads, minted)
            if new:
                changes.append(_change(table, "update", {"key": update["key"], "new": new}))
        for row in part.get("deleted", ()):
            changes.append(_change(table, "delete", {k: v for k, v in row.items() if k not in clocks}))
    return sorted(changes)


def _minted_rows(diff: dict[str, Any], contract: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return table → generated key as JSON → the inserted row's text without its key and clocks."""
    minted: dict[str, dict[str, str]] = {}
    for table, key in contract.get("generated_keys", {}).items():
        hidden = {key, *contract.get("clock_columns", {}).get(table, ())}
        rows = diff.get(table, {}).get("inserted", ())
        minted[table] = {_text(row[key]): _change(table, "new", _renamed(row, hidden, {}, {})) for row in rows}
    return minted


def _renamed(
    row: dict[str, Any], hidden: set[str | None], leads: dict[str, str], minted: dict[str, dict[str, str]]
) -> dict[str, Any]:
    """Leave the hidden columns out, and put a minted row's text where a column holds its key."""
    return {
        column: minted.get(leads[column], {}).get(_text(value), value) if column in leads else value
        for column, value in row.items()
        if column not in hidden
    }


def _change(table: str, action: str, content: dict[str, Any]) -> str:
    return _text([table, action, content])


_text = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


def _judge_keys(spec: dict[str, Any], answer: Any, changes: list[str]) -> str:
    if not isinstance(answer, dict):
        return "the answer is not an object"
    if set(answer) != set(spec["fields"]):
        return f"fields are {sorted(map(str, answer))}, wanted {sorted(spec['fields'])}"
    return ""


def _judge_field(spec: dict[str, Any], answer: Any, changes: list[str]) -> str:
    if not isinstance(answer, dict) or spec["field"] not in answer:
        return f"{spec['field']} is missing"
    if same_value(answer[spec["field"]], spec["expected"], spec):
        return ""
    return f"{spec['field']} is not the expected value"


def _judge_state_change(spec: dict[str, Any], answer: Any, changes: list[str]) -> str:
    missing = Counter(spec["expected"]) - Counter(changes)
    return f"{missing.total()} required change(s) missing" if missing else ""


def _judge_nothing_else(spec: dict[str, Any], answer: Any, changes: list[str]) -> str:
    extra = Counter(changes) - Counter(spec["expected"])
    return f"{extra.total()} change(s) that were not asked for" if extra else ""


_JUDGES = {
    "answer_keys": _judge_keys,
    "answer_field": _judge_field,
    "state_change": _judge_state_change,
    "nothing_else": _judge_nothing_else,
}


def same_value(given: Any, expected: Any, spec: dict[str, Any]) -> bool:
    """Compare by type: {type, item_type, ordered, tolerance}.

    Numbers may come as text; text is compared without case and outer space; a datetime at
    midnight equals its date; lists compare in order, or as multisets where order does not count.
    """
    kind = spec["type"]
    if expected is None or given is None:
        return given is None and expected is None
    if kind == "list":
        return _same_list(given, expected, {**spec, "type": spec.get("item_type") or "text"}, spec.get("ordered", True))
    if kind == "boolean":
        return isinstance(given, bool) and given == bool(expected)
    if kind in ("integer", "number"):
        number, wanted = _number(given), _number(expected)  # both are answers where two of them are compared
        if number is None or wanted is None:
            return False
        return abs(number - wanted) <= float(spec.get("tolerance") or 0.0) + 1e-9
    if not isinstance(given, str):
        return False
    if kind in ("date", "datetime"):
        return _moment(given) == _moment(str(expected))
    return _fold(given) == _fold(str(expected))


def _same_list(given: Any, expected: list[Any], spec: dict[str, Any], ordered: bool) -> bool:
    if not isinstance(given, list) or len(given) != len(expected):
        return False
    if ordered:
        return all(same_value(a, b, spec) for a, b in zip(given, expected, strict=True))
    rest = list(given)
    for wanted in expected:
        match = next((index for index, item in enumerate(rest) if same_value(item, wanted, spec)), None)
        if match is None:
            return False
        del rest[match]
    return True


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value.replace(",", "") if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _moment(text: str) -> str:
    text = text.strip().replace(" ", "T").removesuffix("Z")
    return text.removesuffix("T00:00:00")


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())
