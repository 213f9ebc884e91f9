"""Passes: what is done with each row of a source, under which conditions, and what with those that are left."""

from __future__ import annotations

from schemas.plans import Act, Branch, Demand, Entries, Look, Pass, Rest
from tasks.verification.reading.chinese.grammar import Grammar, Known, Readings


class Passes:
    """Rules for passes: the sentence that tells the source, and those that tell what is done with its rows."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        for phrase in ("modal", "trying", "refused", "rest", "untouched"):
            grammar.add_patterns(phrase)
        grammar.add_patterns("heading", lambda known: (known.get("count"), known["source"]))
        grammar.add_patterns("done", lambda known: (known["act"],))
        grammar.add_patterns("taken", _taken)
        grammar.add_patterns("left_over", _left_over)
        grammar.add_patterns("branches", lambda known: (known["taken"], *known.get("left_over", ())))
        grammar.add_patterns("noted", lambda known: (Branch(when=known["when"]),))
        grammar.add_patterns("whole", lambda known: (Branch(when=known["when"], acts=known["done"]),))
        grammar.add_patterns("spread", _spread)
        grammar.add("pass", self._pass)

    def _pass(self, at: int, known: Known) -> Readings:
        """Read a pass with the number that the request gives it, if any."""
        for (number, source), start in self._grammar.read("heading", at):
            item = source.table
            listed = source.column if isinstance(source, Entries) else None
            for rule in ("branches", "noted"):
                for branches, end in self._grammar.read(rule, start, item=item, listed=listed):
                    yield (number, Pass(source=source, branches=branches)), end
            for branches, end in self._grammar.read("whole", start, item=item):
                yield (number, Pass(source=source, branches=branches, whole=True)), end
            for (branch, demand), end in self._grammar.read("spread", start, item=item):
                yield (number, Pass(source=source, branches=(branch,), demand=demand)), end


def _taken(known: Known) -> Branch:
    return Branch(when=known.get("when", ()), attempt="trying" in known, acts=known["done"])


def _left_over(known: Known) -> tuple[Branch, ...]:
    """Return the branches for rows that those before left; none where they are to stay as they are."""
    if "taken" in known:
        return (known["taken"], *known.get("left_over", ()))
    if "done" in known:
        own = Branch(attempt="trying" in known, acts=known["done"])
        return (own, *known.get("left_over", ()))
    return ()


def _spread(known: Known) -> tuple[Branch, Demand] | None:
    acts: tuple[Act, ...] = known["done"]
    left: Look = known["look"].said
    if not any(isinstance(value, Rest) for value in acts[0].arguments.values()):
        return None
    return Branch(acts=acts), Demand(amount=known["number"], left=left)
