"""Work a plan out by calls, apart from any lowering: the second implementation that a gold run is compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.plans import (
    Act,
    Asked,
    Branch,
    Condition,
    Difference,
    Entry,
    Figure,
    Group,
    Lead,
    Needed,
    Outcome,
    Pass,
    Plan,
    Rest,
    Total,
    Value,
)
from tasks.verification.reading.naming import plain_field
from tasks.verification.reading.records import Records, Refused, Unsolvable, meets
from tasks.verification.reading.selection import Chosen, Item, Selection, aggregate
from tasks.verification.reading.tools import PublicTool
from tasks.verification.reading.vocabulary import Vocabulary


def solve(plan: Plan, tools: Sequence[PublicTool], call: Callable[..., Any]) -> dict[str, Any]:
    """Return the answer; what the plan writes is written by `call(tool, arguments)`.

    Raise Unsolvable where the tools do not give it, Ambiguous where the plan leaves a choice.
    """
    return Solver(plan, Records(Vocabulary(tools), call)).run()


@dataclass(frozen=True)
class Taken:
    """Which branch took an item, and what the figures look at: by the place of the asked field."""

    branch: int
    seen: dict[int, Any]


class Solver:
    """One plan on its way."""

    def __init__(self, plan: Plan, records: Records) -> None:
        self.plan = plan
        self.selection = Selection(records)
        self.records = records
        self.taken: list[list[Taken]] = []
        self.whole: dict[int, str] = {}
        self.needed: dict[int, int] = {}
        self.deeds: list[str] = []
        self.looks = [(place, group) for place, group in enumerate(_groups(plan)) if group.look is not None]

    def run(self) -> dict[str, Any]:
        """Do what the plan wants in its order, then answer."""
        for thing in self.plan.things:
            self.selection.add(thing)
        self.act()
        return self.tell()

    def act(self) -> None:
        """Go through the passes and do the deeds."""
        for place, each in enumerate(self.plan.passes):
            self.taken.append(self._pass(place, each))
        for deed in self.plan.deeds:
            refusal = self._try([deed.act], None, None)
            if refusal is not None and not deed.attempt:
                raise Unsolvable(f"{deed.act.tool} was refused: {refusal}")
            self.deeds.append(refusal or "done")

    def tell(self) -> dict[str, Any]:
        """Return the answer."""
        return {asked.name: self._answer(asked) for asked in self.plan.asked}

    # --- what is done -----------------------------------------------------------------------

    def _pass(self, place: int, each: Pass) -> list[Taken]:
        items = self.selection.items(each.source)
        if each.whole:
            return self._whole(place, each, items)
        if each.demand is not None:
            return self._spread(place, each, items)
        return [self._settle(place, each.branches, item) for item in items]

    def _settle(self, place: int, branches: Sequence[Branch], item: Item) -> Taken:
        """Let the first branch that fits take the item; what none takes counts as of a branch after the last."""
        for number, branch in enumerate(branches):
            if not self._fits(branch, item):
                continue
            seen = self._see(place, number, item)
            refusal = self._try(branch.acts, item, None)
            if refusal is None:
                return Taken(number, seen)
            if not branch.attempt:
                raise Unsolvable(f"{branch.acts[0].tool} was refused: {refusal}")
        return Taken(len(branches), self._see(place, len(branches), item))

    def _whole(self, place: int, each: Pass, items: list[Item]) -> list[Taken]:
        fitting = [self._fits(each.branches[0], item) for item in items]
        if all(fitting):
            self.whole[place] = "done"
            return [self._settle(place, each.branches, item) for item in items]
        self.whole[place] = "not_all"
        branches = [0 if fits else 1 for fits in fitting]
        return [Taken(n, self._see(place, n, item)) for n, item in zip(branches, items, strict=True)]

    def _spread(self, place: int, each: Pass, items: list[Item]) -> list[Taken]:
        assert each.demand is not None
        needed, taken = each.demand.amount, []
        for item in items:
            left = self.selection.look(each.demand.left, item) or 0
            if needed > 0 and left > 0 and self._fits(each.branches[0], item):
                amount = min(left, needed)
                taken.append(Taken(0, self._see(place, 0, item)))
                refusal = self._try(each.branches[0].acts, item, amount)
                if refusal is not None:
                    raise Unsolvable(f"{each.branches[0].acts[0].tool} was refused: {refusal}")
                needed -= amount
        self.needed[place] = needed
        return taken

    def _fits(self, branch: Branch, item: Item) -> bool:
        return all(self._holds(condition, item) for condition in branch.when)

    def _holds(self, condition: Condition, item: Item) -> bool:
        left, right = self._value(condition.left, item), self._value(condition.right, item)
        return meets(left, condition.comparator, right)

    def _try(self, acts: Sequence[Act], item: Item | None, rest: int | None) -> str | None:
        """Call the acts; return the code of a refusal."""
        for act in acts:
            try:
                self.records.ask(act.tool, **self._arguments(act, item, rest))
            except Refused as refusal:
                return refusal.code
        return None

    def _arguments(self, act: Act, item: Item | None, rest: int | None) -> dict[str, Any]:
        """Return what the tool is called with; one that edits a document gets its path and the name of its column."""
        arguments = {name: self._value(value, item, rest) for name, value in act.arguments.items()}
        title = act.document or (item.document if item is not None else None)
        documents = self.selection.documents
        if title is not None and "path" in self.records.vocabulary.tools[act.tool].required:
            arguments["path"] = documents.path(title)
            if "column" in arguments:
                arguments["column"] = documents.column(title, arguments["column"])
        return arguments

    def _value(self, value: Value, item: Item | None, rest: int | None = None) -> Any:
        if isinstance(value, Rest):
            return rest
        if isinstance(value, Entry):
            if item is None:
                raise Unsolvable("an entry's field stands outside a pass")
            return item.entry.get(plain_field(value.field))
        if isinstance(value, Total):
            return self.selection.total(value, self._own(value, item), item)
        return self.selection.constant(value, item)

    def _own(self, total: Total, item: Item | None) -> Any:
        """Return what a total's reference holds for the item: its key, or the value that the entry names."""
        if total.reference is None or item is None:
            return None
        key = self.records.table(item.table).key
        return item.row[key] if key in item.row else item.row.get(total.reference)

    # --- what is answered -------------------------------------------------------------------

    def _see(self, place: int, branch: int, item: Item) -> dict[int, Any]:
        """Return what the groups of a branch look at, before its acts."""
        return {
            number: self._value(group.look, item)
            for number, group in self.looks
            if group.look is not None and (group.pass_, group.branch) == (place, branch)
        }

    def _answer(self, asked: Asked) -> Any:
        value = self._figure(asked.figure)
        if asked.digits is not None and isinstance(value, int | float):
            return self.rounded(value, asked.digits)
        return value

    def rounded(self, value: float, digits: int) -> float:
        """Return a number to so many decimals, halves to the even one."""
        return round(value, digits)

    def _figure(self, figure: Figure) -> Any:
        if isinstance(figure, Group):
            return self._group(figure)
        if isinstance(figure, Difference):
            return self._figure(figure.left) - self._figure(figure.right)
        if isinstance(figure, Lead):
            chosen = self.selection.things[figure.thing]
            assert isinstance(chosen, Chosen)
            first, second = chosen.figures[0], chosen.figures[1]
            return abs(first - second) if figure.over_next else first
        if isinstance(figure, Needed):
            return self.needed[figure.pass_]
        if isinstance(figure, Outcome):
            state = self.whole[figure.pass_] if figure.pass_ is not None else self.deeds[figure.deed or 0]
            if state not in figure.words:
                raise Unsolvable(f"the request has no word for {state}")
            return figure.words[state]
        return self._value(figure, None)

    def _group(self, group: Group) -> Any:
        members = [each for each in self.taken[group.pass_] if each.branch == group.branch]
        if group.look is None:
            return len(members)
        number = next(number for number, each in self.looks if each == group)
        values = [each.seen[number] for each in members]
        return values if group.function is None else aggregate(group.function, values)


def _groups(plan: Plan) -> list[Group]:
    """Return the groups that the answer has figures of."""
    found = []
    for asked in plan.asked:
        sides = [asked.figure]
        if isinstance(asked.figure, Difference):
            sides = [asked.figure.left, asked.figure.right]
        found += [side for side in sides if isinstance(side, Group)]
    return found
