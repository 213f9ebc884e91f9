"""What changed from one snapshot to another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemas.identity import canonical_json, sha256_text
from tasks.training.packing import PACKAGE
from tasks.training.reader import ENVIRONMENTS, SPLITS, TASKS, Snapshot

Parts = dict[str, list[str]]


def difference(one: Snapshot, other: Snapshot) -> dict[str, Parts]:
    """Return for tasks, environments and code what was added, removed and changed, sorted: ids, and files of the code.

    A task that went to the other split is changed; so is an environment of which any file has other bytes.
    """
    return {
        "tasks": _compared(_tasks(one), _tasks(other)),
        "environments": _compared(_environments(one), _environments(other)),
        "code": _compared(_files(one, PACKAGE), _files(other, PACKAGE)),
    }


def _compared(before: Mapping[str, Any], after: Mapping[str, Any]) -> Parts:
    return {
        "added": sorted(after.keys() - before.keys()),
        "removed": sorted(before.keys() - after.keys()),
        "changed": sorted(name for name in before.keys() & after.keys() if before[name] != after[name]),
    }


def _tasks(snapshot: Snapshot) -> dict[str, str]:
    """Return task → a hash of its row and split."""
    rows = ((row["id"], split, row) for split in SPLITS for row in snapshot.rows(TASKS, split))
    return {name: sha256_text(canonical_json([split, row])) for name, split, row in rows}


def _environments(snapshot: Snapshot) -> dict[str, dict[str, str]]:
    """Return environment → its files' hashes."""
    found: dict[str, dict[str, str]] = {}
    for path, sha256 in _files(snapshot, ENVIRONMENTS).items():
        environment_id, _, name = path.partition("/")
        found.setdefault(environment_id, {})[name] = sha256
    return found


def _files(snapshot: Snapshot, folder: str) -> dict[str, str]:
    start = f"{folder}/"
    files: dict[str, str] = snapshot.manifest["files"]
    return {path.removeprefix(start): sha256 for path, sha256 in files.items() if path.startswith(start)}
