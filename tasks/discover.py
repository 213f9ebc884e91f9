"""WHAT: find the themes and their evidence."""

from __future__ import annotations

from typing import Any

from prefect import get_run_logger, task

from schemas.identity import content_id
from schemas.references import ThemeReference
from schemas.settings import Settings
from schemas.themes import Source, Theme
from schemas.versions import DISCOVER
from tasks.mining.sources import fingerprint
from tasks.policies import cache_key, clocked, is_transient, stamp_of
from tasks.themes.bundled import bundled_themes, theme_by_name
from warehouse.rows import save_theme
from warehouse.store import Warehouse


def depends_on(parameters: dict[str, Any]) -> Any:
    """The themes' own content and the bytes of their sources: reading the hashes is how a change is noticed."""
    return [(theme.id, evidence_of(fingerprint(theme))) for theme in chosen_themes(parameters["names"])]


# Retried: a file system that hiccups while sources are hashed.
@task(
    task_run_name="discover themes",
    cache_key_fn=cache_key("discover", DISCOVER, depends_on),
    persist_result=True,
    result_serializer="json",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
)
def discover(names: list[str] | None, run_id: str, seed: int, author: str) -> list[ThemeReference]:
    """Store the named themes (None: all bundled ones) and their sources; return a reference to each, by name."""
    warehouse = Warehouse(Settings().home)
    references = []
    with clocked(warehouse, run_id, "discover", run_id) as counts:
        for theme in chosen_themes(names):
            sources = fingerprint(theme)
            save_theme(warehouse, theme, sources, stamp_of(run_id, seed, author))
            references.append(ThemeReference(theme_id=theme.id, name=theme.name, evidence=evidence_of(sources)))
        counts["themes"] = len(references)
    get_run_logger().info("stage=discover themes=%s", ",".join(reference.name for reference in references))
    return references


def chosen_themes(names: list[str] | None) -> list[Theme]:
    """Return the bundled themes of these names (None: all), sorted by name."""
    return bundled_themes() if names is None else [theme_by_name(name) for name in sorted(set(names))]


def evidence_of(sources: list[Source]) -> str:
    """Return one hash over the sources' files and bytes."""
    return content_id("evidence", sorted((source.file, source.sha256) for source in sources))
