"""A world of parks and visits, with a floor of one tool, and what well-behaved models say about it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import polars as pl

from schemas.environments import Environment, StateContract
from schemas.profiles import ColumnProfile, ForeignKey, TableProfile, WorldProfile
from schemas.themes import SourceOperation, Theme
from schemas.tools import Tool, ToolModule
from tasks.authors.llm.coder.proposals import Designs, Reference, Source, ToolDesign

PARKS = [
    (1, "Ebbets Field", "Brooklyn"),
    (2, "Polo Grounds", "Manhattan"),
    (3, "Shea", "Queens"),
    (4, "Nowhere", "Bronx"),
]
VISITS = [(1, 1, 30, "open"), (2, 1, 50, "closed"), (3, 2, 20, "open"), (4, 2, 20, "open"), (5, 3, 70, "closed")]

FLOOR_SOURCE = '''"""Tools of the environment parks."""

from __future__ import annotations

import sqlite3
from typing import Any


def _db() -> sqlite3.Connection:
    """Return a connection to the database."""
    database = sqlite3.connect("world.db")
    database.row_factory = sqlite3.Row
    return database


def _rows(sql: str, values: list[Any]) -> list[dict[str, Any]]:
    """Run a query and return its rows."""
    return [dict(row) for row in _db().execute(sql, values)]


def _refuse(code: str, message: str) -> dict[str, Any]:
    """Return the answer to a call that cannot be carried out."""
    return {"error": {"code": code, "message": message}}


def get_park(park_id: int) -> dict[str, Any]:
    """Look up one park."""
    rows = _rows("SELECT * FROM parks WHERE park_id = ?", [park_id])
    return rows[0] if rows else _refuse("not_found", "There is no such park.")
'''

LOAD_SOURCE = '''def get_park_load(park_id: int) -> dict[str, Any]:
    """Tell how many people visited a park."""
    parks = _rows("SELECT name FROM parks WHERE park_id = ?", [park_id])
    if not parks:
        return _refuse("not_found", "There is no such park.")
    total = _rows("SELECT COALESCE(SUM(people), 0) AS n FROM visits WHERE park_id = ?", [park_id])[0]["n"]
    return {"name": parks[0]["name"], "people": total}
'''

CLOSE_SOURCE = '''def close_visits(park_id: int) -> dict[str, Any]:
    """Close all open visits of a park."""
    with _db() as database:
        done = database.execute("UPDATE visits SET status = 'closed' WHERE park_id = ? AND status = 'open'", [park_id])
    return {"closed": done.rowcount}
'''


def profile() -> WorldProfile:
    def column(name: str, kind: Any, role: Any, nullable: bool = False) -> ColumnProfile:
        words = name.replace("_", " ")
        return ColumnProfile(name=name, type=kind, role=role, nullable=nullable, distinct=2, words=words)

    parks = TableProfile(
        name="parks",
        singular="park",
        plural="parks",
        kind="reference",
        rows=len(PARKS),
        columns=[
            column("park_id", "integer", "key"),
            column("name", "text", "label"),
            column("city", "text", "text", True),
        ],
        key="park_id",
        key_is_opaque=True,
        label="name",
    )
    status = column("status", "text", "category").model_copy(update={"categories": ["closed", "open"]})
    visits = TableProfile(
        name="visits",
        singular="visit",
        plural="visits",
        kind="operational",
        rows=len(VISITS),
        columns=[
            column("visit_id", "integer", "key"),
            column("park_id", "integer", "reference"),
            column("people", "integer", "measure"),
            status,
        ],
        key="visit_id",
        key_is_opaque=True,
        foreign_keys=[ForeignKey(column="park_id", to_table="parks", to_column="park_id", coverage=1.0)],
    )
    return WorldProfile(tables=[parks, visits])


def environment() -> Environment:
    return Environment(
        id="env_0",
        theme_id="theme_0",
        theme_name="parks",
        author="rules",
        seed=0,
        world_sha256="0" * 64,
        world_bytes=1,
        profile=profile(),
        contract=StateContract(writable=["visits"]),
        clock_start="2024-01-01T09:00:00",
    )


def frames() -> dict[str, pl.DataFrame]:
    return {
        "parks": pl.DataFrame(PARKS, schema=["park_id", "name", "city"], orient="row"),
        "visits": pl.DataFrame(VISITS, schema=["visit_id", "park_id", "people", "status"], orient="row"),
    }


def write_database(path: Path) -> Path:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE parks (park_id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT)")
        database.execute(
            "CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, park_id INTEGER, people INTEGER, status TEXT)"
        )
        database.executemany("INSERT INTO parks VALUES (?, ?, ?)", PARKS)
        database.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", VISITS)
    database.close()
    return path


def theme() -> Theme:
    return Theme(
        name="parks",
        title="Parks",
        description="Parks and who visits them.",
        package="parks",
        version="1",
        licence="CC0",
        tables=[],
        operations=[
            SourceOperation(name="park-load", description="people in a park", verb="aggregate", entity="parks")
        ],
    )


def floor() -> ToolModule:
    properties = {"park_id": {"type": "integer", "description": "Park.", "x-domain": "parks.park_id"}}
    cells = {
        "park_id": {"type": "integer", "x-domain": "parks.park_id"},
        "name": {"type": "string"},
        "city": {"type": ["string", "null"]},
    }
    get = Tool(
        name="get_park",
        description="Look up one park.",
        operation="get",
        read_only=True,
        input_schema={
            "type": "object",
            "properties": properties,
            "required": ["park_id"],
            "additionalProperties": False,
        },
        output_schema={"type": "object", "properties": cells, "required": list(cells), "additionalProperties": False},
        intent={"table": "parks"},
    )
    return ToolModule(source=FLOOR_SOURCE, tools=[get])


PARK = {"name": "park_id", "type": "integer", "description": "the park", "column": "parks.park_id"}
NO_PARK = {"code": "not_found", "when": "there is no such park"}


def load_design(**changes: Any) -> ToolDesign:
    """A read over two tables."""
    design = {
        "name": "get_park_load",
        "description": "How many people visited a park in all, 0 without a visit.",
        "operation": "aggregate",
        "parameters": [PARK],
        "fields": [
            {"name": "name", "type": "string", "description": "its name", "column": "parks.name"},
            {"name": "people", "type": "integer", "description": "people of all its visits"},
        ],
        "refusals": [NO_PARK],
    }
    return ToolDesign.model_validate(design | changes)


def close_design() -> ToolDesign:
    """A write."""
    return ToolDesign.model_validate(
        {
            "name": "close_visits",
            "description": "Close all open visits of a park.",
            "operation": "transition",
            "parameters": [PARK],
            "fields": [{"name": "closed", "type": "integer", "description": "how many were closed"}],
        }
    )


def list_design() -> ToolDesign:
    """A read with a list."""
    return ToolDesign.model_validate(
        {
            "name": "list_busy_parks",
            "description": "Parks with at least so many visits.",
            "operation": "list",
            "parameters": [{"name": "least", "type": "integer", "description": "fewest visits"}],
            "fields": [],
            "items": [
                {"name": "name", "type": "string", "description": "name", "column": "parks.name"},
                {"name": "visits", "type": "integer", "description": "how many"},
            ],
            "order": "most visits first, then by name",
        }
    )


def load_reference(**changes: Any) -> Reference:
    reference = {
        "fields": "SELECT name, (SELECT COALESCE(SUM(people), 0) FROM visits AS v WHERE v.park_id = p.park_id) AS people "
        "FROM parks AS p WHERE park_id = :park_id",
        "refusals": [{"code": "not_found", "sql": "SELECT NOT EXISTS (SELECT 1 FROM parks WHERE park_id = :park_id)"}],
        "cases": [{"park_id": 1}, {"park_id": 2}, {"park_id": 4}, {"park_id": 99}],
    }
    return Reference.model_validate(reference | changes)


def close_reference(**changes: Any) -> Reference:
    count = "SELECT COUNT(*) AS closed FROM visits WHERE park_id = :park_id AND status = 'open'"
    key = "SELECT MIN(visit_id) FROM visits WHERE park_id = :park_id AND status = 'open'"
    after = {"table": "visits", "column": "status", "key_sql": key, "value_sql": "SELECT 'closed'"}
    reference = {
        "fields": count,
        "changes": [{"table": "visits", "kind": "updated", "sql": count}],
        "after": [after],
        "cases": [{"park_id": 1}, {"park_id": 2}, {"park_id": 3}],
    }
    return Reference.model_validate(reference | changes)


def designs(*tools: ToolDesign) -> Designs:
    return Designs(tools=list(tools))


def source(text: str) -> Source:
    return Source(source=text)
