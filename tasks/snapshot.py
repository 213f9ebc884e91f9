"""WHAT: export what may be trained on as an immutable folder that needs nothing of the factory."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from prefect import get_run_logger, task

import tasks
from schemas.errors import UsageError
from schemas.rollouts import Rollout
from schemas.settings import Settings
from schemas.snapshots import Candidate, Manifest, Selection, Split
from tasks.policies import clocked, is_transient, log_bug, stamp_of
from tasks.resources import bundle_of
from tasks.training.learnability import zero_variance
from tasks.training.manifest import archive, describe, seal
from tasks.training.packing import Material, pack
from tasks.training.splits import split_families
from tasks.verification.audit import COUNTED
from tasks.world.leftovers import clear_leftovers
from warehouse.published import Published
from warehouse.rows import load_attempts, load_tasks
from warehouse.snapshots import choose_candidates, save_snapshot, snapshot_sources
from warehouse.store import Warehouse

SOURCES = Path(tasks.__file__).parent
PARTIAL = ".partial-"
"""Prefix of the folder in which a process packs; its id follows."""
TELL_EVERY = 100
"""Environments between two lines of progress."""


@dataclass(frozen=True)
class Packaged:
    """A snapshot on the disk: its manifest, folder and archive, all bytes of the folder, and the seconds it took."""

    manifest: Manifest
    path: Path
    archive: Path
    bytes: int
    seconds: float


# Not cached: what is published changes. Retried: the warehouse's lock, or a disk that was full for a moment.
@task(
    task_run_name="package a snapshot",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
    on_failure=[log_bug],
)
def package(selection: Selection, run_id: str, seed: int) -> Packaged:
    """Write a snapshot of what is published and note it; one of the same content stays as it is.

    Raises UsageError when nothing is chosen, or when files of an environment are gone.
    """
    began, settings = time.monotonic(), Settings()
    published, warehouse, stamp = Published(settings.home), Warehouse(settings.home), stamp_of(run_id, seed)
    chosen = choose_candidates(published, selection)
    if not chosen:
        raise UsageError(_nothing(settings, selection))
    with clocked(warehouse, stamp, "snapshot", "snapshot") as work, _partial(settings) as partial:
        packed = pack(partial, _materials(settings, published, chosen, selection), SOURCES)
        sources = snapshot_sources(published, sorted({each.environment_id for each in chosen}))
        manifest = describe(packed, selection, _reports(published, chosen), sources, SOURCES.parent)
        place = seal(partial, manifest, settings.home.absolute() / "snapshots")
        save_snapshot(warehouse, manifest, place, chosen, stamp)
        work.counts.update(environments=packed.counts["environments"], tasks=packed.counts["tasks"])
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    return Packaged(manifest, place, archive(place), size, round(time.monotonic() - began, 2))


def _nothing(settings: Settings, selection: Selection) -> str:
    """Say why a selection takes nothing."""
    if selection.policy_id is not None:
        return (
            "no task that may be trained on is passed sometimes by this policy; an evaluation attempts only tasks of the "
            "arena and of the holdout, which are never trained on. Leave --learnable-by out: factory snapshot"
        )
    return f"no task of {settings.home} may go into this snapshot. See: factory sql --named snapshot_candidates"


@contextmanager
def _partial(settings: Settings) -> Iterator[Path]:
    """Give an empty folder beside the snapshots; what is left of it, or of a killed run's, goes."""
    folder = settings.home.absolute() / "snapshots"
    folder.mkdir(parents=True, exist_ok=True)
    clear_leftovers(folder, PARTIAL)
    with tempfile.TemporaryDirectory(prefix=f"{PARTIAL}{os.getpid()}-", dir=folder, ignore_cleanup_errors=True) as name:
        content = Path(name) / "content"
        content.mkdir()
        yield content


def _materials(
    settings: Settings, published: Published, chosen: Sequence[Candidate], selection: Selection
) -> Iterator[Material]:
    """Yield the chosen environments, by id, with their tasks, one at a time."""
    logger = get_run_logger()
    splits: dict[str, Split] = split_families((each.theme_name for each in chosen), selection.heldout)
    groups = [(name, list(group)) for name, group in groupby(chosen, key=lambda each: each.environment_id)]
    for number, (environment_id, candidates) in enumerate(groups, 1):
        first = candidates[0]
        known = {each.task_id: each for each in candidates}
        proven = [(task, gold, known[task.id]) for task, gold in load_tasks(published, list(known))]
        passing = _demonstrations(published, selection.teacher_id, list(known))
        about = {"theme": first.theme_name, "version": first.version, "level1": first.level1}
        bundle = bundle_of(settings, environment_id, first.theme_name)
        yield Material(bundle, about, splits[first.theme_name], proven, passing)
        if number % TELL_EVERY == 0 or number == len(groups):
            logger.info("stage=snapshot packed=%d/%d", number, len(groups))


def _demonstrations(published: Published, teacher_id: str | None, ids: list[str]) -> list[Rollout]:
    """Return the attempts of a policy at these tasks that pass."""
    made = load_attempts(published, teacher_id, ids) if teacher_id else []
    return [each.rollout for each in made if each.rollout.verdict.outcome == "pass"]


def _reports(published: Published, chosen: Sequence[Candidate]) -> dict[str, Any]:
    """Return what a reader wants to know of where the tasks come from and of how hard they are."""
    proofs = published.rows("proofs")
    levels = Counter(str(each.level) for each in chosen)
    rates = [each.pass_rate for each in chosen if each.pass_rate is not None]
    return {
        "funnel": published.rows("funnel"),
        "proofs": {name: sum(row[name] for row in proofs) for name in COUNTED if name in proofs[0]} if proofs else {},
        "flags": dict(sorted(Counter(row["kind"] for row in published.rows("flags")).items())),
        "levels": dict(sorted(levels.items())),
        "zero_variance": zero_variance(rates),
    }
