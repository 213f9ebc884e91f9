"""Gathering: each page or file that is looked at gives its tables once, and the trail tells what became of it."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import UTC, datetime

from schemas.identity import sha256_file
from tasks.mining.browsing.kinds import media_type
from tasks.mining.browsing.markup import headings_of, links_of, parse_page, title_of, visible_text
from tasks.mining.browsing.retrieval import Retriever, Visit
from tasks.mining.browsing.store import PageRecord
from tasks.mining.research.extraction.files import file_tables, library_file
from tasks.mining.research.extraction.found import FoundTable, without_void
from tasks.mining.research.extraction.page import page_tables
from tasks.mining.research.harvest import TrailEntry
from tasks.mining.research.uniting import Placed, row_identity
from tasks.mining.search.library import LibraryProvider
from tasks.mining.search.provider import Hit, Seen


class Gatherer:
    """Looks at addresses for one search and keeps what it found, in order."""

    def __init__(self, retriever: Retriever, library: LibraryProvider | None = None) -> None:
        self.retriever = retriever
        self._library = library
        self.found: list[Placed] = []
        self.pages: dict[str, PageRecord] = {}
        self.trail: list[TrailEntry] = []
        self.headings: dict[str, tuple[str, ...]] = {}
        self._seen: dict[str, Seen] = {}
        self._contents: dict[str, str] = {}
        self._rows: set[Hashable] = set()

    def look(self, address: str, query: str, provider: str = "site", score: float | None = None) -> Seen:
        """Return what is at an address; asked again it is known and costs nothing."""
        if address in self._seen:
            self.note(query, provider, address, "known", "it was looked at before", score)
            return self._seen[address]
        visit = self.retriever.visit(address)
        if visit.record is None:
            why = visit.refusal or "it was not asked for"
            self.note(query, provider, address, "refused", why, score)
            seen = Seen(address, refusal=why)
            if "budget" not in why:
                self._seen[address] = seen
            return seen
        seen = self._seen[address] = self._read(visit.record, visit, query, provider, score)
        return seen

    def take_file(self, hit: Hit, query: str) -> Seen:
        """Return what is in a file of the user's library that a query found."""
        if hit.address in self._seen or self._library is None:
            self.note(query, hit.provider, hit.address, "known", "it was read before", hit.score)
            return self._seen.get(hit.address, Seen(hit.address, refusal="there is no library"))
        path = self._library.path(hit.address)
        tables = [kept for table in library_file(path) if (kept := without_void(table)) is not None]
        self._seen[hit.address] = self._keep(hit.address, hit.title, tables)
        sha256 = sha256_file(path)
        self.pages[hit.address] = PageRecord(
            address=hit.address, final=hit.address, status=200, told="", real="", sha256=sha256, how="library",
            bytes=path.stat().st_size, retrieved_at=datetime.now(UTC).isoformat(timespec="seconds"),
            licence=self._library.licence(hit.address),
        )  # fmt: skip
        self._note_tables(query, hit.provider, hit.address, hit.score, self._seen[hit.address], tables)
        return self._seen[hit.address]

    def seen(self, address: str) -> Seen | None:
        """Return what was seen at an address, None where nobody looked."""
        return self._seen.get(address)

    def note(self, query: str, provider: str, address: str, outcome: str, why: str, score: float | None = None) -> None:
        """Add a line to the trail."""
        self.trail.append(
            TrailEntry.model_validate(
                {
                    "position": len(self.trail), "query": query, "provider": provider, "address": address,
                    "score": score, "outcome": outcome, "why": why,
                }
            )
        )  # fmt: skip

    def _read(self, record: PageRecord, visit: Visit, query: str, provider: str, score: float | None) -> Seen:
        self.pages[record.address] = record
        if not record.whole:
            why = record.fault or f"its host answered {record.status}"
            self.note(query, provider, record.address, "broken", why, score)
            return Seen(record.address, refusal=why)
        # Pages of one application are the same HTML; what the browser showed tells them apart.
        twin = self._contents.setdefault(" ".join(record.states) or record.sha256, record.address)
        if twin != record.address:
            self.note(query, provider, record.address, "known", f"it is the same as {twin}", score)
            return Seen(record.address, refusal=f"it is the same as {twin}")
        seen, tables = self._page(record, visit) if visit.is_page else self._file(record, visit)
        self._note_tables(query, provider, record.address, score, seen, tables)
        return seen

    def _page(self, record: PageRecord, visit: Visit) -> tuple[Seen, list[FoundTable]]:
        told = "text/html; charset=utf-8" if record.states else record.told
        states = [page for body in visit.bodies if (page := parse_page(body, told)) is not None]
        if not states:
            return Seen(record.address, refusal="it is no page"), []
        links = {link.address: link for state in states for link in links_of(state, record.final)}
        title, headings = title_of(states[0]), tuple(headings_of(states[0]))
        text = " ".join(visible_text(state) for state in states)
        tables = page_tables(states, record.final)
        seen = self._keep(record.address, title, tables)
        if tables:
            self.headings[record.address] = headings
        return (
            Seen(record.address, title, headings, text, tuple(links.values()), seen.rows, seen.new_rows),
            tables,
        )

    def _file(self, record: PageRecord, visit: Visit) -> tuple[Seen, list[FoundTable]]:
        tables = [
            kept
            for table in file_tables(b"".join(visit.bodies[:1]), record.final)
            if (kept := without_void(table)) is not None
        ]
        return self._keep(record.address, "", tables), tables

    def _keep(self, address: str, title: str, tables: list[FoundTable]) -> Seen:
        rows = new = 0
        for table in tables:
            self.found.append(Placed(address, title, table))
            for row in table.rows:
                rows += 1
                identity = row_identity(table, row)
                new += identity not in self._rows
                self._rows.add(identity)
        return Seen(address, title, rows=rows, new_rows=new)

    def _note_tables(
        self, query: str, provider: str, address: str, score: float | None, seen: Seen, tables: list[FoundTable]
    ) -> None:
        record = self.pages[address]
        told, real = record.told.partition(";")[0].strip().lower(), record.real
        lies = f"; it says {told} and is {real}" if told and real and told != real and _differ(told, real) else ""
        note = f"; {record.note}" if record.note else ""
        if tables:
            why = f"{len(tables)} tables, {seen.rows} rows, {seen.new_rows} of them new{lies}{note}"
            self.note(query, provider, address, "taken", why, score)
        else:
            self.note(query, provider, address, "empty", f"no table{lies}{note}", score)


def _differ(told: str, real: str) -> bool:
    """Return whether a told type is another one than the real, whatever their spelling."""
    families = (("html",), ("json",), ("csv", "plain"), ("sheet", "excel"), ("parquet",), ("zip",), ("sqlite",))

    def family(text: str) -> int:
        return next((n for n, words in enumerate(families) if any(word in text for word in words)), -1)

    return media_type(None) != real and family(told) != family(real)
