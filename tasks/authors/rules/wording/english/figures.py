"""Figures that a request asks for: what each field of the answer holds."""

from __future__ import annotations

from schemas.plans import Asked, Best, Difference, Entry, Figure, Group, Lead, Look, Needed, Outcome, Total
from tasks.authors.rules.wording.english import grammar, phrases
from tasks.authors.rules.wording.english.cases import Cases
from tasks.authors.rules.wording.english.nouns import Nouns
from tasks.authors.rules.wording.vocabulary import plain_field
from tasks.authors.rules.wording.worded import NoWords

ASKED = 0.6
"""Share of counts that are asked for by how many."""


class Figures:
    """Says what fields of the answer hold."""

    def __init__(self, nouns: Nouns, passes: list[Cases]) -> None:
        self._nouns, self._passes = nouns, passes
        self._written = nouns.vocabulary.written(nouns.plan)

    def described(self, asked: Asked) -> str:
        """Say what a field holds: a noun phrase, or a question with how many."""
        figure = asked.figure
        if asked.type == "list" and isinstance(figure, Group):
            return self._listed(figure)
        if isinstance(figure, Group) and figure.function == "count" and self._nouns.voice.chance(ASKED):
            return self._passes[figure.pass_].how_many(figure.branch)
        return self._figure(figure)

    def _figure(self, figure: Figure) -> str:
        match figure:
            case Group():
                return self._group(figure)
            case Look():
                return self._look(figure)
            case Total():
                said = self._nouns.total(figure)
                return self._late(said) if figure.table in self._written else said
            case Difference():
                return self._difference(figure)
            case Lead():
                return self._lead(figure)
            case Needed():
                return self._nouns.voice.pick("what is still needed in the end", "the amount that could not be placed")
            case Outcome():
                return self._outcome(figure)
        raise NoWords(f"no words for {figure.is_}")

    def _look(self, look: Look) -> str:
        said, start = self._nouns.value(look, ""), self._nouns.plan.things[look.thing].table
        table = look.hops[-1].table if look.hops else start
        figure = self._nouns.vocabulary.is_figure(table, look.column)
        changes = figure or self._nouns.vocabulary.column(table, look.column).role in ("category", "measure")
        return self._late(said) if changes and self._written & {table, start} else said

    def _late(self, said: str) -> str:
        return f"{said} {self._nouns.voice.pick('in the end', 'once all of this is done', 'after all this')}"

    def _group(self, group: Group, taken: str = "") -> str:
        taken = taken or self._passes[group.pass_].taken(group.branch)
        if group.function == "count" or group.look is None:
            return f"the number of {taken.removeprefix('the ')}"
        if group.function is None:
            return self._listed(group)
        name, of = self._measured(group)
        among = "of" if of or group.function in ("sum", "mean") else self._nouns.voice.pick("of", "among", "among")
        return f"the {self._nouns.summed(group.function, name, timed=self._timed(group))} {among} {of}{taken}"

    def _listed(self, group: Group) -> str:
        items = self._passes[group.pass_]
        taken = items.taken(group.branch)
        if isinstance(group.look, Entry):
            return f"the “{plain_field(group.look.field)}” of each of {taken}"
        assert group.look is not None
        name, of = self._measured(group)
        table = self._nouns.noun(items.pass_.source.table)
        if not group.look.hops and group.look.column == table.label:
            return self._nouns.voice.pick(f"the {grammar.plural(name)} of {taken}", f"{taken}, by {name}")
        return f"the {name} of {of}each of {taken}"

    def _measured(self, group: Group) -> tuple[str, str]:
        """Name what a figure of a group is of, and the rows between: ('altitude', 'the airports of ')."""
        look, table = group.look, self._passes[group.pass_].pass_.source.table
        if isinstance(look, Entry):
            return f"“{plain_field(look.field)}” as stated", ""
        assert look is not None
        end, roles = look.hops[-1].table if look.hops else table, self._nouns.roles(table, look.hops)
        return phrases.measured(self._nouns.column(end, look.column)), "".join(
            f"the {role} of " for role in reversed(roles)
        )

    def _timed(self, group: Group) -> bool:
        look = group.look
        if not isinstance(look, Look):
            return False
        end = look.hops[-1].table if look.hops else self._passes[group.pass_].pass_.source.table
        return self._nouns.vocabulary.column(end, look.column).role == "time"

    def _difference(self, difference: Difference) -> str:
        first, second = difference.left, difference.right
        left, right = self._figure(first), self._figure(second)
        if isinstance(first, Group) and isinstance(second, Group):
            if (first.pass_, first.branch) == (second.pass_, second.branch):
                right = self._group(second, "the same ones")
        return self._nouns.voice.pick(
            f"the difference between {left} and {right} (the first minus the second)",
            f"{left} minus {right}",
            f"what remains of {left} after subtracting {right}",
        )

    def _lead(self, lead: Lead) -> str:
        thing = self._nouns.plan.things[lead.thing]
        assert isinstance(thing, Best)
        figure, voice = self._nouns.figure(thing.by), self._nouns.voice
        winner = self._nouns.thing(lead.thing)
        if lead.over_next:
            runner = voice.pick(
                "the next best of those named", "the runner-up among those named", "the one that comes second"
            )
            return voice.pick(
                f"how far {winner} is ahead of {runner} in that figure",
                f"the gap in that figure between {winner} and {runner}",
            )
        role = self._nouns.role_of(thing.by)
        if role is not None:
            return f"the {figure} whose {role} is {winner}"
        return f"the {figure} {'of' if thing.group is None else 'for'} {winner}"

    def _outcome(self, outcome: Outcome) -> str:
        done = outcome.words["done"]
        others = {code: word for code, word in outcome.words.items() if code != "done"}
        if outcome.pass_ is not None:
            other, many = others["not_all"], self._passes[outcome.pass_].items.many
            return self._nouns.voice.pick(
                f"either “{done}” (all {many} were dealt with) or “{other}” (none was)",
                f"“{done}” or “{other}”, depending on whether all or none of the {many} were dealt with",
                f"“{done}” if the {many} were dealt with, “{other}” if not",
            )
        one = self._acted_on(outcome.deed)
        if not others:
            return self._nouns.voice.pick(
                f"“{done}” once it went through", f"“{done}” once that is settled for the {one}"
            )
        reasons = grammar.joined([f"“{word}”" for word in others.values()], "or")
        ways = [
            f"“{done}” if it went through for the {one}, otherwise the reason why it was refused ({reasons})",
            f"“{done}” if the {one} could be dealt with as asked, otherwise the reason why not ({reasons})",
            f"“{done}” if that was possible for the {one}, otherwise why the system refused it ({reasons})",
        ]
        if len(others) > 1:
            ways.append(f"one of “{done}” and, where the {one} could not be dealt with for that reason, {reasons}")
        return self._nouns.voice.pick(*ways)

    def _acted_on(self, deed: int | None) -> str:
        """Return the noun of the row that a deed is about."""
        tool = self._nouns.vocabulary.tool(self._nouns.plan.deeds[deed or 0].act.tool)
        return self._nouns.noun(tool.intent["table"]).singular
