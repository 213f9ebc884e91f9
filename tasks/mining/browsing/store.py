"""The pages of one search on disk: a line of json each, and their bytes by hash.

A page is written when it was retrieved, so that a run that is killed finds it again.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError


class PageRecord(BaseModel):
    """One address that was asked for, and what came."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    address: str = Field(description="as it was asked for")
    final: str = Field(description="where redirects led")
    status: int = Field(description="HTTP status; 0 when no answer came")
    told: str = Field(description="content type as the host says")
    real: str = Field(description="content type by the bytes")
    sha256: str = Field(description="of the bytes as they came; '' when there are none")
    bytes: int
    retrieved_at: str = Field(description="ISO 8601")
    licence: str | None = Field(None, description="as the page states it by rel=license or schema.org")
    how: Literal["http", "browser", "library"] = "http"
    states: list[str] = Field(default_factory=list, description="sha256 of each state that a browser showed")
    fault: str | None = Field(None, description="why it is no whole page, in one line")
    note: str | None = Field(None, description="what the browser had against it; what it showed until then is read")
    elapsed: float = Field(0.0, description="seconds since the search began")

    @property
    def whole(self) -> bool:
        """Whether this is a page as its host meant it; parts and refusals are kept, and not read."""
        return self.fault is None and 200 <= self.status < 300


class PageStore:
    """The pages in a folder, made when it is not there."""

    def __init__(self, folder: Path) -> None:
        self._bodies = folder / "pages"
        self._list = folder / "pages.jsonl"
        self._bodies.mkdir(parents=True, exist_ok=True)
        self._records = self._read()

    def records(self) -> list[PageRecord]:
        """Return all pages in the order in which they were retrieved."""
        return list(self._records.values())

    def get(self, address: str) -> PageRecord | None:
        """Return what came of an address; None when it was not asked for."""
        return self._records.get(address)

    def put(self, record: PageRecord) -> None:
        """Keep a page; its bytes must be kept before."""
        with self._list.open("a", encoding="utf-8") as stream:
            stream.write(record.model_dump_json() + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        self._records[record.address] = record

    def keep(self, body: bytes) -> str:
        """Write bytes and return their sha256."""
        name = hashlib.sha256(body).hexdigest()
        path = self.path(name)
        if not path.exists():
            part = path.with_suffix(".part")
            part.write_bytes(body)
            part.replace(path)
        return name

    def path(self, sha256: str) -> Path:
        """Return where the bytes of a hash lie."""
        return self._bodies / sha256

    def body(self, sha256: str) -> bytes:
        """Return the bytes of a hash."""
        return self.path(sha256).read_bytes()

    def _read(self) -> dict[str, PageRecord]:
        """Return the pages that an earlier run left; a line that was cut off when it was killed is dropped.

        What no connection came to is asked for again.
        """
        if not self._list.exists():
            return {}
        records: dict[str, PageRecord] = {}
        for line in self._list.read_text("utf-8").splitlines():
            try:
                record = PageRecord.model_validate_json(line)
            except ValidationError:
                continue
            if record.status and all(self.path(sha).exists() for sha in (record.sha256, *record.states) if sha):
                records[record.address] = record
        text = "".join(record.model_dump_json() + "\n" for record in records.values())
        part = self._list.with_suffix(".part")
        part.write_text(text, "utf-8")
        part.replace(self._list)
        return records
