"""Ways from a table's rows to rows of others: by references, and by keys that tables share."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.plans import Hop
from tasks.verification.reading.vocabulary import Vocabulary

MOST_HOPS = 2


@dataclass(frozen=True)
class Path:
    """Hops from a row to a row of `table`."""

    hops: tuple[Hop, ...]
    table: str


def paths_from(vocabulary: Vocabulary, table: str, most: int = MOST_HOPS) -> list[Path]:
    """Return all ways of at most so many hops from a table's rows, shortest first, the empty one first of all."""
    found, last = [Path((), table)], [Path((), table)]
    for _ in range(most):
        last = [
            Path((*path.hops, hop), hop.table)
            for path in last
            for hop in hops_of(vocabulary, path.table)
            if hop.table not in {table, *(each.table for each in path.hops)}
        ]
        found += last
    return found


def hops_of(vocabulary: Vocabulary, table: str) -> list[Hop]:
    """Return the single steps from a table's rows: by each column that holds the key of another table."""
    keys: dict[str, list[str]] = {}
    for other in vocabulary.tables.values():
        domain = other.columns[other.key].domain
        if domain:
            keys.setdefault(domain, []).append(other.name)
    return [
        Hop(column=column.name, table=other)
        for column in vocabulary.tables[table].columns.values()
        for other in keys.get(column.domain or "", [])
        if other != table and (column.name == vocabulary.tables[table].key or _owns(vocabulary, other, column.domain))
    ]


def _owns(vocabulary: Vocabulary, table: str, domain: str | None) -> bool:
    """Say whether a domain is a table's own: extensions are reached over the row that they extend."""
    return domain is not None and domain.partition(".")[0] == table


def references(vocabulary: Vocabulary, table: str, to: str) -> list[str]:
    """Return the columns of a table that hold another table's keys."""
    return [hop.column for hop in hops_of(vocabulary, table) if hop.table == to]
