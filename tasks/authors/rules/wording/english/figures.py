"""Figures that a request asks for, as noun phrases: what each field of the answer holds."""

from __future__ import annotations

from schemas.plans import Asked, Best, Difference, Entry, Figure, Group, Lead, Look, Needed, Outcome, Total
from tasks.authors.rules.wording.english import grammar, phrases
from tasks.authors.rules.wording.english.cases import Cases
from tasks.authors.rules.wording.english.nouns import Nouns, plain
from tasks.authors.rules.wording.worded import NoWords


class Figures:
    """Says what fields of the answer hold."""

    def __init__(self, nouns: Nouns, passes: list[Cases]) -> None:
        self._nouns, self._passes = nouns, passes

    def described(self, asked: Asked) -> str:
        """Say what a field holds, as a noun phrase."""
        if asked.type == "list" and isinstance(asked.figure, Group):
            return self._listed(asked.figure)
        return self._figure(asked.figure)

    def _figure(self, figure: Figure) -> str:
        match figure:
            case Group():
                return self._group(figure)
            case Look():
                return self._look(figure)
            case Total():
                return self._nouns.total(figure)
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
        said = self._nouns.value(look, self._nouns.plan.things[look.thing].table)
        changes = any(branch.acts for each in self._nouns.plan.passes for branch in each.branches)
        if changes and self._nouns.vocabulary.is_figure(self._nouns.plan.things[look.thing].table, look.column):
            return f"{said} {self._nouns.voice.pick('in the end', 'once all of this is done', 'after all this')}"
        return said

    def _group(self, group: Group, taken: str = "") -> str:
        taken = taken or self._passes[group.pass_].taken(group.branch)
        if group.function == "count" or group.look is None:
            return f"the number of {taken.removeprefix('the ')}"
        if group.function is None:
            return self._listed(group)
        name, of = self._measured(group)
        return f"the {self._nouns.summed(group.function, name, timed=self._timed(group))} of {of}{taken}"

    def _listed(self, group: Group) -> str:
        items = self._passes[group.pass_]
        taken = items.taken(group.branch)
        if isinstance(group.look, Entry):
            return f"the “{plain(group.look.field)}” of each of {taken}"
        assert group.look is not None
        name, of = self._measured(group)
        table = self._nouns.noun(items.pass_.source.table)
        if not group.look.hops and group.look.column == table.label:
            return self._nouns.voice.pick(f"the {_plural(name)} of {taken}", f"{taken}, by {name}")
        return f"the {name} of {of}each of {taken}"

    def _measured(self, group: Group) -> tuple[str, str]:
        """Name what a figure of a group is of, and the rows between: ('altitude', 'the airports of ')."""
        look, table = group.look, self._passes[group.pass_].pass_.source.table
        if isinstance(look, Entry):
            return f"“{plain(look.field)}” as stated", ""
        assert look is not None
        end = look.hops[-1].table if look.hops else table
        roles = []
        for hop in look.hops:
            roles.append(self._nouns.vocabulary.role(table, hop))
            table = hop.table
        return phrases.measured(self._nouns.vocabulary.column(end, look.column)), "".join(
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
        return f"the {figure} {'of' if thing.group is None else 'for'} {winner}"

    def _outcome(self, outcome: Outcome) -> str:
        done = outcome.words["done"]
        others = {code: word for code, word in outcome.words.items() if code != "done"}
        if outcome.pass_ is not None:
            other, voice = others["not_all"], self._nouns.voice
            return voice.pick(
                f"either “{done}” (all of it was done) or “{other}” (nothing was)",
                f"“{done}” or “{other}”, depending on whether all or none of it was done",
                f"the word “{done}” or, if nothing was to be done, “{other}”",
            )
        if not others:
            return f"“{done}” once it went through"
        reasons = grammar.joined([f"“{word}”" for word in others.values()], "or")
        return self._nouns.voice.pick(
            f"“{done}” if it went through, otherwise the reason why it was refused ({reasons})",
            f"one of “{done}” and, where it was refused for that reason, {reasons}",
        )


def _plural(words: str) -> str:
    """Make the plural of a noun: 'subjects', 'names of the elements'."""
    head, of, rest = words.partition(" of ")
    if grammar.is_plural(head):
        return words
    ending = "es" if head.endswith(("s", "x", "ch", "sh")) else "s"
    head = f"{head[:-1]}ies" if head.endswith("y") and head[-2] not in "aeiou" else head + ending
    return head + of + rest
