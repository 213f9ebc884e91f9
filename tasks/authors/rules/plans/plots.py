"""The plan of a walk in the making: what of all that a walk found is told, and how many calls that takes."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

from schemas.plans import Best, Look, Outcome, Plan, Thing, Total
from schemas.programs import Call
from schemas.tools import Tool
from tasks.authors.rules.lowering.footprints import ROWS, Place, reach
from tasks.authors.rules.lowering.lowering import lower
from tasks.authors.rules.lowering.writer import CannotLower
from tasks.authors.rules.plans.attempts import PLAIN, reasons
from tasks.authors.rules.plans.bindings import Kin, Leaf, Walked
from tasks.authors.rules.plans.composing import keeps_apart
from tasks.authors.rules.plans.judging import follow_all
from tasks.authors.rules.plans.kin import go_through
from tasks.authors.rules.plans.sketch import Record, Sketch
from tasks.authors.rules.plans.trials import Trial, calls_inside

FEWEST_THINGS, MOST_THINGS, MOST_DEEDS = 3, 6, 3
"""Described rows that a request may have, from which a number is drawn, and single deeds that it bears."""
Row = tuple[str, Any]
"""A table, and the key of a row of it."""


class Plot:
    """A sketch of a plan that grows by what a walk found; a copy can grow on its own."""

    def __init__(self, walked: Walked, sketch: Sketch) -> None:
        self._walked, self.sketch = walked, sketch
        self._stock = sketch.stock
        self._most_things = sketch.rng.randint(FEWEST_THINGS, MOST_THINGS)
        self._places: dict[int, int] = {}
        self.inside = 0
        """The calls that the rows gone through take."""
        self._gone_through: set[Row] = set()
        self._touched: set[Row] = set()
        self._gone: set[int] = set()
        self._asked: set[int] = set()

    def copy(self) -> Plot:
        """Return a plot that can grow without this one."""
        twin = copy(self)
        twin.sketch, twin._places = self.sketch.copy(), dict(self._places)
        twin._gone_through, twin._touched = set(self._gone_through), set(self._touched)
        twin._gone, twin._asked = set(self._gone), set(self._asked)
        return twin

    def plan(self) -> Plan:
        """Return the plan as it is."""
        return self.sketch.plan()

    @property
    def writes(self) -> bool:
        """Whether anything is written, or tried to be."""
        return bool(self.sketch.deeds) or any(b.acts for each in self.sketch.passes for b in each.branches)

    def calls(self) -> int | None:
        """Return the calls that the plan takes; None where the tools cannot do it, or the same is looked up again."""
        try:
            body = lower(self.plan(), self._stock.catalog).program.body
        except CannotLower:
            return None
        calls = [statement.model_dump_json(exclude={"bind"}) for statement in body if isinstance(statement, Call)]
        return self.inside + len(calls) if len(set(calls)) == len(calls) else None

    # --- things ---------------------------------------------------------------------------

    def news(self, places: Sequence[int]) -> tuple[bool, int]:
        """Return whether some things have to do with what is told, and how many would have to be described for them."""
        needed = self._walked.needed(*places)
        new = needed - set(self._places)
        return len(new) < len(needed), len(new)

    def _tell(self, *places: int) -> bool:
        """Describe things, and those that lead to them; False where that is too many, or a row that a pass looks up."""
        for place in sorted(self._walked.needed(*places) - set(self._places)):
            mention = self._walked.mentions[place]
            thing = moved(self._walked.things[place], self._places)
            self._places[place] = self.sketch.thing(thing, mention.record)
            if (mention.table.name, mention.key) in self._gone_through:
                return False
        return len(self.sketch.things) <= self._most_things

    # --- questions and deeds --------------------------------------------------------------

    def ask(self, leaf: Leaf) -> bool:
        """Add a question; False where it is asked already, or about a row that is gone by then."""
        if self.sketch.full or leaf.look is None or leaf.column is None or self._gone & set(leaf.things):
            return False
        if not self._tell(*leaf.things):
            return False
        self._asked |= set(leaf.things)
        look, asked = moved(leaf.look, self._places), len(self.sketch.asked)
        if isinstance(look, Look):
            self.sketch.ask_look(look, leaf.column, leaf.name)
        else:
            if any(isinstance(a.figure, Total) and a.figure.filters == look.filters for a in self.sketch.asked):
                return False
            self.sketch.ask(leaf.name, look, leaf.column, leaf.function)
        return len(self.sketch.asked) > asked

    def do(self, leaf: Leaf, *, fails: bool) -> bool:
        """Add a deed that no tool refuses, or one that is refused for a reason worth telling; False where it is not so."""
        if leaf.deed is None or len(self.sketch.deeds) == MOST_DEEDS or self._touched & set(leaf.rows):
            return False
        tool = self._stock.catalog.by_name[leaf.deed.act.tool]
        gone = set(leaf.things) if tool.operation == "delete" else set()
        if not self._tell(*leaf.things) or self._disturbs(tool) or gone & self._asked:
            return False
        deed = moved(leaf.deed, self._places).model_copy(update={"attempt": fails})
        trial = Trial(self._stock, self.sketch.state, self.sketch.known_things())
        code = trial.do(deed.act, "", {})
        if (code is None) == fails or code in PLAIN:
            return False
        self.sketch.state = trial.state
        self.sketch.deeds.append(deed)
        if fails:
            self.sketch.ask_word("outcome", Outcome(deed=len(self.sketch.deeds) - 1, words=reasons(tool)))
        self._touched |= set(leaf.rows)
        self._gone |= gone
        return True

    def _disturbs(self, tool: Tool) -> bool:
        """Say whether a deed changes what a pass goes through, or what it wrote."""
        acts = [act for each in self.sketch.passes for branch in each.branches for act in branch.acts]
        written = reach(self._stock.catalog.by_name[act.tool] for act in acts)
        return bool(reach([tool]) & (written | {each.source.table for each in self.sketch.passes}))

    # --- rows that refer to a thing -------------------------------------------------------

    def go_through(self, kin: Kin, calls: int, *, changes: bool) -> bool:
        """Add a pass of about so many calls over the rows that refer to a thing; False where none splits them."""
        if not self._tell(kin.mention.place):
            return False
        selected = go_through(self.sketch, kin, self._places[kin.mention.place], calls, changes=changes)
        if selected is None:
            return False
        place = len(self.sketch.passes) - 1
        rows = {(kin.table.name, record[kin.table.key]) for record in selected.records}
        self._gone_through |= rows | self._led_to(place, selected.records)
        inside = calls_inside(self.sketch, place, selected.records)
        self.inside += inside
        described = {(table, record[self._key(table)]) for table, record in self.sketch.known_things() if record}
        apart = not described & self._gone_through and keeps_apart(self.sketch)
        return inside > 0 and apart and self.holds_still()

    def _key(self, table: str) -> str:
        return self._stock.catalog.table(table).key

    def _led_to(self, place: int, records: Sequence[Record]) -> set[Row]:
        """Return the rows that conditions of a pass lead to."""
        rows: set[Row] = set()
        for branch in self.sketch.passes[place].branches:
            for look in (condition.left for condition in branch.when if isinstance(condition.left, Look)):
                for end, hop in enumerate(look.hops, 1):
                    found = follow_all(self._stock, records, look.hops[:end])
                    rows |= {(hop.table, record[self._key(hop.table)]) for record in found if record}
        return rows

    # --- what is found before and told after ----------------------------------------------

    def holds_still(self) -> bool:
        """Say whether no write of the plan changes which rows its things are, or what its totals are over."""
        acts = [act for each in self.sketch.passes for branch in each.branches for act in branch.acts]
        acts += [deed.act for deed in self.sketch.deeds if not deed.attempt]
        written = self._stock.footprints.written(self._stock.catalog.by_name[act.tool] for act in acts)
        return not written & {place for thing in self.sketch.things for place in _bounds(thing)} and not written & {
            place for asked in self.sketch.asked if isinstance(asked.figure, Total) for place in _bounds(asked.figure)
        }


def _bounds(found: Thing | Best | Total) -> set[Place]:
    """Return the places that decide which row a thing is, or what a total is of."""
    if isinstance(found, Best) or (isinstance(found, Thing) and (found.of or found.name)):
        return set()
    columns = {bound.column for bound in found.filters} | {ROWS}
    columns |= {found.order.column} if isinstance(found, Thing) and found.order else set()
    columns |= {found.measure} if isinstance(found, Total) and found.measure else set()
    return {(found.table, column) for column in columns}


def moved(node: Any, places: dict[int, int]) -> Any:
    """Return a part of a plan in which each thing stands at its new place."""
    return type(node).model_validate(_renumber(node.model_dump(mode="json"), places))


def _renumber(node: Any, places: dict[int, int]) -> Any:
    if isinstance(node, list):
        return [_renumber(each, places) for each in node]
    if not isinstance(node, dict):
        return node
    renumbered = {name: _renumber(value, places) for name, value in node.items()}
    if isinstance(node.get("thing"), int) and node["thing"] in places:
        renumbered["thing"] = places[node["thing"]]
    if isinstance(node.get("of"), list):
        renumbered["of"] = [places[node["of"][0]], node["of"][1]]
    return renumbered
