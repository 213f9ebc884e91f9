"""A small world of railway stations with tickets about them, and documents in all seven formats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

import polars as pl

from schemas.documents import Document
from schemas.environments import Environment
from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from schemas.rounds import Guideline
from schemas.themes import Theme
from schemas.tools import ToolModule
from tasks.authors.base import WorldDraft
from tasks.authors.rules.documents.contents import (
    build_notice,
    build_queries,
    build_rates,
    build_register,
    build_report,
    build_settings,
)
from tasks.authors.rules.overlays.proposal import lay_archetype
from tasks.authors.rules.overlays.registry import ARCHETYPES
from tasks.authors.rules.rounds.documents import with_documents
from tasks.authors.rules.rounds.policy import add_policy
from tasks.authors.rules.tools.module import propose_tools
from tasks.mining.drafts import begin_draft, lay_over
from tasks.mining.loading import load_world
from tasks.mining.tables import MinedTables
from tasks.toolgraph.edges import tool_edges
from tasks.verification.admission import Gate
from tasks.world.bundle import Bundle, write_bundle
from tasks.world.session import World

REGIONS = ("Avon", "Borders", "Clyde", "Dales", "Eden", "Fens")
DEPOT = Theme(
    name="depot", title="Stations", description="Sixty stations", package="none", version="1", licence="CC0", tables=[]
)


def stations() -> pl.DataFrame:
    """Sixty stations; every figure is different where it must rank, and the name is never part of another."""
    number = range(60)
    return pl.DataFrame(
        {
            "station_id": [i + 1 for i in number],
            "station_name": [f"{'ABCDEFGHIJ'[i % 10]}{'aeiou'[i // 12]}{'klmnrt'[i % 6]}ton Road" for i in number],
            "region": [REGIONS[(i * i + i // 7) % 6] for i in number],
            "kind": [("halt", "junction", "terminus", "yard")[(i * 3 + i // 5) % 4] for i in number],
            "opened": [f"19{20 + i:02d}-03-{1 + i % 28:02d}" for i in number],
            "platforms": [1 + (i * 7) % 23 for i in number],
            "passengers": [1000 + 137 * ((i * 11) % 60) for i in number],
        }
    )


def _column(name: str, kind: str, role: str, words: str, unit: str | None = None) -> ColumnProfile:
    series = stations()[name]
    ranged = role in ("measure", "time")
    return ColumnProfile(
        name=name,
        type=kind,
        role=role,
        nullable=False,
        distinct=series.n_unique(),
        minimum=series.min() if ranged else None,
        maximum=series.max() if ranged else None,
        categories=sorted(series.unique().to_list()) if role == "category" else [],
        words=words,
        unit=unit,
    )


def mined_world() -> WorldDraft:
    """The stations alone."""
    table = TableProfile(
        name="stations",
        singular="station",
        plural="stations",
        kind="reference",
        rows=60,
        key="station_id",
        key_is_opaque=True,
        label="station_name",
        columns=[
            _column("station_id", "integer", "key", "station number"),
            _column("station_name", "text", "label", "station name"),
            _column("region", "text", "category", "region"),
            _column("kind", "text", "category", "kind of station"),
            _column("opened", "date", "time", "date of opening"),
            _column("platforms", "integer", "measure", "number of platforms"),
            _column("passengers", "integer", "measure", "yearly passengers", "thousands"),
        ],
    )
    return begin_draft(MinedTables({"stations": stations()}, WorldProfile(tables=[table])))


def working_world() -> WorldDraft:
    """Stations and tickets about them."""
    world = mined_world()
    archetype = ARCHETYPES["service_tickets"]
    overlay = lay_archetype(archetype, world.profile, world.frames, "stations", 0, world.clock_start)
    return lay_over(world, overlay)


def write_all(world: WorldDraft, seed: int = 0) -> list[Document]:
    """One document of each format, all about the stations."""
    rng, tables = Random(f"depot/{seed}"), [world.profile.table("stations")]
    plan = (
        (build_settings, "json"),
        (build_register, "csv"),
        (build_rates, "yaml"),
        (build_notice, "html"),
        (build_report, "tex"),
        (build_rates, "md"),
        (build_queries, "sql"),
    )
    written: list[Document] = []
    for build, form in plan:
        content = build(world, rng, tables)
        while content is None or content.title in {document.title for document in written}:
            content = build(world, rng, tables)
        written.append(content.document(form))
    return written


def paper_world() -> WorldDraft:
    """Stations, tickets, a document of each format, and a policy on tickets."""
    world = working_world()
    world = with_documents(world, write_all(world))
    grown = add_policy(world, DEPOT, Random("depot"), Guideline())
    assert grown is not None
    return grown.world


@dataclass(frozen=True)
class Depot:
    """The whole world as an environment with its tools, built in a folder."""

    draft: WorldDraft
    environment: Environment
    module: ToolModule
    bundle: Bundle
    world: World

    def gate(self, minimum_calls: int = 7) -> Gate:
        """Return the admission gate."""
        edges = tool_edges(self.module.tools, self.environment.profile.opaque_domains())
        known = (self.environment, self.module.tools, self.draft.frames)
        return Gate(self.world, self.bundle, *known, 0, minimum_calls, edges)


def build_depot(folder: Path, world: World) -> Depot:
    """Build the world's database, tools and bundle."""
    draft = paper_world()
    load_world(folder / "world.db", draft.frames, draft.profile.tables, draft.checks)
    environment = Environment(
        id="env_depot",
        theme_id=DEPOT.id,
        theme_name=DEPOT.name,
        author="rules",
        seed=0,
        world_sha256="0" * 64,
        world_bytes=(folder / "world.db").stat().st_size,
        profile=draft.profile,
        contract=draft.contract,
        checks=draft.checks,
        operations=list(draft.operations),
        documents=list(draft.documents),
        clock_start=draft.clock_start,
    )
    module = propose_tools(environment)
    bundle = write_bundle(
        folder,
        environment_id=environment.id,
        world_sha256=environment.world_sha256,
        clock_start=environment.clock_start,
        contract=environment.contract.model_dump(),
        tools_source=module.source,
        tools=[tool.model_dump() for tool in module.tools],
        files={document.path: document.text.encode() for document in environment.documents},
    )
    return Depot(draft, environment, module, bundle, world)
