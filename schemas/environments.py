"""Environments: one versioned world, its operational overlay and its state contract."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from schemas.documents import Document
from schemas.operations import Operations
from schemas.profiles import TableProfile, WorldProfile


class StateContract(BaseModel):
    """What may differ between two right final states.

    `generated_keys` (table → key column) compare up to renaming; `clock_columns`
    (table → columns) and `log_tables` are ignored. `references` (table → column → table) are the
    columns that may hold another row's generated key. Tables not in `writable` never change.
    """

    model_config = ConfigDict(extra="forbid")
    writable: list[str] = Field(default_factory=list)
    generated_keys: dict[str, str] = Field(default_factory=dict)
    clock_columns: dict[str, list[str]] = Field(default_factory=dict)
    log_tables: list[str] = Field(default_factory=list)
    references: dict[str, dict[str, str]] = Field(default_factory=dict)


class Overlay(BaseModel):
    """Operational tables over mined ones: seeded rows, and SQL constraints that writes must respect.

    `rows` (table → records) are simulated from the mined data with the environment's seed.
    `checks` (table → SQL CHECK expressions). `operations` are what may be done to them.
    """

    model_config = ConfigDict(extra="forbid")
    tables: list[TableProfile]
    rows: dict[str, list[dict[str, Any]]]
    checks: dict[str, list[str]] = Field(default_factory=dict)
    contract: StateContract
    operations: Operations


class Environment(BaseModel):
    """One version of a world. The id is the hash of what it was built from.

    Its files lie in `<home>/environments/<id>/`: world.db, contract.json, and once the tools
    stand, tools.py and tools.json.
    """

    model_config = ConfigDict(extra="forbid")
    id: str
    theme_id: str
    theme_name: str
    version: int = 1
    parent_id: str | None = None
    author: str
    seed: int
    world_sha256: str
    world_bytes: int
    profile: WorldProfile
    contract: StateContract
    checks: dict[str, list[str]] = Field(default_factory=dict, description="SQL CHECK expressions by table")
    operations: list[Operations] = Field(default_factory=list, description="views and actions, by archetype")
    documents: list[Document] = Field(default_factory=list, description="files of the workspace, by path")
    clock_start: str = Field(description="the frozen clock's first reading in a session, YYYY-MM-DDTHH:MM:SS")
