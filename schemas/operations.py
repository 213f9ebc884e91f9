"""Operations: what may be done to a world's tables and under which conditions, as data.

An author states each write once, as an `Action`. From it follow the Python tool (a compiler), its expected
effects (an interpreter over plain rows that shares no code with the tool), its unit tests, and the sentences
of requests. Order within an action: arguments are checked (refusal `invalid_argument`), rows are found
(`not_found`), guards hold in their order (their own codes), then effects happen in theirs. A refused call
changes nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.profiles import ColumnType


class _Node(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


# --- values -------------------------------------------------------------------------------


class Given(_Node):
    """The call's argument of that name."""

    op: Literal["given"] = "given"
    name: str


class Fixed(_Node):
    """A literal."""

    op: Literal["fixed"] = "fixed"
    value: Any


class Cell(_Node):
    """A column of a row that was found before: `row` is the binding of a Find, or `row` in a view."""

    op: Literal["cell"] = "cell"
    row: str
    column: str


class Now(_Node):
    """The time of the call, YYYY-MM-DDTHH:MM:SS; with `days`, the date so many days later, YYYY-MM-DD."""

    op: Literal["now"] = "now"
    days: int | None = None


class Tally(_Node):
    """Over the rows of `table` that meet all of `where`: their number, or the sum of `column` (0 of none).

    `besides` is the binding of a found row of the same table that is left out.
    """

    op: Literal["tally"] = "tally"
    table: str
    column: str | None = None
    where: tuple[Match, ...] = ()
    besides: str | None = None


class Combine(_Node):
    """left (+ - *) right; null when either is. Results that are no whole numbers are rounded to 2 decimals."""

    op: Literal["combine"] = "combine"
    operator: Literal["+", "-", "*"]
    left: Value
    right: Value


Value = Annotated[Given | Fixed | Cell | Now | Tally | Combine, Field(discriminator="op")]


class Match(_Node):
    """A row's column equals a value, or is one of several."""

    column: str
    equals: Value | None = None
    one_of: tuple[Any, ...] | None = None


# --- actions ------------------------------------------------------------------------------


class Argument(_Node):
    """One argument of an action.

    `key_of` names the table whose key it is (which gives it its domain), or the table that it must be found in.
    `draws` names the vocabulary that requests and tests draw a free text from (see the author's vocabulary).
    An optional argument that is left out leaves its column as it is (Change) or null (Insert), and guards that
    mention it are passed over.
    """

    name: str
    description: str
    type: ColumnType
    required: bool = True
    key_of: str | None = None
    choices: tuple[str, ...] | None = None
    minimum: float | None = None
    maximum: float | None = None
    longest: int | None = Field(None, description="of a text, in characters; texts are printable and not blank")
    draws: str | None = None


class Find(_Node):
    """bind = the row of `table` with this key; none is refused as `not_found`."""

    bind: str
    table: str
    key: Value


class Guard(_Node):
    """What must hold, or the call is refused with `code`.

    Either `value` compares with `than` (a null on either side holds for == and != only as SQL's IS does, and
    never for the others), or `value` is one of `one_of`. In `message`, {0}, {1}, … are the values `tells`.
    A guard of a policy document names its rule.
    """

    code: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    message: str
    value: Value
    operator: Literal["==", "!=", "<", "<=", ">", ">="] | None = None
    than: Value | None = None
    one_of: tuple[Any, ...] | None = None
    tells: tuple[Value, ...] = ()
    rule: str | None = Field(None, description="id of the policy document's rule that it enforces")


class Insert(_Node):
    """A new row under the next free whole number as its key, bound to `bind`."""

    do: Literal["insert"] = "insert"
    bind: str
    table: str
    values: dict[str, Value]


class Change(_Node):
    """New values for columns of the found row `row`."""

    do: Literal["change"] = "change"
    row: str
    values: dict[str, Value]


class Remove(_Node):
    """The found row `row` goes. Guards must have made sure that no row refers to it."""

    do: Literal["remove"] = "remove"
    row: str


Effect = Annotated[Insert | Change | Remove, Field(discriminator="do")]


class Action(_Node):
    """One write tool. It returns the row bound to `returns` as it is afterwards (of a removed one, as it was).

    `requests` are ways to ask for it in plain words, each a clause without a full stop; {row} stands for the
    row to change, {argument} for an argument (of a key: the row it names): "hold {seats} seats on {flight_id}".
    `table` is the table of the row that it is about.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    verb: Literal["create", "update", "transition", "delete"]
    table: str
    description: str
    arguments: tuple[Argument, ...]
    finds: tuple[Find, ...] = ()
    guards: tuple[Guard, ...] = ()
    effects: tuple[Effect, ...]
    returns: str
    requests: tuple[str, ...] = Field(min_length=1)


class Figure(_Node):
    """A whole number computed for a row (bound to `row`): its value, description, and how a person calls it."""

    name: str
    value: Value
    description: str
    words: str


class View(_Node):
    """A read tool that looks one row of `table` up by its key, together with computed figures."""

    name: str
    table: str
    description: str
    figures: tuple[Figure, ...]


class Operations(_Node):
    """What one archetype adds to a world: views and actions over tables, named as they are in that world.

    `tables` are the archetype's own tables (its name for it → the name here); `host` is the table that they
    are about, `host_key` their column that refers to it.
    """

    archetype: str
    host: str
    host_key: str
    tables: dict[str, str]
    views: tuple[View, ...] = ()
    actions: tuple[Action, ...] = ()

    @model_validator(mode="after")
    def _names_differ(self) -> Operations:
        names = [one.name for one in (*self.views, *self.actions)]
        if len(set(names)) < len(names):
            raise ValueError(f"two operations of one name among {', '.join(names)}")
        return self


for _model in (Tally, Combine, Match, Argument, Find, Guard, Insert, Change, Remove, Action, Figure, View, Operations):
    _model.model_rebuild()
