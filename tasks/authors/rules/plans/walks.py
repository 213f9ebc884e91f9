"""Graph plans (paper section 4): a walk over the tool graph, bound to real rows and pruned to what something needs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from schemas.plans import Look, Outcome, Plan, Purpose, Thing
from schemas.programs import Call
from schemas.tools import ToolEdge
from tasks.authors.base import Explore, Explorer
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.lowering import lower
from tasks.authors.rules.lowering.writer import CannotLower
from tasks.authors.rules.plans.attempts import PLAIN, reasons
from tasks.authors.rules.plans.bindings import Leaf, Walked
from tasks.authors.rules.plans.drawn import LEVELS, Drawn
from tasks.authors.rules.plans.sketch import Sketch
from tasks.authors.rules.plans.stock import Stock
from tasks.toolgraph.walks import Walker

STRETCH = 3
"""Tools walked for each call wanted: what cannot be bound, and what nothing needs, is left out."""
MOST_STEPS = 60
TIMES = 2
"""How often a walk is gone through: what nothing fitted at first may fit what was found later."""
MOST_QUESTIONS, MOST_DEEDS = 9, 8
"""What one request bears."""
ATTEMPTS = 5
"""Walks tried for a level before the next one's turn."""
FRUITLESS = 60
"""Walks without a plan after which nothing is left to draw."""
REFUSED_SHARE = 0.12
"""Share of writing plans in which the one deed is refused, and that nothing may change is the point."""
PURPOSES: tuple[Purpose, ...] = ("audit", "settle", "plan", "handover", "report", "tidy")


def draw_walks(catalog: Catalog, edges: list[ToolEdge], explore: Explore, seed: int) -> Iterator[Drawn]:
    """Draw plans of levels 1 to 5 in turn, every other one of which writes, until walks give nothing new."""
    environment = catalog.environment
    tools = [tool for tool in catalog.tools if not tool.intent.get("documents")]
    names = {tool.name for tool in tools}
    among = [edge for edge in edges if edge.source in names and edge.target in names]
    walker = Walker(tools, among, environment.profile.opaque_domains(), visits=4)
    stock, attempt, drawn, last, turn = Stock(catalog), 0, 0, 0, 0
    while tools and attempt - last < FRUITLESS:
        name = f"{environment.id}/graph/{seed}/{attempt}"
        level, rng, attempt = 1 + turn // ATTEMPTS % 5, random.Random(name), attempt + 1
        path = walker.walk(rng, min(MOST_STEPS, STRETCH * LEVELS[level][1]))
        with explore(name) as explorer:
            plan = _Plotter(stock, rng, explorer).plot(path, level, changes=drawn % 2 == 0)
        turn += 1 if plan is None else ATTEMPTS - turn % ATTEMPTS
        if plan is not None:
            drawn, last = drawn + 1, attempt
            yield Drawn(plan, f"walk_{len(plan.things)}", level)


