"""What a request has spoken of so far: values that later calls can take, and values that can be asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from schemas.profiles import ColumnProfile
from schemas.programs import Call, Const, Distinct, Expression, Ref, Statement
from tasks.authors.base import Explorer

LONGEST_NAME = 200
"""Characters of a full name; what has a longer one is not spoken of again, nor asked for."""
Token = tuple[str, int]
"""A row that was spoken of: its table, and the how many-th of that table it was."""


@dataclass(frozen=True)
class Mention:
    """A value that a step's output holds, by its domain, the table whose row it names, and how the request calls that.

    The table is not always the domain's: a row that extends another one has that one's key.
    `phrase` is right as long as each of `needs` is the row of its table that was spoken of last
    ('that flight', 'the airline of that flight'); `full` stands alone ('the flight with the highest distance').
    """

    step: int
    domain: str
    table: str
    ref: Ref
    phrase: str
    full: str
    needs: tuple[Token, ...] = ()
    status: str | None = None


@dataclass(frozen=True)
class Offer:
    """A value of a step's output that the answer may ask for, with a short name for its key."""

    name: str
    description: str
    ref: Ref
    column: ColumnProfile


@dataclass
class Step:
    """One call of a walk with its sentence; `takes` are the steps whose outputs it needs."""

    call: Call
    sentence: str
    read_only: bool
    takes: list[int] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    ties: list[Distinct] = field(default_factory=list)

    def statements(self) -> list[Statement]:
        """Return the call and the ties that must not be."""
        return [self.call, *self.ties]


class Context:
    """The steps, what they returned, and the mentions of a walk so far."""

    def __init__(self, explorer: Explorer) -> None:
        self.steps: list[Step] = []
        self._explorer = explorer
        self._observations: dict[str, Any] = {}
        self._mentions: list[Mention] = []
        self._used: set[tuple[str, int]] = set()
        self._spoken: Counter[str] = Counter()
        self._tokens: dict[int, Token] = {}

    def bind(self) -> str:
        """Return the variable name of the step being written."""
        return f"step_{len(self.steps) + 1}"

    def execute(self, call: Call) -> bool:
        """Try a call with the values known so far; False when its tool refuses it."""
        arguments = {name: self.value(argument) for name, argument in call.arguments.items()}
        observation = self._explorer.call(call.tool, arguments)
        self._observations[call.bind] = observation
        return isinstance(observation, dict) and "error" not in observation

    def value(self, expression: Expression) -> Any:
        """Return what a constant or a reference stands for; None where the path leads nowhere."""
        if isinstance(expression, Const):
            return expression.value
        if not isinstance(expression, Ref):
            raise TypeError(f"a walk has constants and references only: {expression!r}")
        value = self._observations[expression.name]
        for part in expression.path:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def latest(self, domain: str, tool: str) -> Mention | None:
        """Return the last mention of a domain, unless `tool` took it before.

        "That flight" is the flight spoken of last: an older one can't be meant.
        """
        for index in range(len(self._mentions) - 1, -1, -1):
            if self._mentions[index].domain == domain:
                return None if (tool, index) in self._used else self._mentions[index]
        return None

    def beside(self, mention: Mention) -> set[str]:
        """Return the names of the values that were known together with a mention, its own included."""
        record = self.value(Ref(name=mention.ref.name, path=mention.ref.path[:-1]))
        return set(record) if isinstance(record, dict) else set()

    def mark_used(self, mention: Mention, tool: str) -> None:
        """Keep `tool` from asking the same of the same row again."""
        self._used.add((tool, self._mentions.index(mention)))

    def speak(self, table: str) -> Token:
        """Record that a row of a table is spoken of: "that flight" means it from now on."""
        self._spoken[table] += 1
        return table, self._spoken[table]

    def said(self, mention: Mention) -> str:
        """Return how a sentence names a mention now: by its phrase while that is right, else in full."""
        fresh = all(self._spoken[table] == number for table, number in mention.needs)
        return mention.phrase if fresh else mention.full

    def pointed_at(self, mention: Mention) -> Token:
        """Return the token by which a mention's own row is meant after a sentence that named it."""
        index = self._mentions.index(mention)
        token = self._tokens.get(index)
        if token is None or self._spoken[token[0]] != token[1]:
            token = self._tokens[index] = self.speak(mention.table)
        return token

    def mention(self, mention: Mention) -> None:
        """Record that a step makes a value known, if there is one and it has a name short enough."""
        if self.value(mention.ref) is not None and len(mention.full) <= LONGEST_NAME:
            own = [token for token in mention.needs if token[0] == mention.table]
            if own:
                self._tokens[len(self._mentions)] = own[0]
            self._mentions.append(mention)


def prune(steps: list[Step], most_asked: int, fewest_steps: int) -> list[int]:
    """Return the indices of the steps worth keeping, in order (the paper's review of a filled chain).

    A read that nothing takes from must be asked for in the answer; where more than `most_asked`
    are, the earliest of them go, with what only they needed, as long as `fewest_steps` remain.
    Reads with nothing to offer always go.
    """
    kept = set(range(len(steps)))
    while True:
        needed = {index for step in kept for index in steps[step].takes}
        loose = [i for i in sorted(kept) if i not in needed and steps[i].read_only]
        empty = [i for i in loose if not steps[i].offers]
        if empty:
            kept -= set(empty)
        elif len(loose) > most_asked and len(kept) > fewest_steps:
            kept.remove(loose[0])
        else:
            return sorted(kept)
