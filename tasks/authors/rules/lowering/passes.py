"""Passes: a loop over the rows of a source, in which the first branch that fits a row takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeGuard

from schemas.plans import ITEM, Act, Branch, Condition, Demand, Entry, Group, Look, Pass, Ruled, Said, Total, Value
from schemas.programs import (
    Aggregate,
    Append,
    Arithmetic,
    Both,
    Compare,
    Const,
    Expression,
    If,
    Let,
    NewList,
    Ref,
    Refused,
)
from schemas.programs import Condition as Test
from schemas.tools import Tool
from tasks.authors.rules.lowering.sources import Sources
from tasks.authors.rules.lowering.values import Item, Values

Block = Callable[[], None]
"""Writes a block of statements."""
Taken = dict[tuple[int, int], str]
"""(pass, branch) → the list of what the branch took; the branch after the last one is of what none took."""


class Passes:
    """Writes the passes of a plan; `noted` are the figures that are asked of each branch."""

    def __init__(self, values: Values, sources: Sources, noted: dict[tuple[int, int], list[Look | Entry]]) -> None:
        self._values, self._sources, self._noted = values, sources, noted
        self._writer = values.writer
        self.taken: Taken = {}
        self.needed: dict[int, Ref] = {}
        self.held: dict[int, Test] = {}

    def write(self, each: Pass, place: int) -> None:
        """Write one pass."""
        acts = [self._tool(act) for branch in each.branches for act in branch.acts]
        self._read_ahead(each, acts)
        for branch in range(len(each.branches) + 1):
            if (place, branch) in self._noted or each.whole:
                self.taken[place, branch] = self._writer.name("taken")
                self._writer.add(NewList(bind=self.taken[place, branch]))
        if each.demand is not None:
            self._spread(each, each.demand, place, acts)
        elif each.whole:
            self._whole(each, place, acts)
        else:
            with self._sources.items(each.source, acts) as item:
                self._take(each, place, 0, item)

    def _tool(self, act: Act) -> Tool:
        return self._writer.catalog.by_name[act.tool]

    def _read_ahead(self, each: Pass, acts: list[Tool]) -> None:
        """Before a loop, read what is the same in all its rounds; of what it changes, see that it is read when it must."""
        values, written = self._values, self._writer.footprints.written(acts)
        for value in values_of(each):
            match value:
                case Ruled():
                    values.value(value)
                case Look() if value.thing != ITEM:
                    row = values.rows.follow(values.things[value.thing], value.hops)
                    values.rows.foresee(row, value.column, written)
                case Total() if value.reference is None and value.table not in {table for table, _ in written}:
                    values.value(value)

    # --- branches -------------------------------------------------------------------------

    def _take(self, each: Pass, place: int, number: int, item: Item) -> None:
        """Write what happens with an item that no branch before `number` took."""
        if number == len(each.branches):
            self._note(place, number, item)
            return
        branch = each.branches[number]
        if not branch.when:
            self._act(each, place, number, item)
            return
        self._fitting(
            branch.when,
            item,
            lambda: self._act(each, place, number, item),
            lambda: self._take(each, place, number + 1, item),
        )

    def _fitting(self, when: tuple[Condition, ...], item: Item, then: Block, otherwise: Block) -> None:
        """Write a branch on all conditions: those that cost no call first, any other only where those before it hold."""
        free = tuple(condition for condition in when if self._at_hand(condition, item))
        first = free or when[:1]
        rest = tuple(condition for condition in when if condition not in first)
        tests = tuple(self._values.condition(condition, item) for condition in first)
        both = tests[0] if len(tests) == 1 else Both(conditions=tests)
        self._writer.branch(both, (lambda: self._fitting(rest, item, then, otherwise)) if rest else then, otherwise)

    def _at_hand(self, condition: Condition, item: Item) -> bool:
        """Say whether a condition costs no call."""
        if not isinstance(condition.right, Said | Ruled | Entry):
            return False
        match condition.left:
            case Look(thing=thing, hops=(), column=column) if thing == ITEM:
                return item.row is not None and column in item.row.columns
            case left:
                return isinstance(left, Entry)

    def _act(self, each: Pass, place: int, number: int, item: Item) -> None:
        """Write a branch's acts and the note that it took the item; an attempt that is refused goes to the next branch."""
        branch = each.branches[number]
        if branch.attempt:
            self._try(each, place, number, item)
            return
        record = self._record(place, number, item)
        self._do(branch, item)
        self._note(place, number, item, record)

    def _try(self, each: Pass, place: int, number: int, item: Item) -> None:
        """Try a branch's first act. What is noted is read once it was done, unless the row is gone then."""
        first, *others = each.branches[number].acts
        tool = self._tool(first)
        record = self._record(place, number, item) if tool.operation == "delete" else None
        tried = self._writer.write(tool, self._sources.arguments(first, item), may_refuse=True)

        def done() -> None:
            self._writer.wrote(tool)
            noted = record or self._record(place, number, item)
            for act in others:
                self._writer.write(self._tool(act), self._sources.arguments(act, item))
            self._note(place, number, item, noted)

        self._writer.branch(Refused(name=tried.name), lambda: self._take(each, place, number + 1, item), done)

    def _do(self, branch: Branch, item: Item) -> None:
        for act in branch.acts:
            self._writer.write(self._tool(act), self._sources.arguments(act, item))

    def _record(self, place: int, number: int, item: Item) -> dict[str, Expression]:
        """Return what is noted of an item."""
        noted = self._noted.get((place, number), [])
        record = {f"figure_{n}": self._values.value(look, item) for n, look in enumerate(noted)}
        return record or {"": Const(value=1)}

    def _note(self, place: int, number: int, item: Item, record: dict[str, Expression] | None = None) -> None:
        if (place, number) in self.taken:
            self._writer.add(Append(to=self.taken[place, number], record=record or self._record(place, number, item)))

    # --- all or nothing, and demands ------------------------------------------------------

    def _whole(self, each: Pass, place: int, acts: list[Tool]) -> None:
        """First look at every item, and note what the acts need of it; act only where all of them fit."""
        branch = each.branches[0]
        own = [value for act in branch.acts for value in act.arguments.values() if _is_own(value)]
        noted = self._noted[place, 0] = list(dict.fromkeys([*self._noted.get((place, 0), []), *own]))
        with self._sources.items(each.source, []) as item:
            self._fitting(branch.when, item, lambda: self._note(place, 0, item), lambda: self._note(place, 1, item))
        fitting, unfit = (Ref(name=self.taken[place, number]) for number in (0, 1))
        some = Aggregate(function="count", over=unfit)
        self.held[place] = Compare(operator="==", left=some, right=Const(value=0))

        def act() -> None:
            row = Ref(name=self._writer.name("row"))
            known = {look: Ref(name=row.name, path=(f"figure_{n}",)) for n, look in enumerate(noted)}
            with self._writer.loop(row.name, fitting, acts):
                self._do(branch, Item(known=known))

        self._writer.branch(self.held[place], act)

    def _spread(self, each: Pass, demand: Demand, place: int, acts: list[Tool]) -> None:
        """Place on each item as much as is left there, but no more than is still needed."""
        needed, taken = Ref(name=self._writer.name("needed")), Ref(name=self._writer.name("amount"))
        self.needed[place] = needed
        zero = Const(value=0)
        self._writer.add(Let(bind=needed.name, value=Const(value=demand.amount)))
        with self._sources.items(each.source, acts) as item:
            item.rest = taken

            def look() -> None:
                left = self._values.value(demand.left, item)
                less = Compare(operator="<", left=needed, right=left)
                fewer = If(condition=less, then=(Let(bind=taken.name, value=needed),))
                self._writer.add(Let(bind=taken.name, value=left), fewer)
                self._writer.branch(Compare(operator=">", left=taken, right=zero), fill)

            def fill() -> None:
                self._do(each.branches[0], item)
                self._note(place, 0, item)
                self._writer.add(Let(bind=needed.name, value=Arithmetic(operator="-", left=needed, right=taken)))

            self._writer.branch(Compare(operator=">", left=needed, right=zero), look)


def values_of(each: Pass) -> Iterator[Value]:
    """Yield the values in a pass's conditions, arguments and demand, and those that totals in them are narrowed by."""
    values: list[Value] = [each.demand.left] if each.demand else []
    for branch in each.branches:
        values += [side for condition in branch.when for side in (condition.left, condition.right)]
        values += [value for act in branch.acts for value in act.arguments.values()]
    for value in values:
        if isinstance(value, Total):
            yield from (bound.value for bound in value.filters)
        yield value


def _is_own(value: Value) -> TypeGuard[Look | Entry]:
    return isinstance(value, Entry) or (isinstance(value, Look) and value.thing == ITEM)


def noted_figures(groups: list[Group]) -> dict[tuple[int, int], list[Look | Entry]]:
    """Return (pass, branch) → the looks that are asked of what it took, each once."""
    noted: dict[tuple[int, int], list[Look | Entry]] = {}
    for group in groups:
        looks = noted.setdefault((group.pass_, group.branch), [])
        if group.look is not None and group.look not in looks:
            looks.append(group.look)
    return noted
