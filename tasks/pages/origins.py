"""Where a world's values are from: mined for the theme, borrowed from other real data, or simulated with the seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from schemas.profiles import ColumnProfile, Origin, TableProfile, WorldProfile
from tasks.pages.markdown import bullets, code, codes, text

ORIGINS: tuple[Origin, ...] = ("mined", "borrowed", "simulated")
_MEANT = {
    "mined": "mined for the theme",
    "borrowed": "borrowed from other real data",
    "simulated": "simulated with the seed",
}


def sampled_tables(profile: WorldProfile) -> set[str]:
    """Return the names of the tables that mining filled; an operational table that is none of them was seeded."""
    return {note.table for note in profile.sampling}


def column_origin(table: TableProfile, column: ColumnProfile, sampled: Collection[str]) -> Origin:
    """Return where a column's values are from: a table that operations brought is simulated, whatever it says."""
    return "simulated" if table.kind == "operational" and table.name not in sampled else column.origin


def table_origin(table: TableProfile, sampled: Collection[str]) -> Origin:
    """Return where most of a table's columns are from; the more real one of equals."""
    numbers = Counter(column_origin(table, column, sampled) for column in table.columns)
    return max(ORIGINS, key=lambda origin: (numbers[origin], -ORIGINS.index(origin)))


def is_borrowed(table: TableProfile) -> bool:
    """Return whether most of a table that nothing writes to is other real data."""
    return table.kind != "operational" and table_origin(table, ()) == "borrowed"


def origin_shares(profile: WorldProfile) -> dict[Origin, float]:
    """Return origin → share of the world's values (rows times columns), those that occur, in the order of ORIGINS."""
    sampled, values = sampled_tables(profile), Counter[Origin]()
    for table in profile.tables:
        for column in table.columns:
            values[column_origin(table, column, sampled)] += table.rows
    total = values.total()
    return {origin: values[origin] / total for origin in ORIGINS if values[origin]}


def origins_section(profile: WorldProfile) -> str:
    """Return one line an origin: its share of all values, the tables it fills most of, and who lent them."""
    sampled = sampled_tables(profile)
    lines = []
    for origin, share in origin_shares(profile).items():
        tables = [table.name for table in profile.tables if table_origin(table, sampled) == origin]
        mostly = f", most of {codes(tables, most=8)}" if tables else ""
        lines.append(f"{_share(share)} {_MEANT[origin]}{mostly}.{_lenders(profile) if origin == 'borrowed' else ''}")
    return bullets(lines) or "There are no values."


def origins_in_short(profile: WorldProfile) -> str:
    """Return the shares on one line: '12% mined, 88% simulated'."""
    return ", ".join(f"{_share(share)} {origin}" for origin, share in origin_shares(profile).items())


def _lenders(profile: WorldProfile) -> str:
    """Tell each lender and the columns that its values fill."""
    lent: dict[str, list[str]] = {}
    for table in profile.tables:
        for column in table.columns:
            if column.origin == "borrowed" and column.borrowed_from:
                lent.setdefault(column.borrowed_from, []).append(f"{table.name}.{column.name}")
    told = [f"{text(lender)} ({_columns(columns)})" for lender, columns in sorted(lent.items())]
    return f" From {'; '.join(told)}." if told else ""


def _columns(columns: list[str]) -> str:
    return code(columns[0]) if len(columns) == 1 else f"{len(columns)} columns"


def _share(share: float) -> str:
    return "less than 1%" if share < 0.005 else f"{share:.0%}"
