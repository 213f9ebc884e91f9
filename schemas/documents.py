"""Documents: the files of a workspace in their native formats, and what they say about its rows."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

DocumentFormat = Literal["json", "csv", "yaml", "html", "tex", "md", "sql"]
FORMATS: tuple[DocumentFormat, ...] = ("json", "csv", "yaml", "html", "tex", "md", "sql")


class Fact(BaseModel):
    """One value that a document holds: where in it, what it is about, and what a person calls it.

    `place` is a dotted path (json, yaml: 'limits.max_seats'), 'row/column' (csv), 'heading/row/column' of a table in
    a section (md, html, tex; a heading alone where prose holds it), or a name (sql). `subject` is (table, key) of the
    row it is about; None: about the whole world. With `column`, a subject is (table, value of that column).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    place: str
    words: str = Field(description="plain words: 'most seats a party may hold'")
    value: str | int | float | bool
    unit: str | None = None
    subject: tuple[str, str | int] | None = None
    column: tuple[str, str] | None = Field(
        None, description="(table, column) whose values it bounds, or one of whose values it is about"
    )
    rule: str | None = Field(None, description="id of the rule that write tools enforce")


class Document(BaseModel):
    """One file of the workspace below `files/`.

    `origin` is 'mined' for a source's own file, 'written' for one that a round wrote from rows and rules.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    path: str = Field(description="below files/: 'policies/booking_policy.md'")
    format: DocumentFormat
    title: str
    about: str = Field(description="one sentence for the list of documents")
    origin: Literal["mined", "written"]
    tables: tuple[str, ...] = Field((), description="tables whose rows it refers to")
    facts: tuple[Fact, ...] = ()
    editable: bool = False
    text: str
