"""Rows that a plan describes: by name, by rank, by way of another one, or as the best of several."""

from __future__ import annotations

from schemas.plans import Best, Thing
from schemas.programs import (
    Append,
    Compare,
    Const,
    Distinct,
    Expression,
    Filter,
    NewList,
    Ref,
    Sort,
)
from tasks.authors.rules.lowering.rows import Row
from tasks.authors.rules.lowering.values import Item, Values
from tasks.authors.rules.lowering.writer import CannotLower


class Things:
    """Finds the things of a plan; `ranked` are the figures of each Best, in order, by its place."""

    def __init__(self, values: Values) -> None:
        self._values, self._writer = values, values.writer
        self._catalog = values.writer.catalog
        self.ranked: dict[int, Ref] = {}

    def find(self, thing: Thing | Best) -> None:
        """Find the next thing."""
        place = len(self._values.things)
        row = self._best(thing, place) if isinstance(thing, Best) else self._thing(thing)
        self._values.things.append(row)

    def _thing(self, thing: Thing) -> Row:
        table, values = self._catalog.table(thing.table), self._values
        if thing.of is not None:
            return values.rows.follow(values.things[thing.of[0]], (thing.of[1],))
        if thing.name is not None:
            name = thing.name
            return Row(
                table,
                {str(table.label): Const(value=name)},
                find=lambda: self._named(thing.table, Const(value=name)),
                depth=self._writer.depth,
            )
        if thing.order is None:
            raise CannotLower(f"nothing says which of the {table.plural} is meant")
        found = values.selection.ranked(table, values.bounds(thing.filters), thing.order, thing.rank + 1)
        known = {f.column: value for f, value in values.bounds(thing.filters) if f.comparator == "is"}
        shown: dict[str, Expression] = {
            c: Ref(name=found.page.name, path=("items", thing.rank, c)) for c in found.shown
        }
        return Row(table, known | shown, moment=self._writer.moment)

    def _named(self, table: str, name: Expression) -> dict[str, Expression]:
        found = self._values.selection.named(self._catalog.table(table), name)
        return {column: Ref(name=found.page.name, path=("items", 0, column)) for column in found.shown}

    def named(self, table: str, name: Expression) -> Row:
        """Return the row that is called by a name, which is looked for once something else than the name is asked."""
        profile = self._catalog.table(table)
        return Row(
            profile,
            {str(profile.label): name},
            find=lambda: self._named(table, name),
            item=True,
            depth=self._writer.depth,
        )

    # --- the best of several --------------------------------------------------------------

    def _best(self, best: Best, place: int) -> Row:
        table = self._catalog.table(best.table)
        field, column = ("key", table.key) if best.group is None else ("group", best.group)
        ranked = self._rank_one_by_one(best) if best.group is None else self._rank_groups(best, best.group)
        self.ranked[place] = ranked
        return Row(table, {column: Ref(name=ranked.name, path=(0, field))}, item=best.group is not None)

    def _rank_groups(self, best: Best, group: str) -> Ref:
        """Take the figures of all groups by one call, and keep those of the candidates."""
        groups = self._values.selection.groups(best.by, self._values.bounds(best.by.filters), group)
        bind, item = self._writer.name("candidates"), self._writer.name("candidate")
        self._writer.add(NewList(bind=bind))
        with self._writer.loop(item, Const(value=list(best.candidates)), ()):
            figure = self._figure_of(Ref(name=item), groups)
            self._writer.add(Append(to=bind, record={"group": Ref(name=item), "figure": figure}))
        return self._ordered(bind, best.descending)

    def _figure_of(self, group: Expression, groups: Ref) -> Expression:
        """Take the figure of one group out of those of all."""
        bind = self._writer.name("same")
        same = Compare(operator="==", left=Ref(name="item", path=("group",)), right=group)
        self._writer.add(Filter(bind=bind, over=groups, where=same))
        return Ref(name=bind, path=(0, "value"))

    def _rank_one_by_one(self, best: Best) -> Ref:
        """Find each candidate; its figure comes out of one call for all, where figures are grouped by candidates."""
        bind, item, by = self._writer.name("candidates"), self._writer.name("candidate"), best.by
        grouped = by.reference is not None and self._values.selection.can_group(by.table, by.reference)
        groups = (
            self._values.selection.groups(by, self._values.bounds(by.filters), str(by.reference)) if grouped else None
        )
        self._writer.add(NewList(bind=bind))
        with self._writer.loop(item, Const(value=list(best.candidates)), ()):
            row = self.named(best.table, Ref(name=item))
            key = self._values.rows.value(row, row.table.key)
            figure = self._figure_of(key, groups) if groups else self._values.value(by, Item(row))
            self._writer.add(Append(to=bind, record={"key": key, "figure": figure}))
        return self._ordered(bind, best.descending)

    def _ordered(self, bind: str, descending: bool) -> Ref:
        ranked = self._writer.name("ranked")
        self._writer.add(
            Sort(bind=ranked, over=Ref(name=bind), by=(("figure", descending),)),
            Distinct(over=Ref(name=ranked), path="figure", count=1),
        )
        return Ref(name=ranked)
