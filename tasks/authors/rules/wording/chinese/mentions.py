"""How rows and their values are mentioned in Chinese: 状态为“open”的工单中开立时间最早的那张, 其目的地机场的海拔."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from schemas.plans import ITEM, Best, Entry, Filter, Function, Hop, Look, Plan, Ruled, Said, Thing, Total
from schemas.profiles import ColumnProfile
from tasks.authors.rules.wording.chinese import terms, values
from tasks.authors.rules.wording.vocabulary import Vocabulary, plain_field

_MARKS = "甲乙丙丁戊己庚辛壬癸"
"""What tells things apart that are taken up again."""
_INTRODUCTIONS = (
    "下文的“{short}”指{full}。",
    "这里说的“{short}”是{full}。",
    "“{short}”即{full}。",
    "以“{short}”代指{full}。",
    "{full}在下文叫作“{short}”。",
    "{full}，以下简称“{short}”。",
)
_TELLING = ("还", "已", "现", "对应", "在手", "给出", "被", "举报过", "上过")
_FUNCTIONS: dict[Function, tuple[str, ...]] = {
    "sum": ("合计", "总和"),
    "mean": ("平均值", "均值"),
    "min": ("最小值",),
    "max": ("最大值",),
    "count": ("数量",),
}
_MOMENTS: dict[Function, tuple[str, ...]] = {"min": ("最早值",), "max": ("最晚值",)}


def function_words(function: Function, column: ColumnProfile, rng: random.Random) -> str:
    """Name a figure over values of a column: 起飞延误平均值."""
    ways = _MOMENTS.get(function) if column.role == "time" else None
    return f"{terms.column(column)}{rng.choice(ways or _FUNCTIONS[function])}"


class Mentions:
    """Says things, rows and values of one plan; a thing that is used more often is given a name where it comes first."""

    def __init__(self, plan: Plan, vocabulary: Vocabulary, rng: random.Random) -> None:
        self.plan, self.vocabulary, self.rng = plan, vocabulary, rng
        written = vocabulary.written(plan)
        self._moving = [n for n, thing in enumerate(plan.things) if thing.table in written and _is_found(thing)]
        self._introduced = _introduced(plan) | set(self._moving)
        self._named: dict[int, str] = {}
        self._introductions: list[str] = []

    def item(self, table: str) -> str:
        """Take up the row at hand: 该工单."""
        profile = self.vocabulary.table(table)
        return self.rng.choice(("该", f"这{terms.measure_word(profile)}")) + terms.noun(profile)

    def introduce_moving(self) -> str:
        """Return what things are whose rows the plan changes: that must be clear before anything is done."""
        for place in self._moving:
            self.thing(place)
        return self.introductions()

    def introductions(self) -> str:
        """Return, once, the sentences that say what the things are that were mentioned by a short name."""
        said, self._introductions = "".join(self._introductions), []
        return said

    # --- things ---------------------------------------------------------------------------

    def thing(self, place: int) -> str:
        """Mention a thing: in place, or by a short name that a sentence of its own introduces."""
        if place in self._named:
            return self._named[place]
        thing = self.plan.things[place]
        full = self._best(thing) if isinstance(thing, Best) else self._described(thing)
        if place not in self._introduced:
            return full
        short = self._named[place] = self._short(thing)
        self._introductions.append(self.rng.choice(_INTRODUCTIONS).format(short=short, full=full))
        return short

    def _short(self, thing: Thing | Best) -> str:
        group = isinstance(thing, Best) and thing.group
        head = self.column(thing.table, str(group)) if group else terms.noun(self.vocabulary.table(thing.table))
        marks = [*_MARKS, *(str(n) for n in range(len(_MARKS) + 1, len(self.plan.things) + 1))]
        return next(f"{head}{mark}" for mark in marks if f"{head}{mark}" not in self._named.values())

    def _described(self, thing: Thing) -> str:
        table = self.vocabulary.table(thing.table)
        if thing.name is not None:
            return f"{terms.noun(table)}“{thing.name}”"
        if thing.of is not None:
            place, hop = thing.of
            return self._led(self.thing(place), self.plan.things[place].table, hop)
        assert thing.order is not None
        column = self.vocabulary.column(thing.table, thing.order.column)
        pole = values.extreme(column, thing.order.descending)
        top = terms.column(column) + (values.place(thing.rank) + pole.removeprefix("最") if thing.rank else pole)
        one = terms.measure_word(table)
        rows = self.rows(thing.table, thing.filters)
        ways = [f"{rows}当中{top}的那{one}", f"{rows}里{top}的一{one}"]
        return self.rng.choice(ways if thing.filters else [*ways, f"{top}的那{one}{terms.noun(table)}"])

    def _led(self, owner: str, table: str, hop: Hop) -> str:
        if self.vocabulary.is_same_row(table, hop):
            return owner
        role = terms.role(self.vocabulary.role(table, hop))
        return _joined(owner, f"对应的{role}" if self.vocabulary.extends(table, hop) else role)

    def _best(self, best: Best) -> str:
        quoted = values.listed([values.value(each) for each in best.candidates])
        kind, one = self._kind(best)
        figure = self.total(best.by, "其")
        count = values.number(len(best.candidates))
        pole = self.top(best.by, descending=best.descending)
        return f"{quoted}这{count}{one}{kind}中，{figure}{pole}的那{one}"

    def _kind(self, best: Best) -> tuple[str, str]:
        if best.group is not None:
            return self.column(best.table, best.group), "个"
        table = self.vocabulary.table(best.table)
        return terms.noun(table), terms.measure_word(table)

    # --- rows -----------------------------------------------------------------------------

    def rows(self, table: str, filters: tuple[Filter, ...]) -> str:
        """Mention the rows of a table that meet the filters: 优先级为“high”、状态为“open”的工单."""
        noun = terms.noun(self.vocabulary.table(table))
        if not filters:
            return noun
        if len(filters) == 1 and (owner := self._owner(table, filters[0])):
            return f"{owner}的{noun}"
        shuffled = self.rng.sample(filters, len(filters))
        return f"{'、'.join(self._filtered(table, each) for each in shuffled)}的{noun}"

    def _owner(self, table: str, each: Filter) -> str | None:
        """Return the short name of the thing that rows belong to, where they refer to nothing else of its kind."""
        if not isinstance(each.value, Look) or each.value.thing not in self._named or each.value.hops:
            return None
        thing = self.plan.things[each.value.thing]
        plain = terms.role(self.vocabulary.reference(table, each.column)) == terms.noun(
            self.vocabulary.table(thing.table)
        )
        return self._owner_key(each.value) if plain else None

    def _filtered(self, table: str, each: Filter) -> str:
        column = self.vocabulary.column(table, each.column)
        if (belongs_to := self._owner(table, each)) is not None:
            return f"属于{belongs_to}"
        if isinstance(each.value, Look) and (owner := self._owner_key(each.value)):
            role = terms.role(self.vocabulary.reference(table, each.column))
            alike = owner.removesuffix(f"的{role}")
            named = owner.removeprefix(role) if owner.startswith(f"{role}“") else owner
            return f"{role}为{named}" if alike == owner else f"{role}与{alike.removesuffix('对应')}相同"
        said = self.value(each.value, column, table)
        name = terms.column(column)
        own = terms.part(name, terms.noun(self.vocabulary.table(table)))
        return f"{own}{values.compared(column, each.comparator, said, self.rng)}"

    def _owner_key(self, look: Look) -> str | None:
        """Return the thing whose key is looked at, since people name the thing and not its key."""
        thing = self.plan.things[look.thing] if look.thing != ITEM else None
        if thing is None or look.hops:
            return None
        is_group = isinstance(thing, Best) and thing.group == look.column
        return self.thing(look.thing) if is_group or look.column == self.vocabulary.table(thing.table).key else None

    # --- values ---------------------------------------------------------------------------

    def value(self, value: Any, column: ColumnProfile | None = None, table: str = "", owner: str = "其") -> str:
        """Mention a value: a constant, a rule's figure, or a value of a row."""
        match value:
            case Said():
                return values.value(value.value, column)
            case Ruled():
                return f"文档“{value.document}”所载的“{value.words}”"
            case Look():
                return self.look(value, table, owner)
            case Total():
                return self.total(value, owner)
            case Entry():
                return self.entry(value)
        raise TypeError(f"no value that is compared: {value}")

    def entry(self, entry: Entry) -> str:
        """Mention what a document says about the entry at hand."""
        field = plain_field(entry.field)
        return self.rng.choice((f"文档里该条目的“{field}”", f"文档中记载的“{field}”"))

    def look(self, look: Look, table: str, owner: str = "其") -> str:
        """Mention a value of a row; `table` and `owner` are of the row at hand ("" where it was named just before).

        A row that only extends another is passed over: people say a flight's free seats, not those of its inventory.
        """
        if look.thing != ITEM:
            table, owner = self.plan.things[look.thing].table, self._extended(look)
        for hop in look.hops:
            owner, table = owner if self._adds(table, hop) else self._led(owner, table, hop), hop.table
        return _joined(owner, terms.part(self.column(table, look.column), terms.noun(self.vocabulary.table(table))))

    def _extended(self, look: Look) -> str:
        thing = self.plan.things[look.thing]
        if isinstance(thing, Thing) and thing.of and look.thing not in self._introduced:
            place, hop = thing.of
            if self._adds(self.plan.things[place].table, hop):
                return self.thing(place)
        return self.thing(look.thing)

    def _adds(self, table: str, hop: Hop) -> bool:
        """Say whether a hop leads to the row that extends one, not back from it to what it extends."""
        return self.vocabulary.extends(table, hop) and self.vocabulary.refers(table, hop.column) is None

    def row(self, look: Look, table: str, owner: str) -> str:
        """Mention the row whose key a look reads; `table` and `owner` are of the row at hand."""
        if look.thing != ITEM:
            table, owner = self.plan.things[look.thing].table, self.thing(look.thing)
        for hop in look.hops:
            owner, table = self._led(owner, table, hop), hop.table
        if look.column == self.vocabulary.table(table).key:
            return owner
        return _joined(owner, terms.role(self.vocabulary.reference(table, look.column)))

    def total(self, total: Total, owner: str) -> str:
        """Mention a figure over the rows that refer to an owner, or that are of its kind: 以该机场为目的地机场的航班的数量."""
        rows = self._about(total, owner) if total.reference else self.rows(total.table, total.filters)
        if total.measure is None:
            return f"{rows}的数量"
        return f"{rows}的{function_words(total.function, self.vocabulary.column(total.table, total.measure), self.rng)}"

    def top(self, total: Total, *, descending: bool) -> str:
        """Say which end of a figure comes first: 最多 where rows are counted, 最高 where they are measured."""
        if total.measure is None:
            return "最多" if descending else "最少"
        column = self.vocabulary.column(total.table, total.measure)
        if column.role == "time":
            return values.extreme(column, descending)
        return "最高" if descending else "最低"

    def _about(self, total: Total, owner: str) -> str:
        assert total.reference is not None
        rows, reference = self.rows(total.table, total.filters), self.column(total.table, total.reference)
        target = self.vocabulary.refers(total.table, total.reference)
        if target is None:
            return f"该{reference}的{rows}" if owner == "其" else f"{reference}与{owner}相同的{rows}"
        role = terms.role(self.vocabulary.reference(total.table, total.reference))
        if role == terms.noun(self.vocabulary.table(target)):
            return _joined(owner, rows)
        return f"以{owner}为{role}{'、' if total.filters else '的'}{rows}"

    def column(self, table: str, name: str) -> str:
        """Return what a column or figure of a table is called."""
        return terms.column(self.vocabulary.column(table, name))


