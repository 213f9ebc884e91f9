"""Links: which column of one table draws its values from a unique column of another, told by the values.

Across folders nothing but values is evidence, so they must be telling ones: text that is no answer, month or
single letter, and no person's first or last name. At least `VALUES` distinct ones must be in a unique column of
the other table; few values or short codes are soon included in any list, so those must be so nearly all.

A link that counts must also hold as a reference when it is mined (tasks/mining/relations/references.py) without costing
rows of the table that it starts from, as rows that refer to nothing are dropped:

- A column that repeats its values refers to the other table, so nearly all of them must be there.
- A column that is unique itself is referred to by the other table: `COVERAGE` of its values are enough, but most
  of the other's must be among them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.mining.columns.naming import row_noun, snake_case
from tasks.mining.library.digests import ColumnDigest, TableDigest, is_trivial, shared_values
from tasks.mining.relations.keys import KEY_ENDINGS
from tasks.mining.relations.references import FIRM_COVERAGE, MINIMUM_COVERAGE, TEXT_OVERLAP

VALUES = 5
COVERAGE = 0.6
FEW_VALUES = 10
_SHORT = 3
_PERSONAL = re.compile(r"(.*_)?(first|last|given|family|middle|sur|fore|nick)_?names?")
_GENERIC = {"id", "pk", "key", "code", "number", "no", "uuid"}


@dataclass(frozen=True)
class Link:
    """`matched` of `compared` distinct values of `column` are in the unique column `key` of another table."""

    column: str
    key: str
    matched: int
    compared: int
    identifies: bool = False
    """`column` is unique in its own table too."""
    backward: float = 0.0
    """Share of the key's values that the column has."""
    short: bool = False
    """The values are codes of at most `_SHORT` characters."""

    @property
    def coverage(self) -> float:
        """The share of the column's values that the key has."""
        return self.matched / self.compared

    @property
    def counts(self) -> bool:
        """Whether it is evidence and not chance, and mining will make a reference of it."""
        few = self.short or self.compared < FEW_VALUES
        if self.matched < (FEW_VALUES if self.short else VALUES) or (few and self.coverage < FIRM_COVERAGE):
            return False
        if not self.identifies:
            return self.coverage >= FIRM_COVERAGE
        ours, theirs = snake_case(self.column), snake_case(self.key)
        if theirs.split("_")[-1] in KEY_ENDINGS and self.coverage < 1:
            return self.backward == 1  # both are keys: the smaller set refers to the larger, as a whole
        return self.coverage >= COVERAGE and self.backward >= (MINIMUM_COVERAGE if ours == theirs else TEXT_OVERLAP)


def joinable(table: TableDigest) -> list[ColumnDigest]:
    """Return the columns whose values tell what they are about, those with most distinct values first."""
    columns = [c for c in table.columns if c.kind == "text" and c.distinct >= VALUES and not is_trivial(c.samples)]
    return sorted(columns, key=lambda c: (-c.distinct, c.header))


def link_by_values(child: TableDigest, parent: TableDigest) -> Link | None:
    """Return the strongest link from a text column to a unique one, None when no value is shared; it may not count."""
    links = []
    keys = [key for key in joinable(parent) if key.unique and not _PERSONAL.fullmatch(snake_case(key.header))]
    for key in keys:
        for column in joinable(child):
            matched, compared = shared_values(column, key)
            if matched:
                back, theirs = shared_values(key, column)
                short = all(len(sample) <= _SHORT for sample in column.samples)
                links.append(Link(column.header, key.header, matched, compared, column.unique, back / theirs, short))
    return max(links, key=lambda link: (link.counts, link.coverage, link.matched, link.column, link.key), default=None)


def link_by_names(child: TableDigest, parent: TableDigest, parent_name: str) -> Link | None:
    """Return the first link of a code column to a unique one that it is named like, or whose table it is named like.

    For tables that lie together: `customer_id` draws its values from `id` or `customer_id` of customers.
    """
    for key in (column for column in parent.columns if column.kind == "code" and column.unique):
        theirs = snake_case(key.header)
        for column in (column for column in child.columns if column.kind == "code"):
            ours = snake_case(column.header)
            named = (ours == theirs or ours.endswith(f"_{theirs}")) and theirs not in _GENERIC
            noun = ours.rpartition("_")[0] in (row_noun(parent_name).replace(" ", "_"), parent_name)
            matched, compared = shared_values(column, key) if named or noun else (0, 0)
            if matched and matched >= MINIMUM_COVERAGE * compared:
                return Link(column.header, key.header, matched, compared)
    return None
