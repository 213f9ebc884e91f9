"""Conditions on rows and acts upon them, in Chinese: 起飞延误超过30分钟的, 应取消."""

from __future__ import annotations

import re

from schemas.plans import ITEM, Act, Condition, Entries, Entry, Look, Rest, Said, Source, Total, Value
from schemas.profiles import ColumnProfile
from tasks.authors.rules.drafts.operations import COUNTED
from tasks.authors.rules.wording.chinese import terms, values
from tasks.authors.rules.wording.chinese.mentions import Mentions
from tasks.authors.rules.wording.worded import NoWords

DEMANDED = "N"
"""What a pass that spreads a demand calls the amount that it places on a row."""

MODALS = ("应", "需要", "要", "应当", "须")
LONGEST_SHORT = 36
"""Characters of what happened to rows, where the report names them by it."""


class Acts:
    """Says conditions and acts about the row at hand, which `item` takes up; `source` is what the pass goes through."""

    def __init__(self, mentions: Mentions, source: Source | None = None) -> None:
        self._mentions, self._source = mentions, source
        self.table = source.table if source else ""
        self.item = mentions.item(self.table) if source else ""

    # --- conditions -----------------------------------------------------------------------

    def conditions(self, when: tuple[Condition, ...]) -> str:
        """Say what must hold of the row, as a clause whose subject it is: 起飞延误超过30分钟、且状态为“open”."""
        return "，且".join(self._condition(each) for each in when)

    def _condition(self, each: Condition) -> str:
        column, left = self._compared(each.left), self._side(each.left)
        right = self._mentions.value(each.right, column, self.table, self._owner(each.right))
        if not isinstance(each.right, Said) and each.comparator in ("is", "is_not"):
            return f"{left}与{right}{'一致' if each.comparator == 'is' else '不一致'}"
        return f"{left}{values.compared(column, each.comparator, right, self._mentions.rng)}"

    def _side(self, left: Look | Total | Entry) -> str:
        match left:
            case Look():
                return self._mentions.look(left, self.table, "")
            case Total():
                return self._mentions.total(left, self._owner(left))
            case Entry():
                return self._mentions.entry(left)

    def _owner(self, value: Value) -> str:
        if not isinstance(value, Total):
            return "其"
        listed = isinstance(self._source, Entries) and self._source.column == value.reference
        return "该条目" if listed else self.item

    def _compared(self, left: Look | Total | Entry) -> ColumnProfile:
        match left:
            case Look():
                table = self._mentions.plan.things[left.thing].table if left.thing != ITEM else self.table
                return self._mentions.vocabulary.column(left.hops[-1].table if left.hops else table, left.column)
            case Total(measure=str() as measure):
                return self._mentions.vocabulary.column(left.table, measure)
        return COUNTED

    def look(self, look: Look) -> str:
        """Mention a value of the row at hand."""
        return self._mentions.look(look, self.table, "其")

    # --- acts -----------------------------------------------------------------------------

    def wish(self, acts: tuple[Act, ...], modal: str) -> str:
        """Say that acts are to be done with the row at hand, named just before, or with others: 应取消, 工单甲应取消."""
        return "，并".join(self._act(act, modal) for act in acts)

    def short(self, acts: tuple[Act, ...]) -> str | None:
        """Name what happened to rows, to stand before 的: 取消; None where that takes more than a few words."""
        if len(acts) != 1 or not self._is_item(acts[0]):
            return None
        ways = terms.row_actions(self._mentions.vocabulary.tool(acts[0].tool))
        said = self._filled(acts[0], ways[0]) if ways else ""
        if not 0 < len(said) <= LONGEST_SHORT:
            return None
        lead = "" if said.startswith("的") else self._mentions.rng.choice(("实际", "最终"))
        return lead + said.removeprefix("的")

    def _act(self, act: Act, modal: str) -> str:
        tool = self._mentions.vocabulary.tool(act.tool)
        ways = terms.row_actions(tool)
        if not ways:
            return modal + self._filled(act, self._mentions.rng.choice(terms.deeds(tool)))
        said = self._filled(act, self._mentions.rng.choice(ways))
        if self._is_item(act):
            return f"{modal}将{said.removeprefix('的')}" if said.startswith("的") else modal + said
        key = act.arguments[str(tool.intent["row"])]
        if not isinstance(key, Look):
            raise NoWords(f"{act.tool} is not about a row that can be mentioned")
        row = self._mentions.row(key, self.table, self.item)
        is_topic = modal and not said.startswith(("的", "交由", "以"))
        return f"{row}{modal}{said}" if is_topic else f"{modal}将{row}{said}"

    def _is_item(self, act: Act) -> bool:
        row = self._mentions.vocabulary.tool(act.tool).intent.get("row")
        key = act.arguments.get(row) if row else None
        return isinstance(key, Look) and key.thing == ITEM and not key.hops

    def _filled(self, act: Act, pattern: str) -> str:
        def put(slot: re.Match[str]) -> str:
            if slot[1] == "document":
                return act.document or (self._source.document if isinstance(self._source, Entries) else "")
            return self._argument(act, slot[1])

        return re.sub(r"\{(\w+)\}", put, pattern)

    def _argument(self, act: Act, name: str) -> str:
        value = act.arguments.get(name)
        match value:
            case Said():
                return str(values.value(value.value)).strip("“”")
            case Rest():
                return DEMANDED
            case Entry():
                return "该条目"
            case Look() if name in self._keys(act):
                return self._mentions.row(value, self.table, self.item)
            case None:
                raise NoWords(f"{act.tool} is not told {name}")
        return self._mentions.value(value, None, self.table, self._owner(value))

    def _keys(self, act: Act) -> set[str]:
        properties = self._mentions.vocabulary.tool(act.tool).input_schema["properties"]
        return {name for name, schema in properties.items() if "x-domain" in schema}
