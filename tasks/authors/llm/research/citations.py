"""Citations: which tables of a model's answer are kept, each row of them where it was found, and why others are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from tasks.authors.llm.research.disclosure import discloses
from tasks.authors.llm.research.evidence import evidence_of
from tasks.authors.llm.research.proposals import CitedTable, Findings
from tasks.authors.llm.research.workspace import Workspace
from tasks.mining.browsing.addresses import canonical
from tasks.mining.columns.naming import name_tables, unique_name
from tasks.mining.research.extraction.files import tables_in
from tasks.mining.research.extraction.found import FoundTable, unique_columns, without_void
from tasks.mining.research.harvest import HarvestedTable
from tasks.mining.research.inquiry import Inquiry

LEAST_FOUND = 0.8
"""Share of a written table's rows that must be on the pages it cites; the others are left out."""
MOST_ROWS = 20_000


@dataclass(frozen=True)
class Refused:
    """A table that is not kept: which gate refused it, and why."""

    table: str
    gate: str
    why: str


@dataclass(frozen=True)
class Ruling:
    """What becomes of an answer: tables that are kept, with a line on each, and those that are not."""

    kept: tuple[tuple[HarvestedTable, str], ...]
    refused: tuple[Refused, ...]

    @property
    def tables(self) -> list[HarvestedTable]:
        """The tables that are kept."""
        return [table for table, _ in self.kept]


class _Refusal(Exception):
    def __init__(self, gate: str, why: str) -> None:
        super().__init__(why)
        self.gate, self.why = gate, why


def rule_on(findings: Findings, inquiry: Inquiry, workspace: Workspace, prompt: str) -> Ruling:
    """Rule on each table that an answer cites, in its order; a table that is named twice counts once."""
    kept: dict[str, tuple[HarvestedTable, str]] = {}
    refused: list[Refused] = []
    for cited in findings.tables:
        if cited.table in kept:
            continue
        try:
            if discloses(f"{cited.table} {cited.note}", prompt):
                raise _Refusal("disclosure", "it quotes the agent's instructions")
            table, line = _rule(cited, inquiry, workspace, [table.name for table, _ in kept.values()])
            kept[cited.table] = table, f"{line}. {cited.note}".strip()[:200]
        except _Refusal as refusal:
            refused.append(Refused(cited.table[:80], refusal.gate, refusal.why))
    return Ruling(tuple(kept.values()), tuple(refused))


def _rule(
    cited: CitedTable, inquiry: Inquiry, workspace: Workspace, taken: Sequence[str]
) -> tuple[HarvestedTable, str]:
    gathered = {table.name: table for table in inquiry.judged()[0]}
    sources = _sources(cited, inquiry)
    if (table := gathered.get(cited.table)) is not None:
        pages = set(table.addresses)
        if strays := [address for address in sources if address not in pages]:
            raise _Refusal("not_in_source", f"no row of it is on {strays[0]}; its rows are on {sorted(pages)[:3]}")
        return table, f"{table.frame.height} rows of {len(pages)} pages"
    if workspace.holds(cited.table):
        return _written(cited, inquiry, workspace, sources, [*gathered, *taken])
    raise _Refusal("unknown_table", f"neither gathered nor a file that you wrote; gathered are {sorted(gathered)[:20]}")


def _sources(cited: CitedTable, inquiry: Inquiry) -> list[str]:
    """Return the cited addresses as they were looked at; refused where one of them was not."""
    found = []
    for said in cited.sources:
        address = said if said in inquiry.gatherer.pages else canonical(said)
        page = inquiry.gatherer.pages.get(address or "")
        if address is None or page is None or not page.whole:
            raise _Refusal("no_source", "it cites a page that was not looked at")
        found.append(address)
    return found


def _written(
    cited: CitedTable, inquiry: Inquiry, workspace: Workspace, sources: Sequence[str], names: Sequence[str]
) -> tuple[HarvestedTable, str]:
    """Return a table that the agent wrote, with the rows alone that stand on the pages it cites."""
    read = _read(workspace, cited.table)
    evidence = evidence_of(inquiry.gatherer, sources)
    found = [(row, place) for row in read.rows if (place := evidence.place_of(row)) is not None]
    share = f"{len(found)} of {len(read.rows)} rows are on the pages it cites"
    if len(found) < LEAST_FOUND * len(read.rows):
        lost = next(row for row in read.rows if evidence.place_of(row) is None)
        raise _Refusal("not_in_source", f"{share}; not there: {[cell for cell in lost if cell][:6]}")
    rows = list({row: place for row, place in reversed(found)}.items())[::-1]
    stem = read.name.replace("_", " ")
    name = unique_name(name_tables([stem])[stem], names)
    frame = pl.DataFrame(
        [row for row, _ in rows], schema=dict.fromkeys(unique_columns(read.columns), pl.String), orient="row"
    )
    addresses, places = zip(*(place for _, place in rows), strict=True)
    return HarvestedTable(name, stem, "written", frame, addresses, places), share


def _read(workspace: Workspace, path: str) -> FoundTable:
    """Return the one table of a file, read as any data file is read."""
    tables = list(_tables(workspace, path))
    if len(tables) != 1:
        raise _Refusal("unreadable", f"the file holds {len(tables)} tables; write one csv or json list of records")
    if len(tables[0].rows) > MOST_ROWS:
        raise _Refusal("unreadable", f"the file has more than {MOST_ROWS} rows")
    return tables[0]


def _tables(workspace: Workspace, path: str) -> Iterator[FoundTable]:
    stem = path.rpartition("/")[2].partition(".")[0]
    for table in tables_in(workspace.place(path), stem):
        if (kept := without_void(table)) is not None:
            yield kept
