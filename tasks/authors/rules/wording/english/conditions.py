"""Conditions on the row at hand: as clauses ('its crew has at least 3 …') and as relatives ('whose balance is …')."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.plans import ITEM, Condition, Entry, Look, Ruled, Said, Total
from schemas.profiles import ColumnProfile
from tasks.authors.rules.wording.english import grammar, phrases
from tasks.authors.rules.wording.english.nouns import Nouns

NUMBER = ColumnProfile(name="number", type="integer", role="measure", nullable=False, distinct=0, words="number")


class Conditions:
    """Says conditions on rows of one table; `group`: the column that an entry of a document names, instead of a row."""

    def __init__(self, nouns: Nouns, table: str, group: str | None = None) -> None:
        self._nouns, self._table, self._group = nouns, table, group

    def clause(self, when: Sequence[Condition], *, plural: bool = False) -> str:
        """Write conditions as a clause about 'it', or about 'they'."""
        return " and ".join(self._clause(each, plural=plural) for each in when)

    def relative(self, when: Sequence[Condition], *, plural: bool = True) -> str:
        """Write conditions to stand after a noun or after 'those'."""
        return " and ".join(self._relative(each, plural=plural) for each in when)

    def left(self, look: Look) -> str:
        """Name a value of the row at hand."""
        return self._nouns.value(look, self._table)

    def topic(self, condition: Condition, owner: str) -> str | None:
        """Name the value that a condition is about, for sentences that say first what decides; None: it has no name."""
        left = condition.left
        if not isinstance(left, Look) or left.thing != ITEM or phrases.is_count(self._column(condition)):
            return None
        return self._nouns.value(left, self._table, owner)

    def bound(self, condition: Condition) -> str:
        """Write what the left side of a condition is compared with."""
        return self._bound(condition, self._column(condition))

    # --- clauses --------------------------------------------------------------------------

    def _clause(self, condition: Condition, *, plural: bool) -> str:
        left, column = condition.left, self._column(condition)
        if isinstance(left, Entry):
            return f"{self._nouns.entry(left)} is {self._bound(condition, column)}"
        if isinstance(left, Total):
            return self._total_clause(condition, left, plural=plural)
        counted = self._counted(condition, column)
        owner = "their" if plural else "its"
        if counted is not None and (left.thing != ITEM or self._nouns.voice.chance(0.6)):
            row = self._row(left, owner)
            has = "have" if plural and row == "they" else "has"
            return f"{row} {has} {counted}"
        name = self._nouns.value(left, self._table, owner)
        return f"{name} {grammar.be(phrases.measured(column))} {self._bound(condition, column)}"

    def _row(self, left: Look, owner: str) -> str:
        if left.thing == ITEM:
            row = self._nouns.row(self._table, left.hops, owner)
            return {"its": "it", "their": "they"}.get(row, row)
        return self._nouns.row(self._nouns.plan.things[left.thing].table, left.hops, self._nouns.thing(left.thing))

    def _total_clause(self, condition: Condition, left: Total, *, plural: bool) -> str:
        return f"{self._about(left, 'them' if plural else 'it')} is {self._bound(condition, NUMBER)}"

    def _about(self, total: Total, row: str) -> str:
        """Name a figure over rows: those that refer to the row at hand, or that share the group that an entry names."""
        if total.reference is None:
            return self._nouns.total(total)
        noun, after = self._nouns.filtered(total.table, total.filters, plural=True)
        name = self._nouns.over(total.function, total.table, total.measure) if total.measure is not None else ""
        figure = f"the {name} of the {noun}{after}" if name else f"the number of {noun}{after}"
        if self._group is not None:
            words = self._nouns.vocabulary.column(total.table, total.reference).words
            return f"{figure} with that {words}"
        joint = " and" if " whose " in after else ""
        role = self._nouns.role_of(total)
        return f"{figure}{joint} {'that belong to' if role is None else f'whose {role} is'} {row}"

    # --- relatives ------------------------------------------------------------------------

    def _relative(self, condition: Condition, *, plural: bool) -> str:
        left, column = condition.left, self._column(condition)
        if not isinstance(left, Look) or left.thing != ITEM:
            return f"where {self._clause(condition, plural=False)}"
        have = "have" if plural else "has"
        counted = self._counted(condition, column)
        if not self._nouns.roles(self._table, left.hops):
            if counted is not None and self._nouns.voice.chance(0.7):
                return f"that {have} {counted}"
            name = phrases.measured(column)
            return f"whose {name} {grammar.be(name)} {self._bound(condition, column)}"
        row = self._row_of(left)
        if row is None:
            return f"where {self._clause(condition, plural=False)}"
        if counted is not None:
            return f"whose {row} has {counted}"
        name = phrases.measured(column)
        if column.role == "measure" and not grammar.is_plural(name) and self._nouns.voice.chance(0.5):
            return f"whose {row} has {grammar.a(name)} of {self._bound(condition, column, of=True)}"
        return f"whose {row}’s {name} {grammar.be(name)} {self._bound(condition, column)}"

    def _row_of(self, left: Look) -> str | None:
        """Name the row that hops lead to as possessives: 'ball park’s score'; None where that does not read well."""
        roles = self._nouns.roles(self._table, left.hops)
        if any(" of " in role or role.endswith("s") for role in roles):
            return None
        return "’s ".join(roles)

    # --- sides ----------------------------------------------------------------------------

    def _column(self, condition: Condition) -> ColumnProfile:
        left = condition.left
        if isinstance(left, Look):
            table = self._table if left.thing == ITEM else self._nouns.plan.things[left.thing].table
            return self._nouns.column(left.hops[-1].table if left.hops else table, left.column)
        if isinstance(left, Total) and left.measure is not None:
            return self._nouns.vocabulary.column(left.table, left.measure)
        right = condition.right
        dated = isinstance(right, Said) and isinstance(right.value, str)
        return NUMBER.model_copy(update={"role": "time", "type": "date"}) if dated else NUMBER

    def _counted(self, condition: Condition, column: ColumnProfile) -> str | None:
        """Write a bound and what is counted, where the column counts things: 'at least 3 tickets in hand'."""
        right = condition.right
        if not isinstance(right, Said) or not phrases.is_count(column):
            return None
        return phrases.counted(self._nouns.voice, condition.comparator, right.value, column.words)

    def _bound(self, condition: Condition, column: ColumnProfile, *, of: bool = False) -> str:
        right, nouns = condition.right, self._nouns
        stated = isinstance(right, Said)
        if isinstance(right, Said):
            said = phrases.value(right.value, column)
        elif isinstance(right, Ruled):
            said = nouns.ruled(right)
        elif isinstance(right, Look):
            said = nouns.value(right, self._table)
        elif isinstance(right, Entry):
            said = nouns.entry(right)
        else:
            said = self._about(right, "it")
        return phrases.bound(nouns.voice, column, condition.comparator, said, stated=stated, of=of)
