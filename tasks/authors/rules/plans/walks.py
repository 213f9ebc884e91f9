"""Graph plans (paper section 4): a walk over the tool graph, bound to real rows and pruned to what something needs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from schemas.plans import Purpose, meaning
from schemas.tools import ToolEdge
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.plans.bindings import Kin, Leaf, Walked
from tasks.authors.rules.plans.composing import is_new_to_all
from tasks.authors.rules.plans.drawn import LEVELS, Drawn, level_of
from tasks.authors.rules.plans.kin import FEWEST
from tasks.authors.rules.plans.plots import Plot
from tasks.authors.rules.plans.sketch import Sketch
from tasks.authors.rules.plans.stock import Stock
from tasks.toolgraph.walks import Walker

STRETCH = 3
"""Tools walked for each call wanted: what cannot be bound, and what nothing needs, is left out."""
VISITS = 4
"""How often a walk may come by a tool."""
TIMES = 2
"""How often a walk is gone through: what nothing fitted at first may fit what was found later."""
STRAIGHT = {1: 9, 2: 8, 3: 8, 4: 9, 5: 10}
"""Calls of a level's plans that are left to things, questions and deeds; what is more goes to rows gone through."""
KIN_TRIED, ENOUGH = 8, 0.6
"""Kin of a walk that are tried for a pass; those first that have rows for such a share of the calls wanted."""
MOST_PASSES = 2
FRUITLESS = 60
"""Walks without a plan after which nothing is left to draw."""
PATIENCE = 4
"""Walks without a plan for a level that count as one, so that others have their turn."""
REFUSED_SHARE = 0.3
"""Share of writing plans in which the one deed is refused, and that nothing may change is the point."""
PURPOSES: tuple[Purpose, ...] = ("audit", "settle", "plan", "handover", "report", "tidy")


def draw_walks(catalog: Catalog, edges: list[ToolEdge], seed: int, steps: int = 60) -> Iterator[Drawn]:
    """Draw plans of levels 1 to 5 in about equal numbers, every other one of which writes, until walks give nothing new.

    A walk takes up to `steps` tools, and edges as often as their weights say. A plan is of the level that its calls reach.
    """
    environment = catalog.environment
    tools = [tool for tool in catalog.tools if not tool.intent.get("documents")]
    names = {tool.name for tool in tools}
    among = [edge for edge in edges if edge.source in names and edge.target in names]
    walker = Walker(tools, among, environment.profile.opaque_domains(), VISITS)
    stock, turns, drawn = Stock(catalog), Counter[int](), set[str]()
    attempt = last = 0
    while tools and attempt - last < FRUITLESS:
        rng = random.Random(f"{environment.id}/graph/{seed}/{attempt}")
        level = min(range(1, 6), key=lambda each: (turns[each] // PATIENCE, (each + attempt) % 5))
        path = walker.walk(rng, min(steps, STRETCH * LEVELS[level][1]))
        found = _Plotter(stock, rng).draw(path, level, changes=len(drawn) % 2 == 0)
        attempt += 1
        turns[level] += 1
        if found is not None and is_new_to_all(found.plan, stock) and meaning(found.plan) not in drawn:
            turns[level] -= 1
            turns[found.level] += PATIENCE
            drawn.add(meaning(found.plan))
            last = attempt
            yield found


class _Plotter:
    """Makes a plan of one walk."""

    def __init__(self, stock: Stock, rng: random.Random) -> None:
        self._stock, self._rng = stock, rng

    def draw(self, path: list[str], level: int, *, changes: bool) -> Drawn | None:
        """Bind the walk, go through rows where the level asks for that, then add leaves until its calls are reached."""
        walked = Walked(self._stock, self._rng)
        for name in path * TIMES:
            walked.bind(self._stock.catalog.by_name[name])
        fewest, most = LEVELS[level]
        wanted, fails = self._rng.randint(fewest, most), changes and self._rng.random() < REFUSED_SHARE
        plot = Plot(walked, Sketch(self._stock, self._rng, self._rng.choice(PURPOSES)))
        rest = wanted - STRAIGHT[level]
        while rest >= FEWEST and len(plot.sketch.passes) < MOST_PASSES:
            longer = self._through_rows(plot, walked, rest, changes=changes and not fails)
            if longer is None:
                break
            plot, rest = longer, wanted - STRAIGHT[level] - longer.inside
        plot = self._with_leaves(plot, walked.leaves, wanted, most, changes=changes, fails=fails)
        reached = level_of(plot.calls() or 0) or 0
        if not reached or reached < level - 1 or plot.writes != changes or not plot.sketch.asked:
            return None
        passes = "_rows" if plot.sketch.passes else ""
        return Drawn(plot.plan(), f"walk_{len(plot.sketch.things)}{passes}", reached)

    def _through_rows(self, plot: Plot, walked: Walked, calls: int, *, changes: bool) -> Plot | None:
        """Add a pass over rows that refer to a thing, rather one at the end of a long way."""

        def worth(kin: Kin) -> tuple[bool, bool, int]:
            return bool(kin.writes) >= changes, kin.size > calls * ENOUGH, len(walked.needed(kin.mention.place))

        in_turn = self._stock.in_turn(self._rng, walked.kin, lambda kin: f"kin {kin.table.name}")
        for kin in sorted(in_turn, key=worth, reverse=True)[:KIN_TRIED]:
            longer = plot.copy()
            if longer.go_through(kin, calls, changes=changes and bool(kin.writes)):
                self._stock.use(f"kin {kin.table.name}")
                return longer
        return None

    def _with_leaves(
        self, plot: Plot, leaves: list[Leaf], wanted: int, most: int, *, changes: bool, fails: bool
    ) -> Plot:
        """Add questions and deeds, first a deed where one is needed, then what needs the most that nothing else needs."""
        left, calls = list(leaves), plot.calls() or 0
        while left and calls < wanted:
            missing = changes and not plot.writes
            leaf = max(left, key=lambda each: (missing and each.deed is not None, *plot.news(each.things)))
            left.remove(leaf)
            longer = plot.copy()
            if leaf.deed is None:
                able = longer.ask(leaf)
            else:
                able = changes and not (fails and plot.writes) and longer.do(leaf, fails=fails)
            longest = longer.calls() if able and longer.holds_still() else None
            if longest is not None and calls < longest <= most:
                plot, calls = longer, longest
        return plot
