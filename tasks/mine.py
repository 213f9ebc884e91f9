"""WHAT: from one theme's sources to an environment that passed the quality gate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prefect import get_run_logger, task

from schemas.environments import Environment
from schemas.identity import content_id
from schemas.models import Role
from schemas.quality import QualityResult
from schemas.records import Rejection
from schemas.references import EnvironmentReference, RefusedReference, ThemeReference
from schemas.settings import AuthorSettings, Settings
from schemas.themes import Source
from schemas.versions import MINE
from tasks.authors.base import Author
from tasks.authors.rules.documents.mined import mined_documents
from tasks.authors.rules.rounds.documents import with_documents
from tasks.authorship import author_for, researcher_for, written_by
from tasks.mining.finding import search_for
from tasks.mining.frames import place_frames
from tasks.mining.quality.gate import judge_world, refusal
from tasks.mining.refusals import ThemeRefused
from tasks.mining.research.tracing import ValuePlace
from tasks.mining.sources import fingerprint
from tasks.mining.tables import mine_tables
from tasks.mining.worlds import place_environment, propose_world
from tasks.policies import cache_key, clocked, is_transient, log_bug, stamp_of
from tasks.resources import database_of
from warehouse.rows import load_theme, save_environment, save_refused_theme, save_value_sources
from warehouse.store import Warehouse


def depends_on(parameters: dict[str, Any]) -> Any:
    """The theme, its sources' bytes, who searches for more, and the world's seed and size."""
    theme: ThemeReference = parameters["theme"]
    size = [parameters[name] for name in ("seed", "world_mb")]
    return [theme.theme_id, theme.evidence, *size, written_by(parameters["authors"], *ROLES)]


ROLES: tuple[Role, ...] = ("research",)


# Retried: the disk or the warehouse's lock; a theme that gives no tables is an answer and stays one.
@task(
    task_run_name="mine {theme.name}",
    cache_key_fn=cache_key("mine", MINE, depends_on),
    persist_result=True,
    result_serializer="json",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
    on_failure=[log_bug],
)
def mine(
    theme: ThemeReference, run_id: str, seed: int, world_mb: float, authors: AuthorSettings, afresh: bool = False
) -> EnvironmentReference | RefusedReference:
    """Mine the theme's tables, lay operations over them, judge the world, and store it with its files.

    `afresh` searches again where something was found before.
    """
    warehouse, stamp = Warehouse(Settings().home), stamp_of(run_id, seed, authors.of(*ROLES))
    mark = {"theme_id": theme.theme_id, "name": theme.name}
    with (
        author_for(authors, ROLES, warehouse, stamp, refresh=afresh) as author,
        clocked(warehouse, stamp, "mine", theme.theme_id) as work,
    ):
        try:
            mined = _build(warehouse, theme, author, seed, world_mb, afresh)
        except ThemeRefused as verdict:
            rejection = _rejection(theme, verdict.reason, verdict.detail)
            return RefusedReference(
                **mark,
                stage="mine",
                reason=verdict.reason,
                batch_id=save_refused_theme(work.store, [rejection], stamp, verdict.environment, verdict.quality),
            )
        environment = mined.environment
        places = [(place.table, place.row_key, place.address, place.place) for place in mined.places]
        batch = save_environment(work.store, environment, mined.sources, mined.quality, stamp)
        save_value_sources(work.store, environment.id, places, stamp)
        rows = sum(table.rows for table in environment.profile.tables)
        work.counts.update(tables=len(environment.profile.tables), rows=rows, expectations=len(mined.quality))
    get_run_logger().info(
        "stage=mine theme=%s environment=%s bytes=%d", theme.name, environment.id, environment.world_bytes
    )
    return EnvironmentReference(**mark, environment_id=environment.id, batch_id=batch)


@dataclass(frozen=True)
class Mined:
    """An environment that passed the quality gate, its sources, and where on the web its rows were read."""

    environment: Environment
    quality: list[QualityResult]
    sources: list[Source]
    places: list[ValuePlace]


def _build(
    warehouse: Warehouse, reference: ThemeReference, author: Author, seed: int, world_mb: float, afresh: bool
) -> Mined:
    """Put the world's files in their places; return it with what the quality gate found, ThemeRefused when that refuses it."""
    settings, theme = Settings(), load_theme(warehouse, reference.theme_id)
    library = None if reference.library is None else Path(reference.library)
    with researcher_for(settings, author, theme.id) as researcher:
        finding = search_for(settings, theme, library, afresh, researcher)
    mined = mine_tables(finding.theme, seed, world_mb, finding.library or library, finding.harvest)
    world = propose_world(author, theme, mined, seed)
    world = with_documents(world, mined_documents(theme, library))
    writer = finding.harvest.author if finding.harvest else "rules"
    environment = place_environment(world, theme, writer, seed, settings.environments_dir)
    place_frames(world.frames, settings.frames_dir / environment.id)
    database = database_of(settings, environment.id, theme.name)
    quality = judge_world(environment.profile, world.frames, database, environment.operations, world.clock_start)
    if broken := refusal(quality):
        raise ThemeRefused("quality_gate", broken, environment, quality)
    sources = [*fingerprint(theme, library), *finding.sources]
    return Mined(environment, quality, sources, finding.places(mined))


def _rejection(theme: ThemeReference, reason: str, detail: str) -> Rejection:
    return Rejection(
        id=content_id("rejection", "mine", theme.theme_id, reason, detail),
        stage="mine",
        subject_kind="theme",
        subject_id=theme.theme_id,
        reason=reason,
        detail=detail,
    )
