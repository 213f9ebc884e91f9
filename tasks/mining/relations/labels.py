"""Labels: the column by which a person names a row."""

from __future__ import annotations

import polars as pl

from schemas.profiles import ColumnType
from tasks.mining.relations.keys import KEY_ENDINGS

LABEL_UNIQUENESS = 0.9
LONGEST_LABEL = 60
"""Mean length of values, in characters, up to which they are names and not descriptions."""

_ENDINGS = ("name", "title", "label")
NO_NAMES = set(
    """url uri link site website web email mail phone fax telephone address street zip postcode notes note comment
    comments description text body image photo picture date time timestamp year hash coordinates location""".split()
)
"""Words of a column's name that say where, when or how to reach, and not who or what."""

_PARTIAL = {"first", "given", "middle", "forename", "nick"}
_LETTERS = r"[^\W\d_]{2}"


def choose_label(frame: pl.DataFrame, types: dict[str, ColumnType], key: str, singular: str) -> str | None:
    """Return the text column that names the rows; None when none tells nine of ten apart.

    It has no nulls. A column that ends with name, title or label comes first, then one called like the row
    ('country' of countries), then the first one of short values with letters that are no address, date or code.
    """
    noun = singular.replace(" ", "_")
    names = [
        name
        for name in frame.columns
        if name != key and types[name] == "text" and frame.height > 0 and _tells_apart(frame[name])
    ]
    named = sorted((n for n in names if n.split("_")[-1] in _ENDINGS), key=lambda n: bool(_PARTIAL & set(n.split("_"))))
    coded = key.split("_")[-1] in KEY_ENDINGS
    if types[key] == "text" and not coded and frame.height > 0 and _reads_like_names(frame[key]):
        return next(iter(named), None)  # the key names the row already
    own = [name for name in names if name == noun or noun.endswith(f"_{name}") or noun.startswith(f"{name}_")]
    short = [
        name
        for name in names
        if not (NO_NAMES | set(KEY_ENDINGS)) & set(name.split("_")) and _reads_like_names(frame[name])
    ]
    return next(iter([*named, *own, *short]), None)


def _tells_apart(values: pl.Series) -> bool:
    return values.null_count() == 0 and values.n_unique() >= LABEL_UNIQUENESS * len(values)


def _reads_like_names(values: pl.Series) -> bool:
    length = float(values.str.len_chars().mean() or 0)
    lettered = float(values.str.contains(_LETTERS).mean() or 0)
    addresses = float(values.str.contains(r"^\w+://|^www\.|@\w+\.|^[{\[]").mean() or 0)
    return 2 <= length <= LONGEST_LABEL and lettered >= LABEL_UNIQUENESS and addresses < 0.1
