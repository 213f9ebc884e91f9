"""Plans: what a request wants, in a world's own terms: no words of a language, no tool that only reads.

An author draws a plan and lowers it to a program over tools. Wording says the plan in a language. A reader that
was written apart gets a plan back from the words and the tools' schemas alone, and works it out by its own way.
`meaning` tells whether two plans want the same.

Tables and columns are those of the profile, which the tools' schemas carry as `x-domain` and as names of outputs.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.answers import ValueType
from schemas.identity import sha256_text

Comparator = Literal["is", "is_not", "at_least", "at_most", "above", "below"]
"""How a value is compared; a missing value meets none of them but `is_not`."""
Function = Literal["count", "sum", "mean", "min", "max"]
Purpose = Literal["audit", "reconcile", "restock", "rebook", "plan", "settle", "handover", "report", "budget", "tidy"]
ITEM = -1
"""The place of the row at hand in a pass, where a thing's place is asked for."""


class _Node(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


# --- values -------------------------------------------------------------------------------


class Said(_Node):
    """A constant: the request states it."""

    is_: Literal["said"] = "said"
    value: Any


class Ruled(_Node):
    """A figure that a document of the workspace states: its title, and what the document calls the figure."""

    is_: Literal["ruled"] = "ruled"
    document: str
    words: str


class Hop(_Node):
    """One step from a row to another: `column` of the row holds the key of a row of `table`."""

    column: str
    table: str


class Look(_Node):
    """A value of a row: follow the hops, then read a column, or a figure that a view of that table computes.

    `thing` is the row's place in the plan's things; ITEM is the row that a pass is at.
    """

    is_: Literal["look"] = "look"
    thing: int = ITEM
    hops: tuple[Hop, ...] = ()
    column: str


class Total(_Node):
    """A figure over the rows of `table` that meet the filters, where `reference` holds the item's key (or the group).

    `reference` None: over all rows that meet the filters. `measure` None: their number.
    """

    is_: Literal["total"] = "total"
    table: str
    reference: str | None = None
    filters: tuple[Filter, ...] = ()
    function: Function
    measure: str | None = None


class Entry(_Node):
    """What the document says in a field about the entry that a pass is at."""

    is_: Literal["entry"] = "entry"
    field: str


class Rest(_Node):
    """In a pass that spreads a demand: as much as is left there, but no more than is still needed."""

    is_: Literal["rest"] = "rest"


Value = Annotated[Said | Ruled | Look | Total | Entry | Rest, Field(discriminator="is_")]

# --- rows ---------------------------------------------------------------------------------


class Filter(_Node):
    """A condition on a row's own column; its value is said, a rule's, or read from a thing."""

    column: str
    comparator: Comparator
    value: Said | Ruled | Look = Field(discriminator="is_")


class Order(_Node):
    """By a column: highest, latest or last first when descending. Missing values count as last."""

    column: str
    descending: bool


class Thing(_Node):
    """One row that the request describes: called by its name, ranked among rows, or led to from another thing.

    Exactly one of `name` (its label), `order` (place `rank` from 0 among the rows that meet the filters) and `of`
    (a thing's place and the hop from it) is given. A hop by a row's own key leads to the row that extends it.
    """

    table: str
    name: str | None = None
    filters: tuple[Filter, ...] = ()
    order: Order | None = None
    rank: int = 0
    of: tuple[int, Hop] | None = None


class Best(_Node):
    """The one of several candidates with the highest figure (the lowest, when not descending): a thing of a kind.

    `candidates` are labels of `table`'s rows; with `group` they are values of that column, and the thing is the
    group: only filters may use it, as Look(thing, column=group).
    """

    table: str
    candidates: tuple[Any, ...]
    group: str | None = None
    by: Total
    descending: bool = True


class Rows(_Node):
    """Rows of a table that meet the filters: the first `count` by the order; all of them when `count` is None."""

    is_: Literal["rows"] = "rows"
    table: str
    filters: tuple[Filter, ...] = ()
    order: Order | None = None
    count: int | None = None


class Named(_Node):
    """Rows called by their labels, in the order in which the request names them."""

    is_: Literal["named"] = "named"
    table: str
    names: tuple[str, ...]


class Leaders(_Node):
    """Of each of the first `count` groups by a figure (highest first), the row that leads in an order."""

    is_: Literal["leaders"] = "leaders"
    table: str
    group: str
    by: Total
    count: int
    order: Order


class Entries(_Node):
    """What a document lists, in its order: entries whose first field is a label of `table`'s rows or a value of `column`.

    `column` is the column that the first field holds. `where` keeps entries by a field of their own.
    """

    is_: Literal["entries"] = "entries"
    document: str
    table: str
    column: str
    where: Filter | None = None


class Saved(_Node):
    """Rows that a saved query of a document gives."""

    is_: Literal["saved"] = "saved"
    document: str
    name: str
    table: str


Source = Annotated[Rows | Named | Leaders | Entries | Saved, Field(discriminator="is_")]

# --- what is done -------------------------------------------------------------------------


class Condition(_Node):
    """left comparator right."""

    left: Look | Total | Entry = Field(discriminator="is_")
    comparator: Comparator
    right: Said | Ruled | Look | Total | Entry = Field(discriminator="is_")


class Act(_Node):
    """A call of a tool that writes. `arguments` are all that it takes: keys of rows as Look of the key column.

    `document`: the title of the document that it edits, where that is not the one that the pass goes through.
    """

    tool: str
    arguments: dict[str, Value] = Field(default_factory=dict)
    document: str | None = None


class Branch(_Node):
    """What happens with an item that meets all conditions and that no branch before it took.

    `attempt`: it is taken only if its acts are not refused; an item whose act is refused goes to the next branch.
    No acts: the item is only noted.
    """

    when: tuple[Condition, ...] = ()
    attempt: bool = False
    acts: tuple[Act, ...] = ()


class Demand(_Node):
    """An amount to place over a pass's items in order: on each as much as `left` allows, until nothing is needed."""

    amount: int
    left: Look


class Pass(_Node):
    """Go through the items of a source; the first branch that fits each takes it. Items that none fits stay as they are.

    `whole`: nothing is done unless every item fits the first branch; then all of them take it.
    `demand`: only items with something left are taken, by the only branch, whose acts use Rest.
    """

    source: Source
    branches: tuple[Branch, ...]
    whole: bool = False
    demand: Demand | None = None


class Deed(_Node):
    """One act that the request asks for outside a pass; `attempt`: it may be refused, and then nothing is to happen."""

    act: Act
    attempt: bool = False


# --- what is reported ---------------------------------------------------------------------


class Group(_Node):
    """A figure over the items that a branch took: their number, or a function of a look at each, or the list of looks.

    `branch` len(branches) stands for the items that no branch took (in a whole pass: those that do not fit).
    `function` None: the list, in the order of the pass. Values are as they were before the pass changed anything.
    """

    is_: Literal["group"] = "group"
    pass_: int
    branch: int
    function: Function | None
    look: Look | Entry | None = Field(None, discriminator="is_")


class Difference(_Node):
    """left - right, of two figures."""

    is_: Literal["difference"] = "difference"
    left: Group | Look | Total = Field(discriminator="is_")
    right: Group | Look | Total = Field(discriminator="is_")


class Lead(_Node):
    """Of a Best: its figure, or by how much it leads over the next."""

    is_: Literal["lead"] = "lead"
    thing: int
    over_next: bool = False


class Needed(_Node):
    """What of a pass's demand is still needed in the end."""

    is_: Literal["needed"] = "needed"
    pass_: int


class Outcome(_Node):
    """Whether a whole pass or an attempted deed took place: `done`, or the word that the request gives for why not.

    `words` maps an outcome (`done`, or a refusal's code, or `not_all`) to the word that the answer shall hold.
    """

    is_: Literal["outcome"] = "outcome"
    pass_: int | None = None
    deed: int | None = None
    words: dict[str, str]


Figure = Annotated[Group | Look | Total | Difference | Lead | Needed | Outcome, Field(discriminator="is_")]


class Asked(_Node):
    """One field of the answer: its key, what it holds (after everything was done), and its form."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    figure: Figure
    type: ValueType
    item_type: ValueType | None = None
    digits: int | None = Field(None, description="decimals that a number is rounded to; None: as it is")
    unit: str | None = None
    ordered: bool = True


class Plan(_Node):
    """Things, passes over rows, single deeds, and what is asked for. They happen in that order."""

    purpose: Purpose
    things: tuple[Thing | Best, ...] = ()
    passes: tuple[Pass, ...] = ()
    deeds: tuple[Deed, ...] = ()
    asked: tuple[Asked, ...]


def meaning(plan: Plan) -> str:
    """Return what a plan wants as canonical JSON: equal for plans that differ only in the places of their things.

    The purpose is left out, filters and conditions are sorted, and each use of a thing holds what it is.
    """
    things: list[str] = []
    for thing in plan.things:  # a thing leads only to those before it
        things.append(sha256_text(_text(_plain(thing, things))))
    parts = {
        "passes": [_plain(each, things) for each in plan.passes],
        "deeds": sorted((_plain(each, things) for each in plan.deeds), key=_text),
        "asked": sorted((_plain(each, things) for each in plan.asked), key=_text),
    }
    return _text(parts)


def _plain(node: BaseModel, things: list[str]) -> Any:
    return _place(node.model_dump(mode="json", exclude_defaults=True), things)


def _place(node: Any, things: list[str]) -> Any:
    """Put what a thing is where its place stands, and sort what has no order."""
    if isinstance(node, list):
        return [_place(each, things) for each in node]
    if not isinstance(node, dict):
        return node
    plain = {name: _place(value, things) for name, value in node.items()}
    if isinstance(plain.get("thing"), int) and plain["thing"] != ITEM:
        plain["thing"] = things[plain["thing"]]
    if isinstance(plain.get("of"), list):
        plain["of"] = [things[plain["of"][0]], plain["of"][1]]
    for unordered in ("filters", "when"):
        if unordered in plain:
            plain[unordered] = sorted(plain[unordered], key=_text)
    return plain


def _text(node: Any) -> str:
    return json.dumps(node, sort_keys=True, ensure_ascii=False)


for _model in (
    Total,
    Filter,
    Thing,
    Best,
    Rows,
    Leaders,
    Entries,
    Condition,
    Act,
    Branch,
    Pass,
    Deed,
    Group,
    Asked,
    Plan,
):
    _model.model_rebuild()
