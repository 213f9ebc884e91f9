"""Snapshots in the warehouse: what one may hold, what it is made from, and which there are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schemas.arena import Seat
from schemas.errors import UsageError
from schemas.identity import content_id
from schemas.snapshots import Candidate, Manifest, Selection
from warehouse.arena import load_seats, save_seats
from warehouse.catalogue import named_query
from warehouse.published import Published
from warehouse.stamp import Row, Stamp
from warehouse.store import Reader, Warehouse


def choose_candidates(published: Published, selection: Selection) -> list[Candidate]:
    """Return the tasks that a selection takes, ordered by environment and id; UsageError for a condition that is no SQL."""
    query = named_query("snapshot_candidates")
    condition = f"({selection.where})" if selection.where else "true"
    text = (
        f"select * from ({query.text.rstrip().removesuffix(';')}) where {condition}\norder by environment_id, task_id"
    )
    try:
        rows = published.sql(
            text, query.bind({"policy": selection.policy_id, "practice": selection.practice})
        ).records()
    except UsageError as error:
        if selection.where is None:
            raise
        raise UsageError(
            f"--where {selection.where!r}: {error} Columns: factory sql --named snapshot_candidates"
        ) from error
    return [candidate for row in rows if _fits(candidate := Candidate.model_validate(row), selection)]


def _fits(candidate: Candidate, selection: Selection) -> bool:
    """Say whether a task is of the levels that are asked for, and is passed sometimes by the policy that is named."""
    if selection.levels is not None:
        low, high = selection.levels
        if candidate.level is None or not low <= candidate.level <= high:
            return False
    return selection.policy_id is None or 0 < candidate.passed < candidate.attempts


def snapshot_sources(reader: Reader, environment_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the sources that any row of these environments comes from, with their licences."""
    return reader.rows("snapshot_sources", environments=list(environment_ids))


def save_snapshot(wh: Warehouse, manifest: Manifest, path: Path, candidates: Sequence[Candidate], stamp: Stamp) -> None:
    """Store that a snapshot holds these tasks; an equal one is stored once.

    An environment's family has a role from then on, open where it had none. The warehouse's keys refuse a task that is not
    for training, and any of a holdout family.
    """
    families = {candidate.environment_id: candidate.theme_name for candidate in candidates}
    with wh.together() as live:
        save_seats(live, [Seat(family=each.theme_name, role="open", level1=each.level1) for each in candidates], stamp)
        roles = {seat.family: seat.role for seat in load_seats(live)}
        members = [
            stamp.mark(
                content_id("snapshot_environment", manifest.id, environment_id),
                snapshot_id=manifest.id,
                environment_id=environment_id,
                family=family,
                role=roles[family],
            )
            for environment_id, family in sorted(families.items())
        ]
        held = [_task_row(manifest.id, candidate, stamp) for candidate in candidates]
        snapshot = [_snapshot_row(manifest, path, stamp)]
        live.merge({"snapshots": snapshot, "snapshot_environments": members, "snapshot_tasks": held})


def withdraw(wh: Warehouse, what: str, reason: str, stamp: Stamp) -> list[str]:
    """Store that sources are withdrawn: all that have `what` as id, package, file or hash; return their ids.

    Nothing made from one is trained on from then on. Raises UsageError when there is no such source.
    """
    found = [row["id"] for row in wh.rows("matching_sources", what=what)]
    if not found:
        raise UsageError(
            f'no source has {what!r} as id, package, file or hash. See: factory sql "select * from sources"'
        )
    told = {"author": "person", "reason": reason}
    wh.merge(
        {
            "withdrawals": [
                stamp.mark(content_id("withdrawal", source_id, reason), source_id=source_id, **told)
                for source_id in found
            ]
        }
    )
    return found


def _snapshot_row(manifest: Manifest, path: Path, stamp: Stamp) -> Row:
    contents = {"counts": manifest.counts, "selection": manifest.selection.model_dump(mode="json")}
    told = {"name": manifest.id, "sha256": manifest.id.partition("_")[2], "path": str(path), "format": "folder"}
    return stamp.mark(manifest.id, **told, contents=contents)


def _task_row(snapshot_id: str, candidate: Candidate, stamp: Stamp) -> Row:
    return stamp.mark(
        content_id("snapshot_task", snapshot_id, candidate.task_id),
        snapshot_id=snapshot_id,
        task_id=candidate.task_id,
        environment_id=candidate.environment_id,
        pool="training",
    )