class _Plotter:
    """Makes a plan of one walk."""

    def __init__(self, stock: Stock, rng: random.Random, explorer: Explorer) -> None:
        self._stock, self._rng, self._explorer = stock, rng, explorer

    def plot(self, path: list[str], level: int, *, changes: bool) -> Plan | None:
        """Bind the walk, then take leaves, the deepest first, until the level's calls are reached."""
        walked = Walked(self._stock, self._rng)
        for name in path * TIMES:
            walked.bind(self._stock.catalog.by_name[name])
        fewest, most = LEVELS[level]
        wanted, purpose = self._rng.randint(fewest, most), self._rng.choice(PURPOSES)
        fails = changes and self._rng.random() < REFUSED_SHARE
        leaves = self._able(walked, changes, fails)
        chosen: list[Leaf] = []
        covered: set[int] = set()
        best: Plan | None = None
        while leaves:
            leaf = max(leaves, key=lambda each: self._worth(each, chosen, covered, walked))
            leaves.remove(leaf)
            plan = self._plan([*chosen, leaf], walked, purpose, fails) if self._fits(chosen, leaf) else None
            calls = _calls(plan, self._stock.catalog) if plan else None
            if plan is None or calls is None or calls > most:
                continue
            chosen.append(leaf)
            covered |= _needed(leaf.things, walked.things)
            best = plan if fewest <= calls else best
            if calls >= wanted:
                break
        return best if best is not None and bool(best.deeds) == changes else None

    def _worth(self, leaf: Leaf, chosen: list[Leaf], covered: set[int], walked: Walked) -> tuple[bool, int]:
        """Rank a leaf: one question and one deed come first, then what needs the most that nothing else needs."""
        first = all(each.deed is None for each in chosen) if leaf.deed else not chosen
        return first, len(_needed(leaf.things, walked.things) - covered)

    def _able(self, walked: Walked, changes: bool, fails: bool) -> list[Leaf]:
        """Return the questions, and the deeds that no tool refuses; with `fails`, one deed that is refused instead."""
        asked = [leaf for leaf in walked.leaves if leaf.deed is None]
        tried = [(leaf, self._try(leaf, walked)) for leaf in walked.leaves if leaf.deed] if changes else []
        if fails:
            return [*[leaf for leaf, code in tried if code is not None and code not in PLAIN][:1], *asked]
        return [*[leaf for leaf, code in tried if code is None], *asked]

    def _try(self, leaf: Leaf, walked: Walked) -> str | None:
        """Do a deed on the explorer's copy and return the code of its refusal, or None."""
        assert leaf.deed is not None
        arguments: dict[str, Any] = {}
        for name, value in leaf.deed.act.arguments.items():
            if isinstance(value, Look):
                arguments[name] = walked.mentions[value.thing].record[value.column]
            else:
                arguments[name] = getattr(value, "value", None)
        observation = self._explorer.call(leaf.deed.act.tool, arguments)
        return observation["error"]["code"] if isinstance(observation, dict) and "error" in observation else None

    def _fits(self, chosen: list[Leaf], leaf: Leaf) -> bool:
        """No row is changed twice or asked about once it is gone, no figure is asked twice, and no more than a request bears."""
        gone = {place for each in (*chosen, leaf) if self._deletes(each) for place in each.things}
        if gone & {place for each in (*chosen, leaf) if each.deed is None for place in each.things}:
            return False
        if leaf.deed is None:
            return sum(each.deed is None for each in chosen) < MOST_QUESTIONS and all(
                c.look != leaf.look for c in chosen
            )
        touched = {row for each in chosen for row in each.rows}
        return sum(each.deed is not None for each in chosen) < MOST_DEEDS and not touched & set(leaf.rows)

    def _deletes(self, leaf: Leaf) -> bool:
        return leaf.deed is not None and self._stock.catalog.by_name[leaf.deed.act.tool].operation == "delete"

    def _plan(self, chosen: list[Leaf], walked: Walked, purpose: Purpose, fails: bool) -> Plan | None:
        """Write the plan of some leaves, with the things that they need."""
        needed = sorted({place for leaf in chosen for place in _needed(leaf.things, walked.things)})
        moved = {old: new for new, old in enumerate(needed)}
        sketch = Sketch(self._stock, self._rng, purpose, MOST_QUESTIONS + 1)
        sketch.things = [_moved(walked.things[place], moved) for place in needed]
        for leaf in chosen:
            if leaf.deed is not None:
                sketch.deeds.append(_moved(leaf.deed, moved).model_copy(update={"attempt": fails}))
        if fails and sketch.deeds:
            sketch.ask_word(
                "outcome", Outcome(deed=0, words=reasons(self._stock.catalog.by_name[sketch.deeds[0].act.tool]))
            )
        for leaf in chosen:
            if leaf.look is not None and leaf.column is not None:
                _ask(sketch, _moved(leaf.look, moved), leaf)
        return sketch.plan() if sketch.asked else None


def _ask(sketch: Sketch, look: Any, leaf: Leaf) -> None:
    assert leaf.column is not None
    if isinstance(look, Look):
        sketch.ask_look(look, leaf.column, leaf.name)
    else:
        sketch.ask(leaf.name, look, leaf.column, leaf.function)  # type: ignore[arg-type]


def _needed(places: tuple[int, ...], things: list[Thing]) -> set[int]:
    """Return the things that some things are described by, themselves included."""
    found: set[int] = set()
    todo = list(places)
    while todo:
        place = todo.pop()
        if place not in found:
            found.add(place)
            thing = things[place]
            todo += [f.value.thing for f in thing.filters if isinstance(f.value, Look)]
            todo += [thing.of[0]] if thing.of else []
    return found


def _moved(node: Any, moved: dict[int, int]) -> Any:
    """Return a part of a plan whose things have other places."""
    return type(node).model_validate(_renumber(node.model_dump(mode="json"), moved))


def _renumber(node: Any, moved: dict[int, int]) -> Any:
    if isinstance(node, list):
        return [_renumber(each, moved) for each in node]
    if not isinstance(node, dict):
        return node
    renumbered = {name: _renumber(value, moved) for name, value in node.items()}
    if isinstance(node.get("thing"), int) and node["thing"] in moved:
        renumbered["thing"] = moved[node["thing"]]
    if isinstance(node.get("of"), list):
        renumbered["of"] = [moved[node["of"][0]], node["of"][1]]
    return renumbered


def _calls(plan: Plan, catalog: Catalog) -> int | None:
    """Count the calls of a plan without a loop; None when the tools cannot do it."""
    try:
        return sum(isinstance(statement, Call) for statement in lower(plan, catalog).program.body)
    except CannotLower:
        return None