def _joined(owner: str, part: str) -> str:
    """Put an owner before what is its own, with 的 unless the part tells what it did: 评分人给出的评分数."""
    return f"{owner}{part}" if owner in ("", "其") or part.startswith(_TELLING) else f"{owner}的{part}"


def _is_found(thing: Thing | Best) -> bool:
    """Say whether a thing is the first in an order, which acts may change."""
    return isinstance(thing, Best) or thing.order is not None


def _introduced(plan: Plan) -> set[int]:
    """Return the places of things that need a short name: ranked ones that are used again or lead on, and long ways."""
    within = Counter(_used(plan.things))
    uses = within + Counter(_used((plan.passes, plan.deeds, plan.asked)))
    found: set[int] = set()
    for place, thing in enumerate(plan.things):
        if isinstance(thing, Best) or (thing.order is not None and (uses[place] > 1 or within[place])):
            found.add(place)
        elif thing.of is not None and within[place] and thing.of[0] not in found:
            led = plan.things[thing.of[0]]
            if isinstance(led, Thing) and led.of is not None:
                found.add(place)
    return found


def _used(node: Any) -> Iterator[int]:
    """Yield the places of things that a node of a plan uses."""
    if isinstance(node, tuple | list):
        for each in node:
            yield from _used(each)
    if not isinstance(node, BaseModel):
        return
    for name in type(node).model_fields:
        value = getattr(node, name)
        if name == "thing" and value != ITEM:
            yield value
        elif name == "of" and value is not None:
            yield value[0]
        else:
            yield from _used(value)
