"""What the ecosystem stores: rounds, merged themes, the backlog, places in the taxonomy, origins of values."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.environments import Environment
from schemas.identity import content_id
from schemas.quality import QualityResult
from schemas.records import Rejection
from schemas.rounds import Guideline, Round
from schemas.settings import AuthorName
from schemas.taxonomy import Classification
from schemas.themes import Merge, Source, Theme
from warehouse.saving import environment_tables, new_batch
from warehouse.stamp import Stamp, Tables
from warehouse.store import Warehouse


def save_round(
    wh: Warehouse,
    theme_id: str,
    verdict: Round,
    guideline: Guideline,
    candidate: Environment | None,
    sources: Sequence[Source],
    quality: Sequence[QualityResult],
    stamp: Stamp,
) -> str:
    """Store the verdict on a round, and its environment when it was accepted; return the batch's id.

    `candidate` is None when no world came of the round.
    """
    rejections = [] if verdict.refusal is None else [_refused(verdict)]
    kept = [] if rejections else [("environment", verdict.environment_id)]
    evidence = [verdict.model_dump(mode="json"), guideline.model_dump(mode="json")]
    batch = new_batch("complexify", f"{verdict.parent_id}/{verdict.number}", kept, rejections, stamp, evidence)
    row = stamp.mark(
        content_id("round", batch.id),
        author=stamp.author,
        batch_id=batch.id,
        theme_id=theme_id,
        accepted=verdict.refusal is None,
        measured_before=verdict.before.model_dump(mode="json"),
        measured_after=verdict.after.model_dump(mode="json") if verdict.after else None,
        reason=verdict.refusal,
        guideline=guideline.model_dump(mode="json"),
        **verdict.model_dump(include={"parent_id", "environment_id", "number", "additions", "detail"}),
    )
    stored = {} if candidate is None or rejections else environment_tables(candidate, sources, quality, batch.id, stamp)
    wh.merge({**stored, "rounds": [row], **batch.tables})
    return batch.id


def _refused(verdict: Round) -> Rejection:
    return Rejection(
        id=content_id("rejection", "complexify", verdict.model_dump(mode="json")),
        stage="complexify",
        subject_kind="environment",
        subject_id=verdict.environment_id or verdict.parent_id,
        environment_id=verdict.parent_id,
        reason=str(verdict.refusal),
        detail=verdict.detail,
        payload=verdict.model_dump(mode="json", include={"number", "additions", "before", "after"}),
    )


def save_value_sources(
    wh: Warehouse, environment_id: str, places: Sequence[tuple[str, str, str, str]], stamp: Stamp
) -> None:
    """Store where mined rows were read: (table, row's key, page's address, place on the page)."""
    names = ("table_name", "row_key", "address", "place")
    rows = [
        stamp.mark(
            content_id("value_source", environment_id, *place),
            environment_id=environment_id,
            **dict(zip(names, place, strict=True)),
        )
        for place in places
    ]
    wh.merge({"value_sources": rows})


def save_refusals(wh: Warehouse, rejections: Sequence[Rejection], stamp: Stamp) -> None:
    """Store what gave no theme and why, each a batch of its own, all at once."""
    tables: Tables = {}
    for rejection in rejections:
        batch = new_batch(rejection.stage, rejection.subject_id, [], [rejection], stamp)
        for name, rows in batch.tables.items():
            tables.setdefault(name, []).extend(rows)
    wh.merge(tables)


def save_merges(wh: Warehouse, merges: Sequence[Merge], stamp: Stamp) -> None:
    """Store which themes were merged into which, and by which rule."""
    rows = [stamp.mark(content_id("merge", merge.model_dump()), **merge.model_dump()) for merge in merges]
    wh.merge({"theme_merges": rows})


def save_backlog(wh: Warehouse, themes: Sequence[Theme], library: str | None, reason: str, stamp: Stamp) -> None:
    """Put themes on the backlog, those of a user's library with its path; one that is there already stays once."""
    place = {"library": library, "reason": reason}
    rows = [
        stamp.mark(content_id("backlog", theme.id), theme_id=theme.id, theme_name=theme.name, **place)
        for theme in themes
    ]
    wh.merge({"backlog": rows})


def save_classes(wh: Warehouse, places: Sequence[Classification], stamp: Stamp, author: AuthorName = "rules") -> None:
    """Store where an author places themes; a place that is stored already stays once."""
    rows = [
        stamp.mark(content_id("class", place.model_dump()), author=author, **place.model_dump()) for place in places
    ]
    wh.merge({"classes": rows})


def save_correction(wh: Warehouse, place: Classification, stamp: Stamp) -> None:
    """Store a person's word on a theme's place: it counts before the rules', and the latest before older ones."""
    row_id = content_id("class", "person", stamp.run_id, place.model_dump())
    wh.merge({"classes": [stamp.mark(row_id, author="person", **place.model_dump())]})
