"""What is done with a row, in words: acts of a plan as clauses with their arguments said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.plans import ITEM, Act, Entry, Hop, Look, Rest, Ruled, Said, Total, Value
from tasks.authors.rules.wording.english import actions, phrases
from tasks.authors.rules.wording.english.actions import AsMany, Clause
from tasks.authors.rules.wording.english.nouns import Nouns
from tasks.authors.rules.wording.worded import NoWords

OBJECTS = {"it": "it", "they": "them"}
POSSESSIVES = {"it": "its", "they": "their"}


_SUBJECT_ENDS = re.compile(r" (?:for|of|about|by|in|on|with) (?=\{|the )")
_VERB_ENDS = re.compile(r" (?=\{|(?:to|at|on|of|about|for|from|with|by|as|into|in|again|once|out)\b)|:")
"""Where the short form of a clause's subject, and of its verb, ends."""


@dataclass(frozen=True)
class Done:
    """An act: its clause, with slots open and filled, and whether it is about the row at hand itself ("{it} should be cancelled")."""

    act: Act
    open: Clause
    clause: Clause
    about_item: bool


class Acts:
    """Says acts; `table` is that of the row at hand in a pass."""

    def __init__(self, nouns: Nouns, table: str | None = None) -> None:
        self._nouns, self._table = nouns, table

    def choose(self, act: Act) -> Clause:
        """Choose a way to ask for an act."""
        if act.tool in actions.DOCUMENTS:
            return actions.DOCUMENTS[act.tool]
        requests = self._nouns.vocabulary.tool(act.tool).intent.get("requests") or ()
        if not requests:
            raise NoWords(f"no words for {act.tool}")
        clauses = [actions.clause(pattern) for pattern in requests]
        return self._nouns.voice.pick(*([c for c in clauses if c.subject is not None] or clauses))

    def done(self, act: Act, clause: Clause, pronoun: str = "it") -> Done:
        """Say the arguments of an act, with a pronoun for the row at hand."""
        slot = clause.slot()
        key = self._argument(act, slot) if slot else None
        about = isinstance(key, Look) and key.thing == ITEM and not key.hops
        said = {name: self._said(act, name, pronoun, subject=about and name == slot) for name in self._slots(clause)}
        return Done(act, clause, clause.filled(said), about)

    def asked_for(self, done: Done, subject: str, *, plural: bool) -> str:
        """Write that an act is to be done, as a clause: 'it should be cancelled', 'a duty about it is to be planned'."""
        voice, clause = self._nouns.voice, done.clause
        if clause.subject is None:
            return f"{voice.pick('we want to', 'we have to', 'we need to')} {clause.base}"
        if not done.about_item:
            subject, plural = clause.subject, clause.plural
        be = "" if clause.active else "be "
        return f"{subject} {voice.modal(plural=plural)} {be}{clause.predicate}"

    def predicate(self, several: Sequence[Done]) -> str | None:
        """Return the acts as one predicate to stand after 'should be'; None when they are not all about the row."""
        if not all(each.about_item and not each.clause.active for each in several):
            return None
        return " and ".join(each.clause.predicate for each in several)

    def short(self, done: Done) -> str | None:
        """Name rows that an act was done to: 'cancelled', 'given 5 places'; None when it is not about the row."""
        if not done.about_item:
            return None
        if done.clause.active:
            verb, _, rest = done.clause.predicate.partition(" ")
            return {"be": rest, "have": f"given {rest}"}.get(verb)
        pattern = done.open.predicate
        found = re.search(r"“?\{(\w+)\}", pattern)
        if found is None:
            return pattern
        if found[1] in self._keys(done.act):
            return re.sub(r"(?: (?:to|in|from|for|by|on|out of|the|name|of))+$", "", pattern[: found.start()].strip())
        return done.clause.predicate

    def made(self, done: Done) -> str | None:
        """Say what was done for a row, as a clause: 'a spending request was submitted', '2 seats were held'."""
        if done.act.tool in actions.DOCUMENTS:
            return "the figure was corrected"
        if done.open.subject is None or done.clause.active or done.about_item:
            return None
        verb = _VERB_ENDS.split(done.open.predicate)[0]
        whole = re.sub(r" “[^”]*”", "", done.clause.subject or "")
        kept = _SUBJECT_ENDS.split(re.sub(r" “[^”]*”", "", done.open.subject))[0]
        subject = "this" if kept.startswith("“") else " ".join(whole.split(" ")[: len(kept.split(" "))])
        if "{" in verb or re.fullmatch(r"\{\w+\}", kept):
            return None
        return f"{subject} {'were' if done.clause.plural and subject != 'this' else 'was'} {verb}"

    # --- slots ----------------------------------------------------------------------------

    def _slots(self, clause: Clause) -> list[str]:
        return re.findall(r"\{(\w+)\}", clause.base)

    def _row(self, act: Act) -> str | None:
        row = self._nouns.vocabulary.tool(act.tool).intent.get("row")
        return str(row) if row else None

    def _keys(self, act: Act) -> set[str]:
        return {"row", *(name for name, value in act.arguments.items() if isinstance(value, Look))}

    def _argument(self, act: Act, slot: str) -> Value | None:
        name = self._row(act) if slot == "row" and slot not in act.arguments else slot
        return act.arguments.get(name) if name else None

    def _said(self, act: Act, slot: str, pronoun: str, *, subject: bool) -> str | AsMany:
        if slot == "document":
            return act.document or "the document"
        value = self._argument(act, slot)
        if value is None:
            raise NoWords(f"{act.tool} says nothing for {slot}")
        if subject:
            return pronoun
        match value:
            case Said():
                return phrases.quoted(phrases.plain(value.value))
            case Ruled():
                return AsMany(f"“{value.document}” states under “{value.words}”")
            case Rest():
                return "that many"
            case Entry():
                return self._nouns.entry(value)
            case Total():
                return "that number" if act.tool == "update_document_row" else self._nouns.total(value)
            case Look():
                return self._look(value, pronoun, self._target(act, slot))
        raise NoWords(f"an argument that is {value.is_}")

    def _target(self, act: Act, slot: str) -> str | None:
        """Return the table of the row that a slot names; None where it holds a plain value."""
        if act.tool in actions.DOCUMENTS:
            return None
        name = self._row(act) if slot == "row" and slot not in act.arguments else slot
        found = self._nouns.vocabulary.key_table(act.tool, name or slot)
        return found.name if found else None

    def _look(self, look: Look, pronoun: str, target: str | None) -> str:
        """Name the row whose key an argument is, or the value that it is."""
        nouns, own = self._nouns, POSSESSIVES.get(pronoun, "its")
        if target is None:
            return nouns.value(look, self._table or "", own)
        start = (self._table or "") if look.thing == ITEM else nouns.plan.things[look.thing].table
        end = look.hops[-1].table if look.hops else start
        hops = look.hops if end == target else (*look.hops, Hop(column=look.column, table=target))
        if look.thing != ITEM:
            return nouns.row(start, hops, nouns.thing(look.thing))
        return nouns.row(start, hops, own) if hops else OBJECTS.get(pronoun, pronoun)
