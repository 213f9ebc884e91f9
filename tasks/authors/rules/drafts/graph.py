"""Graph tasks (paper section 4): a walk over the tool graph, bound to values and put into words.

Arguments come from earlier outputs first, else from one real record. Every read that no later
step takes from is asked for in the answer, so that no call can be left out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from schemas.profiles import ColumnProfile, TableProfile
from schemas.programs import Call, Const, Distinct, Expression, Ref
from schemas.tasks import TaskDraft
from schemas.tools import Tool, ToolEdge
from tasks.authors.base import Explore, Explorer
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.mentions import LONGEST_NAME, Context, Mention, Offer, Step, Token, prune
from tasks.authors.rules.drafts.operations import (
    COUNTED,
    draw_values,
    key_parameters,
    key_table,
    required,
    wish,
)
from tasks.authors.rules.drafts.rankings import ranking_arguments
from tasks.authors.rules.drafts.scopes import Scope, draw_scope
from tasks.authors.rules.drafts.sketch import Sketch
from tasks.toolgraph.edges import input_domains
from tasks.toolgraph.walks import Walker

MOST_ANSWER_FIELDS = 4
ROWS_A_VALUE, ENOUGH_VALUES = 20, 60
"""Rows for each different value of a column that is worth ranking by, and values that are always enough."""
FRUITLESS = 120
"""Walks without a draft after which nothing is left to draw."""
WALK_STRETCH = 2
"""Steps walked for each step wanted: unbound and loose ones are pruned."""
LEADS = ("find", "look for", "identify", "pick out")


def propose_graph_tasks(
    catalog: Catalog, edges: list[ToolEdge], explore: Explore, seed: int, fewest: int, most: int
) -> Iterator[TaskDraft]:
    """Draw drafts, each from a walk with a seed of its own, with `fewest` to `most` steps, while walks give any.

    Every other draft changes the state.
    """
    environment = catalog.environment
    tools = [tool for tool in catalog.tools if not tool.intent.get("documents")]
    walker = Walker(tools, _edges_among(tools, edges), environment.profile.opaque_domains())
    attempt = drawn = last = 0
    while tools and attempt - last < FRUITLESS:
        name = f"{environment.id}/graph/{seed}/{attempt}"
        rng, attempt = random.Random(name), attempt + 1
        path = walker.walk(rng, WALK_STRETCH * rng.randint(fewest, most))
        with explore(name) as explorer:
            draft = WalkWriter(catalog, rng, explorer).write(path, fewest, most, changes=drawn % 2 == 0)
        if draft is not None:
            drawn, last = drawn + 1, attempt
            yield draft


def _edges_among(tools: list[Tool], edges: list[ToolEdge]) -> list[ToolEdge]:
    names = {tool.name for tool in tools}
    return [edge for edge in edges if edge.source in names and edge.target in names]


class WalkWriter:
    """Binds one walk to values, trying each call for real, and writes its request."""

    def __init__(self, catalog: Catalog, rng: random.Random, explorer: Explorer) -> None:
        self._catalog, self._rng, self._context = catalog, rng, Context(explorer)
        self._constants: list[Any] = []
        self._written: list[Mention] = []
        self._named: set[str] = set()

    def write(self, path: list[str], fewest: int, most: int, *, changes: bool) -> TaskDraft | None:
        """Return the draft of a walk, or None when too little of it could be bound; `changes` asks for a write.

        A step that is refused, finds nothing or ends in a tie is left out.
        """
        for name in path:
            step = self._write_step(self._catalog.by_name[name])
            if step is not None:
                self._context.steps.append(step)
        steps = self._context.steps
        kept = prune(steps, MOST_ANSWER_FIELDS, fewest)
        needed = {index for i in kept for index in steps[i].takes}
        asked = [i for i in kept if i not in needed and steps[i].read_only]
        writes = any(not steps[i].read_only for i in kept)
        if not (fewest <= len(kept) <= most and 0 < len(asked) <= MOST_ANSWER_FIELDS and writes >= changes):
            return None
        sketch = Sketch(self._catalog, self._rng)
        sketch.constants = self._constants
        for place, index in enumerate(kept):
            sketch.say(steps[index].sentence if place else steps[index].sentence.removeprefix("then "))
            sketch.body += steps[index].statements()
        for index in asked:
            offer = self._rng.choice(steps[index].offers)
            sketch.ask_column(offer.description, offer.ref, offer.column, offer.name)
        return sketch.draft("graph", f"walk_{len(kept)}")

    def _write_step(self, tool: Tool) -> Step | None:
        match tool.operation:
            case "get":
                return self._write_get(tool)
            case "search" | "list" | "top":
                return self._write_ranking(tool)
            case "aggregate":
                return self._write_aggregate(tool)
        return self._write_change(tool)

    def _take(self, mention: Mention, tool: Tool, step: Step) -> Ref:
        """Use a mention as an argument: its step is now needed."""
        step.takes.append(mention.step)
        self._context.mark_used(mention, tool.name)
        return mention.ref

    def _write_get(self, tool: Tool) -> Step | None:
        """Look one row up: its references become mentions, its columns can be asked for."""
        takes = input_domains(tool)
        if len(takes) != 1:
            return None
        ((parameter, (domain, _)),) = takes.items()
        mention = self._context.latest(domain, tool.name)
        if mention is None:
            return None
        table = self._catalog.table(tool.intent["table"])
        own = mention.table == table.name
        said = self._context.said(mention)
        subject = said if own else f"the {table.singular} of {said}"
        step = Step(Call(bind=self._context.bind(), tool=tool.name), f"look up {subject}", True)
        step.call = step.call.model_copy(update={"arguments": {parameter: self._take(mention, tool, step)}})
        if not self._context.execute(step.call):
            return None
        short = f"that {table.singular}" if own else subject
        needs = (self._context.pointed_at(mention),) if own else mention.needs
        full = mention.full if own else f"the {table.singular} of {mention.full}"
        source = self._catalog.by_name[self._context.steps[mention.step].call.tool].intent["table"]
        known = {parameter, *(self._context.beside(mention) if own and source == table.name else ())}
        shown = [(name, schema) for name, schema in tool.output_schema["properties"].items() if name not in known]
        self._rng.shuffle(shown)
        for name, schema in shown:
            self._show_column(step, table, name, schema, (short, full, needs))
        return step

    def _show_column(
        self,
        step: Step,
        table: TableProfile,
        name: str,
        schema: dict[str, Any],
        row: tuple[str, str, tuple[Token, ...]],
    ) -> None:
        """Make one column of a looked-up row known: a reference as a mention, anything else as an offer.

        `row` is what the row is called, in short and in full, and what the short name needs.
        """
        short, full, needs = row
        value = Ref(name=step.call.bind, path=(name,))
        domain = schema.get("x-domain", "")
        references = {foreign.column: foreign.to_table for foreign in table.foreign_keys}
        owner = references.get(name, domain.split(".")[0])
        column = self._shown_column(table, name)
        if owner and owner != table.name:
            role = words.role_words(column, self._catalog.table(owner))
            names = f"the {role} of {short}", f"the {role} of {full}"
            self._context.mention(Mention(len(self._context.steps), domain, owner, value, *names, needs))
        elif self._context.value(value) not in (None, "") and column.type != "boolean" and len(full) <= LONGEST_NAME:
            step.offers.append(
                Offer(f"{column.words} of {table.singular}", f"the {column.words} of {full}", value, column)
            )

    def _shown_column(self, table: TableProfile, name: str) -> ColumnProfile:
        """Return the column an output property shows, or one for a figure that no column holds."""
        for column in table.columns:
            if column.name == name:
                return column
        said = self._catalog.figure_words.get((table.name, name), name.replace("_", " "))
        return ColumnProfile(name=name, type="integer", role="measure", nullable=False, distinct=0, words=said)

    def _write_ranking(self, tool: Tool) -> Step | None:
        """Find the row at a rank of a search, list or top: it becomes a mention."""
        table = self._catalog.table(tool.intent["table"])
        column = self._rank_column(tool, table)
        scope = None if column is None else self._scope(tool, column)
        if column is None or scope is None:
            return None
        descending, rank = self._rng.random() < 0.6, self._rng.choice((0, 0, 0, 1))
        arguments = scope.arguments | ranking_arguments(tool, column, descending, rank + 2)
        ranked = words.render_ranked(table, column, descending, rank)
        full, bind = f"{ranked} {scope.full}".strip(), self._context.bind()
        if full in self._named:
            return None
        sentence = f"{self._rng.choice(LEADS)} {ranked} {scope.phrase}".strip()
        step = Step(Call(bind=bind, tool=tool.name, arguments=arguments), sentence, True)
        self._link(step, scope, tool)
        if not self._context.execute(step.call) or not self._stands_out(bind, column, rank):
            return None
        self._named.add(full)
        step.ties.append(Distinct(over=Ref(name=bind, path=("items",)), path=column.name, count=rank + 1))
        value = Ref(name=bind, path=("items", rank, column.name))
        if len(full) <= LONGEST_NAME:
            offer = Offer(f"{column.words} of {table.singular}", f"the {column.words} of {full}", value, column)
            step.offers.append(offer)
        row = Ref(name=bind, path=("items", rank, table.key))
        status = self._context.value(Ref(name=bind, path=("items", rank, "status")))
        needs = (self._context.speak(table.name),)
        domain = self._catalog.domain(table, table.key)
        names = f"that {table.singular}", full
        self._context.mention(Mention(len(self._context.steps), domain, table.name, row, *names, needs, status))
        return step

    def _stands_out(self, bind: str, column: ColumnProfile, rank: int) -> bool:
        """Say whether the row at a rank exists and neither it nor a row before it ties with its next."""
        values = [self._context.value(Ref(name=bind, path=("items", n, column.name))) for n in range(rank + 2)]
        return values[rank] is not None and len(set(values)) == len(values)

    def _write_aggregate(self, tool: Tool) -> Step | None:
        """Work a figure out over the rows in scope; without measures, their number."""
        table, measures = self._catalog.table(tool.intent["table"]), tool.intent["measures"]
        column = table.column(self._rng.choice(measures)) if measures else None
        function = self._rng.choice(("count", *words.fitting(column, "sum", "mean"), "max")) if column else "count"
        scope = self._scope(tool, column)
        if scope is None:
            return None
        arguments: dict[str, Expression] = scope.arguments | {"function": Const(value=function)}
        name = f"number of {table.plural}"
        if column is None or function == "count":
            column = COUNTED
        else:
            arguments["measure"] = Const(value=column.name)
            name = f"{words.figure_words(function, column)} of {table.plural}"
            column = column.model_copy(update={"type": "number"}) if function == "mean" else column
        figure, bind = f"the {name} {scope.full}".strip(), self._context.bind()
        sentence = f"work out the {name} {scope.phrase}".strip()
        step = Step(Call(bind=bind, tool=tool.name, arguments=arguments), sentence, True)
        self._link(step, scope, tool)
        value = Ref(name=bind, path=("groups", 0, "value"))
        if not self._context.execute(step.call) or self._context.value(value) is None:
            return None
        step.offers.append(Offer(name, figure, value, column))
        return step

    def _scope(self, tool: Tool, ranked_by: ColumnProfile | None) -> Scope | None:
        return draw_scope(self._catalog, self._rng, self._context, tool, ranked_by)

    def _link(self, step: Step, scope: Scope, tool: Tool) -> None:
        """Record what a step takes, and the constants its sentence states."""
        self._constants += scope.constants
        for mention in scope.takes:
            self._take(mention, tool, step)

    def _rank_column(self, tool: Tool, table: TableProfile) -> ColumnProfile | None:
        """Choose what a ranking goes by: a measure or a time that does not tie all the time."""
        columns = [table.column(name) for name in tool.intent.get("measures") or tool.intent.get("sorts") or []]
        few = min(table.rows / ROWS_A_VALUE, ENOUGH_VALUES)
        able = [c for c in columns if c.role in ("measure", "time") and c.distinct > few]
        return self._rng.choice(able) if able else None

    def _write_change(self, tool: Tool) -> Step | None:
        """Ask for a write on rows that were mentioned, with values that the request states."""
        if not tool.intent.get("requests"):
            return None
        values = draw_values(self._catalog, tool, self._rng)
        said: dict[str, Any] = dict(values)
        taken: dict[str, Mention] = {}
        domains, row = input_domains(tool), tool.intent["row"]
        for parameter in key_parameters(tool):
            mention = self._context.latest(domains[parameter][0], tool.name)
            if mention is not None and (parameter != row or self._may(tool, mention)):
                taken[parameter] = mention
                meant = key_table(self._catalog, tool, parameter)
                named = self._context.said(mention)
                said["row" if parameter == row else parameter] = (
                    named if mention.table == meant.name else f"the {meant.singular} of {named}"
                )
        if set(required(tool)) - set(taken) - set(values):
            return None
        self._constants += values.values()
        step = Step(Call(bind=self._context.bind(), tool=tool.name), "", False)
        arguments: dict[str, Expression] = {name: Const(value=value) for name, value in values.items()}
        arguments |= {parameter: self._take(mention, tool, step) for parameter, mention in taken.items()}
        step.call = step.call.model_copy(update={"arguments": arguments})
        if not self._context.execute(step.call):
            return None
        self._written += [taken[parameter] for parameter in taken if parameter == row]
        if tool.operation == "create":
            self._context.speak(tool.intent["table"])  # "that booking" would now be the new one
        step.sentence = "then " + wish(tool, said, self._rng)
        return step

    def _may(self, tool: Tool, mention: Mention) -> bool:
        """A row is changed once, from a status that allows it: a second change could undo the first."""
        fits = mention.table != tool.intent["table"] or mention.status in (tool.intent["from"] or (mention.status,))
        return mention not in self._written and fits
