"""The oracle of a model's tool: what a call must answer and change, by the tester's SQL over the world as it is before.

The tester states queries, never values: each expected value is what the database answers. A tool and its oracle
are two readings of one design, by two calls that do not see each other's work; where they agree on every call the
design is taken to be met. What both misread in the same way passes: nothing here knows what the design meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.environments import Environment
from schemas.tools import Expectation, TestCase
from tasks.authors.llm.coder.designs import MOST_ITEMS, Spec
from tasks.authors.llm.coder.proposals import AfterQuery, Reference
from tasks.authors.llm.coder.queries import Queries, QueryRefused, Row
from tasks.authors.rules.tools.schemas import Schema
from tasks.mining.statements import quoted
from tasks.verification.expectations import same_value
from tasks.world.schemas import violations

MOST_FOUND = 1_000
"""Rows that a query of refusals may find: it asks whether there is one."""


@dataclass(frozen=True)
class Oracle:
    """A spec and its reference, on one world."""

    environment: Environment
    spec: Spec
    reference: Reference
    queries: Queries

    def problem(self) -> str:
        """Return what the reference lacks, or states of what it may not; "" when it can be asked."""
        reference, tool = self.reference, self.spec.tool
        codes = {refusal.code for refusal in reference.refusals}
        if codes != set(self.spec.refusals):
            return f"refusals are for {sorted(codes)}, the tool's codes are {sorted(self.spec.refusals)}"
        touched = {change.table for change in reference.changes} | {after.table for after in reference.after}
        if tool.read_only and touched:
            return f"{tool.name} only reads, it changes nothing in {', '.join(sorted(touched))}"
        if not tool.read_only and not reference.changes:
            return f"{tool.name} writes: changes must say how many rows of which tables"
        barred = touched - set(self.environment.contract.writable)
        return f"nothing may be changed in {', '.join(sorted(barred))}" if barred else ""

    def expect(self, arguments: Mapping[str, Any]) -> tuple[TestCase, Expectation]:
        """Return what a call with these arguments must come to. Raises QueryRefused when a query says no such thing."""
        values = {name: arguments.get(name) for name in self.spec.tool.input_schema["properties"]}
        for refusal in self.reference.refusals:
            found = self._rows(f"refusal {refusal.code}", refusal.sql, values, MOST_FOUND)
            if found and next(iter(found[0].values())):
                return "refuses", Expectation(error_code=refusal.code, changes={})
        result = self._result(values)
        wrong = violations(result, self.spec.tool.output_schema)
        if wrong:
            raise QueryRefused(f"fields or items break the result's schema: {'; '.join(wrong[:3])}")
        expectation = Expectation(
            result=self._paths(result),
            changes=None if self.spec.tool.read_only else self._changes(values),
            after=self._after(values),
        )
        bare = result.get("items") == [] or all(value is None for value in result.values())
        return "edge" if bare else "works", expectation

    def _result(self, values: Row) -> dict[str, Any]:
        """Return the whole result."""
        result: dict[str, Any] = {}
        if self.spec.result:
            rows = self._rows("fields", self.reference.fields, values, 1)
            if len(rows) != 1:
                raise QueryRefused("fields must find one row, whatever the arguments")
            result |= _shaped(rows[0], self.spec.result, "fields")
        if self.spec.item is not None:
            rows = self._rows("items", self.reference.items, values, MOST_ITEMS)
            result["items"] = [_shaped(row, self.spec.item, "items") for row in rows]
        return result

    def _paths(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result as an expectation's paths: single values, and each field of all rows."""
        paths = {name: value for name, value in result.items() if name != "items"}
        for name in self.spec.item or ():
            paths[f"items.*.{name}"] = [row[name] for row in result["items"]]
        return paths

    def _changes(self, values: Row) -> dict[str, dict[str, int]]:
        changes: dict[str, dict[str, int]] = {}
        for change in self.reference.changes:
            count = self._value(f"changes of {change.table}", change.sql, values)
            if not isinstance(count, int) or count < 0:
                raise QueryRefused(f"changes of {change.table}: {count!r} is no number of rows")
            kinds = changes.setdefault(change.table, {})
            kinds[change.kind] = kinds.get(change.kind, 0) + count
        return changes

    def _after(self, values: Row) -> dict[str, Any]:
        """Return the values that cells have in the end, of those that get another one."""
        after = {}
        for query in self.reference.after:
            key = self._value("after: key_sql", query.key_sql, values)
            value = self._value("after: value_sql", query.value_sql, values)
            if key is not None and not self._has(query, key, value):
                after[f"{query.table}.{key}.{query.column}"] = value
        return after

    def _has(self, query: AfterQuery, key: Any, value: Any) -> bool:
        """Tell whether a cell has a value before the call: then nothing shows that it was written."""
        table = self.environment.profile.table(query.table)
        select = f"SELECT {quoted(query.column)} AS value FROM {quoted(table.name)} WHERE {quoted(table.key)} = :key"
        rows = self._rows("after", select, {"key": key}, 1)
        return bool(rows) and same_value(rows[0]["value"], value)

    def _value(self, what: str, sql: str, values: Row) -> Any:
        rows = self._rows(what, sql, values, 1)
        if len(rows) != 1 or len(rows[0]) != 1:
            raise QueryRefused(f"{what}: must find one value")
        return next(iter(rows[0].values()))

    def _rows(self, what: str, sql: str, values: Row, most: int) -> list[Row]:
        try:
            return self.queries.rows(sql, values, most)
        except QueryRefused as refused:
            raise QueryRefused(f"{what}: {refused}") from refused


def _shaped(row: Row, fields: Schema, what: str) -> Row:
    """Return a row with the fields of a schema, in its order; SQL has no booleans of its own."""
    if set(row) != set(fields):
        raise QueryRefused(f"{what}: columns are {sorted(row)}, must be called {sorted(fields)}")
    return {
        name: bool(row[name]) if _is_boolean(schema) and row[name] in (0, 1) else row[name]
        for name, schema in fields.items()
    }


def _is_boolean(schema: Schema) -> bool:
    return schema["type"] == "boolean" or schema["type"] == ["boolean", "null"]
