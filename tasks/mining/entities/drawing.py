"""Drawing: a value of an entity's field for a request or a test, as its simulated rows have them."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Any, get_args

from schemas.profiles import ColumnType
from schemas.themes import EntityField
from tasks.mining.entities.moments import stamp
from tasks.mining.entities.providers import value_for
from tasks.mining.entities.rows import Row, Table

MOMENT = "moment"


def draw_value(name: str, rng: Random, start: str) -> Any:
    """Draw the value that `name` stands for: '<kind of thing>.<concept>.<type>.<column>', or 'moment', one to come.

    `start` is the world's clock start. ValueError for a name of another form.
    """
    if name == MOMENT:
        return stamp(datetime.fromisoformat(start) + timedelta(days=rng.randint(2, 40), hours=rng.randint(-1, 8)))
    kind, concept, stored, column = name.split(".")
    if stored not in get_args(ColumnType):
        raise ValueError(f"no type of columns: {stored}")
    field = EntityField(name=column, type=stored, words=column.replace("_", " "), concept=concept)  # type: ignore[arg-type]
    return value_for(Row(Random(rng.random()), Table(kind, f"{kind}s", kind), 1), field)
