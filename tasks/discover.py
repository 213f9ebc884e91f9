"""WHAT: find the themes and their evidence, in installed packages or in a user's library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prefect import get_run_logger, task

from schemas.identity import content_id
from schemas.references import RefusedReference, ThemeReference
from schemas.settings import Settings
from schemas.themes import Source
from schemas.versions import DISCOVER
from tasks.candidates import choose_candidates, classify
from tasks.mining.library.folders import tree_hash
from tasks.mining.sources import fingerprint
from tasks.policies import cache_key, clocked, is_transient, stamp_of
from warehouse.rows import save_refused_theme, save_themes
from warehouse.store import Warehouse

Found = list[ThemeReference | RefusedReference]


def depends_on(parameters: dict[str, Any]) -> Any:
    """The themes' own content and the bytes of their sources: reading the hashes is how a change is noticed."""
    names, most, library, backlog = (parameters[name] for name in ("names", "most", "library", "backlog"))
    if library is not None:
        return [names, most, library, tree_hash(Path(library))]
    found = choose_candidates(Settings(), names, most, None, backlog)
    return [(theme.id, evidence_of(fingerprint(theme, found.library_of(theme)))) for theme in found.themes]


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
def discover(
    names: list[str] | None, most: int | None, library: str | None, backlog: bool, run_id: str, seed: int
) -> Found:
    """Store the named themes (None: all) and their sources, at most `most`; return a reference to each.

    They come from the folder `library`, from the `backlog` in the planner's order, or are bundled ones and,
    by name, discovered ones.
    """
    warehouse, stamp = Warehouse(Settings().home), stamp_of(run_id, seed, "rules")
    references: Found = []
    with clocked(warehouse, stamp, "discover", run_id) as work:
        found = choose_candidates(Settings(), names, most, library, backlog)
        evidence = {theme.id: fingerprint(theme, found.library_of(theme)) for theme in found.themes}
        with warehouse.together() as live:
            sources = [source for found_there in evidence.values() for source in found_there]
            save_themes(live, found.themes, sources, found.trail, stamp)
            for theme in found.themes:
                mark = {"theme_id": theme.id, "name": theme.name}
                if refusals := found.refusals.get(theme.id):
                    batch, reason = save_refused_theme(live, refusals, stamp), refusals[0].reason
                    references.append(RefusedReference(**mark, stage="discover", reason=reason, batch_id=batch))
                else:
                    told, library = evidence_of(evidence[theme.id]), found.libraries.get(theme.id)
                    references.append(ThemeReference(**mark, evidence=told, library=library))
        classify(warehouse, found.themes, stamp)
        refused = sum(isinstance(reference, RefusedReference) for reference in references)
        work.counts.update(themes=len(references), refused=refused)
    get_run_logger().info("stage=discover themes=%d refused=%d", len(references), refused)
    return references


def evidence_of(sources: list[Source]) -> str:
    """Return one hash over the sources' files and bytes."""
    return content_id("evidence", sorted((source.file, source.sha256) for source in sources))
