"""Acts in words: an action's phrase turned into a clause with a subject and a participle, or kept as an infinitive.

Phrases come from the tools ("assign {row} to {crew_id}"). Most are a verb, its object and the rest, which makes
"{row} should be assigned to {crew_id}"; "let {row} have {places} places" is already about what its row should do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tasks.authors.rules.wording.english import grammar

_SLOT = r"“?\{\w+\}”?"
_APART = "back|off|up|down|out|in|over|again|once|to|as|on|into|from|for|with|by|at|against|about|through"
"""Words after a slot that belong to the verb, or open the rest."""
_ENDS = rf"(?= (?:{_APART}|of|onto)\b|[,:]|$)"
_OBJECT = re.compile(
    rf"(?:the|a|an|that) [^{{]*?{_SLOT}(?: (?:copies|units) of {_SLOT})?"
    rf"|{_SLOT} (?!(?:{_APART})\b)[a-z]+(?: of {_SLOT})?{_ENDS}"
    rf"|{_SLOT}"
)
_PARTICLE = re.compile(r"(book in) ")
_LET = re.compile(r"let (\{\w+\}) (.+)")
_SEE_TO_IT = re.compile(r"see to it that (\{\w+\}) is (.+)")
_HAVE = re.compile(r"have (\{\w+\}) (\w+)")
_AND = re.compile(r" and (\w+) (?=them\b)")
_STATES = ("have ", "be ")
_KEPT = ("ask for ", "record that ", "set up ", "schedule ")
"""Phrases whose object cannot lead a sentence well: they stay infinitives."""


@dataclass(frozen=True)
class Clause:
    """An act in words, its slots still open.

    `base`: "assign {row} to {crew_id}". `subject` and `predicate`: "{row}" and "assigned to {crew_id}", to stand after
    a form of to be; `active`: the predicate is a verb that stands after "should" itself; None: only the base form.
    """

    base: str
    subject: str | None = None
    predicate: str = ""
    active: bool = False

    def filled(self, said: Mapping[str, str | AsMany]) -> Clause:
        """Put words into the slots."""
        subject = _fill(self.subject, said) if self.subject is not None else None
        return Clause(_fill(self.base, said), subject, _fill(self.predicate, said), self.active)

    @property
    def plural(self) -> bool:
        """Whether the subject is plural: '2 seats', 'the reports about it'."""
        return self.subject is not None and not self.subject.startswith("1 ") and grammar.is_plural(self.subject)

    def slot(self) -> str | None:
        """Return the slot that is the whole subject, or None."""
        found = re.fullmatch(r"\{(\w+)\}", self.subject or "")
        return found[1] if found else None


@dataclass(frozen=True)
class AsMany:
    """An amount that stands elsewhere: 'as many seats as …'."""

    where: str


def _fill(text: str, said: Mapping[str, str | AsMany]) -> str:
    def put(slot: re.Match[str]) -> str:
        value, noun = said[slot[2]], slot[4] or ""
        if isinstance(value, AsMany):
            return f"as many{noun} as {value.where}" if noun else f"as much as {value.where}"
        if value == "1" and noun:
            noun = f" {grammar.singular(noun.strip())}"
        return f"{slot[1]}{value.strip('“”') if slot[1] else value}{slot[3]}{noun}"

    return re.sub(rf"(“?)\{{(\w+)\}}(”?)( (?!(?:{_APART}|of|and)\b)(?:[a-z]+s|people)\b)?", put, text)


DOCUMENTS = {
    "update_document_row": Clause("correct “{column}” there to {value}", "“{column}” there", "corrected to {value}"),
    "replace_document_section": Clause(
        "replace the section “{heading}” of “{document}” by “{text}”",
        "the section “{heading}” of “{document}”",
        "replaced by “{text}”",
    ),
    "set_document_value": Clause(
        "set “{part}” in “{document}” to {value}", "“{part}” in “{document}”", "set to {value}"
    ),
}
"""Clauses for tools that edit documents."""


def clause(pattern: str) -> Clause:
    """Make a clause of an action's phrase."""
    for active, form in ((False, _SEE_TO_IT), (False, _HAVE), (True, _LET)):
        found = form.fullmatch(pattern)
        if found:
            allowed = active and found[1] == "{row}" and not found[2].startswith(_STATES)
            return Clause(pattern, found[1], f"be allowed to {found[2]}" if allowed else found[2], active)
    if pattern.startswith(_KEPT):
        return Clause(pattern)
    particle = _PARTICLE.match(pattern)
    verb, rest = (particle[1], pattern[particle.end() :]) if particle else pattern.split(" ", 1)
    thing = _OBJECT.match(rest)
    if thing is None:
        return Clause(pattern)
    first, *others = verb.split(" ")
    predicate = " ".join([grammar.participle(first), *others]) + rest[thing.end() :]
    predicate = _AND.sub(lambda also: f" and {grammar.participle(also[1])} ", predicate).replace(" them to ", " to ")
    return Clause(pattern, thing[0], predicate)
