"""Specs of the tools of an operational overlay: views of its state, creations, updates, transitions."""

from __future__ import annotations

from typing import Any

from schemas.profiles import WorldProfile
from schemas.tools import Operation, Tool
from tasks.authors.rules.overlays.names import host_reference
from tasks.authors.rules.tools.schemas import Schema, object_schema, row_schema, value_schema, with_domain


class WriteTools:
    """Tool specs about one writable table of an archetype, over one host table."""

    def __init__(self, profile: WorldProfile, archetype: str, table: str, host: str) -> None:
        self.profile = profile
        self.archetype = archetype
        self.table = profile.table(table)
        self.host = profile.table(host)

    def host_key(self, description: str) -> Schema:
        """Return the schema of an argument that names a row of the host."""
        schema = value_schema(self.host, self.host.key, description)
        return with_domain(schema, self.host.domain(self.host.key))

    def own_key(self) -> Schema:
        """Return the schema of the argument that names the row to change."""
        words = self.table.column(self.table.key).words
        schema = value_schema(
            self.table, self.table.key, f"{words.capitalize()} of the {self.table.singular} to change."
        )
        return with_domain(schema, self.table.domain(self.table.key))

    def status_view(self, name: str, table: str, description: str, computed: dict[str, str]) -> Tool:
        """Return a read tool: a row of `table` by its key, with whole numbers computed from the writable table."""
        viewed = self.profile.table(table)
        key = viewed.key
        argument = value_schema(viewed, key, f"{viewed.column(key).words.capitalize()} to look up.")
        extra: dict[str, Schema] = {
            word: {"type": "integer", "description": f"{text[0].upper()}{text[1:]}."} for word, text in computed.items()
        }
        return Tool(
            name=name,
            description=description,
            operation="get",
            read_only=True,
            input_schema=object_schema({key: with_domain(argument, viewed.domain(key))}),
            output_schema=row_schema(viewed, extra),
            intent={"table": table, "archetype": self.archetype, "computed": sorted(computed)},
        )

    def create(self, name: str, description: str, arguments: dict[str, Schema], to: str, refusals: list[str]) -> Tool:
        """Return a tool that adds a row with status `to`."""
        return self._write(name, "create", "create", description, arguments, [], to, refusals)

    def transition(
        self,
        name: str,
        action: str,
        description: str,
        source: list[str],
        to: str,
        arguments: dict[str, Schema] | None = None,
        refusals: list[str] | None = None,
    ) -> Tool:
        """Return a tool that takes a row from one of the statuses `source` to `to`."""
        codes = ["not_found", "invalid_transition", *(refusals or [])]
        return self._write(name, action, "transition", description, self._keyed(arguments), source, to, codes)

    def update(
        self,
        name: str,
        action: str,
        description: str,
        arguments: dict[str, Schema],
        source: list[str],
        refusals: list[str],
    ) -> Tool:
        """Return a tool that changes a row in one of the statuses `source` and leaves the status."""
        codes = ["not_found", "invalid_transition", *refusals]
        return self._write(name, action, "update", description, self._keyed(arguments), source, None, codes)

    def _keyed(self, arguments: dict[str, Schema] | None) -> dict[str, Schema]:
        return {self.table.key: self.own_key(), **(arguments or {})}

    def _write(
        self,
        name: str,
        action: str,
        operation: Operation,
        description: str,
        arguments: dict[str, Schema],
        source: list[str],
        to: str | None,
        refusals: list[str],
    ) -> Tool:
        intent: dict[str, Any] = {
            "table": self.table.name,
            "archetype": self.archetype,
            "action": action,
            "from": source,
            "to": to,
            "host": self.host.name,
            "host_key": host_reference(self.table, self.host.name),
            "refusals": refusals,
        }
        return Tool(
            name=name,
            description=description,
            operation=operation,
            read_only=False,
            input_schema=object_schema(arguments),
            output_schema=row_schema(self.table),
            intent=intent,
        )
