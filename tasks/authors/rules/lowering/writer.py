"""The program in the making: blocks of statements, fresh names, and what is known at each place of it.

A read is made once as long as no write touched what is wanted of it; what a branch or a loop found out is forgotten
behind it. A read that is watched is made again only after a write that touched it, however often a loop comes by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass

from schemas.identity import canonical_json
from schemas.programs import Call, Compare, Condition, Const, Expression, ForEach, If, Let, Ref, Statement
from schemas.tools import Tool
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.footprints import Footprints, Place


class CannotLower(ValueError):
    """The environment's tools cannot do what a plan wants; the message says what."""


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class _Known:
    """The result of a read, and how many writes came before it."""

    result: Ref
    moment: int


@dataclass(frozen=True)
class _Watched:
    """A read whose result `call.bind` holds, unless the flag says that a write touched what is wanted of it."""

    call: Call
    stale: str
    wanted: frozenset[Place]


class Writer:
    """Collects statements in nested blocks."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.footprints = Footprints(catalog)
        self.body: list[Statement] = []
        self.depth = 0
        self._names: Counter[str] = Counter()
        self._known: dict[str, _Known] = {}
        self._watched: dict[str, _Watched] = {}
        self._writes = 0
        self._touched: dict[Place, int] = {}

    def name(self, stem: str) -> str:
        """Return a variable's name that is not taken: stem, stem_2, …"""
        self._names[stem] += 1
        return stem if self._names[stem] == 1 else f"{stem}_{self._names[stem]}"

    def add(self, *statements: Statement) -> None:
        """Append statements to the block at hand."""
        self.body += statements

    # --- calls ----------------------------------------------------------------------------

    def read(self, tool: Tool, arguments: Mapping[str, Expression], stem: str, wanted: Set[Place] | None = None) -> Ref:
        """Call a tool that only reads and return its result; that of the same call before, if what is wanted still holds."""
        wanted = self.footprints.rows(tool) if wanted is None else wanted
        text = _text(tool, arguments)
        known = self._known.get(text)
        if known is None or self.is_stale(wanted, known.moment):
            self._known[text] = known = _Known(self._call(tool, arguments, stem), self._writes)
        return known.result

    def _call(self, tool: Tool, arguments: Mapping[str, Expression], stem: str) -> Ref:
        watched = self._watched.get(_text(tool, arguments))
        if watched is None:
            call = Call(bind=self.name(stem), tool=tool.name, arguments=dict(arguments))
            self.add(call)
            return Ref(name=call.bind)
        stale = Compare(operator="==", left=Ref(name=watched.stale), right=Const(value=True))
        self.add(If(condition=stale, then=(watched.call, Let(bind=watched.stale, value=Const(value=False)))))
        return Ref(name=watched.call.bind)

    def watch(self, tool: Tool, arguments: Mapping[str, Expression], stem: str, wanted: Set[Place]) -> None:
        """From now on make a read only when it was not made yet, or a write touched what is wanted of it since."""
        text = _text(tool, arguments)
        before, known = self._watched.get(text), self._known.pop(text, None)
        if before is not None and wanted <= before.wanted:
            return
        holds = known is not None and not self.is_stale(wanted, known.moment)
        bind = known.result.name if known and holds else self.name(stem)
        call, stale = Call(bind=bind, tool=tool.name, arguments=dict(arguments)), self.name("stale")
        self.add(Let(bind=stale, value=Const(value=not holds)))
        self._watched[text] = _Watched(call, stale, frozenset(wanted | (before.wanted if before else set())))

    def write(self, tool: Tool, arguments: Mapping[str, Expression], may_refuse: bool = False) -> Ref:
        """Call a tool that writes. After one that may be refused, `wrote` is to be said where it was not."""
        bind = self.name("changed")
        self.add(Call(bind=bind, tool=tool.name, arguments=dict(arguments), may_refuse=may_refuse))
        if not may_refuse:
            self.wrote(tool)
        return Ref(name=bind)

    def wrote(self, tool: Tool) -> None:
        """Note that a tool has written here."""
        places = self.footprints.written([tool])
        self._touch(places)
        for watched in self._watched.values():
            if watched.wanted & places:
                self.add(Let(bind=watched.stale, value=Const(value=True)))

    def _touch(self, places: Iterable[Place]) -> None:
        self._writes += 1
        self._touched |= dict.fromkeys(places, self._writes)

    @property
    def moment(self) -> int:
        """The number of writes so far, to ask `is_stale` with."""
        return self._writes

    def is_stale(self, places: Iterable[Place], moment: int) -> bool:
        """Say whether any of some places was written since a moment."""
        return any(self._touched.get(place, 0) > moment for place in places)

    # --- blocks ---------------------------------------------------------------------------

    @contextmanager
    def block(self) -> Iterator[list[Statement]]:
        """Open a block of its own; what is found out in it is forgotten at its end, what it wrote is not."""
        outer, known = self.body, dict(self._known)
        self.body = []
        self.depth += 1
        try:
            yield self.body
        finally:
            self.body, self._known, self.depth = outer, known, self.depth - 1

    @contextmanager
    def loop(self, item: str, over: Expression, writes: Iterable[Tool]) -> Iterator[None]:
        """Open the body of a loop; what its writes touch is not known in it, since a round before may have written."""
        self._touch(self.footprints.written(writes))
        with self.block() as body:
            yield
        self.add(ForEach(item=item, over=over, body=tuple(body)))

    def branch(self, condition: Condition, then: Callable[[], None], otherwise: Callable[[], None] = _nothing) -> None:
        """Add a branch; what one of its blocks wrote does not count in the other, but behind both."""
        before = dict(self._touched)
        with self.block() as met:
            then()
        after, self._touched = self._touched, before
        with self.block() as not_met:
            otherwise()
        self._touched |= {place: max(moment, self._touched.get(place, 0)) for place, moment in after.items()}
        if met or not_met:
            self.add(If(condition=condition, then=tuple(met), otherwise=tuple(not_met)))


def _text(tool: Tool, arguments: Mapping[str, Expression]) -> str:
    return canonical_json([tool.name, {name: value.model_dump(mode="json") for name, value in arguments.items()}])
