"""Manifests: a packed folder gets the name that follows from its content, and says what it holds."""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schemas import versions
from schemas.identity import content_id, sha256_file
from schemas.snapshots import Manifest, Selection
from tasks.training.packing import Packed
from tasks.training.reader import MANIFEST

FORMAT = 1
SOURCES = ("flows", "schemas", "tasks", "warehouse")
STAGES = ("DISCOVER", "MINE", "BUILD_TOOLS", "COMPLEXIFY", "SYNTHESIZE", "PROMPTS")


def describe(
    packed: Packed, selection: Selection, reports: Mapping[str, Any], sources: list[dict[str, Any]], root: Path
) -> Manifest:
    """Return the manifest of what was packed; `root` is the folder of the factory's own sources."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "code_version": versions.CODE_VERSION,
        "code_sha256": code_sha256(root),
        "versions": {name.lower(): getattr(versions, name) for name in STAGES},
        "selection": selection.model_dump(mode="json"),
        "counts": dict(sorted(packed.counts.items())),
        "reports": dict(reports),
        "sources": sources,
        "files": packed.files,
    }
    return Manifest(id=content_id("snap", content), **content)


def code_sha256(root: Path) -> str:
    """Return one hash over the names and bytes of the factory's sources."""
    digest = hashlib.sha256()
    paths = (path for name in SOURCES for path in (root / name).rglob("*") if path.is_file())
    for path in sorted(path for path in paths if path.suffix in (".py", ".sql", ".jinja", ".toml")):
        digest.update(f"{path.relative_to(root).as_posix()} {sha256_file(path)}\n".encode())
    return digest.hexdigest()


def seal(partial: Path, manifest: Manifest, folder: Path) -> Path:
    """Write the manifest into a packed folder, and move it into `folder` under the snapshot's name; return that.

    A snapshot of the same content that is there already stays.
    """
    text = json.dumps(manifest.model_dump(mode="json"), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    (partial / MANIFEST).write_text(text, encoding="utf-8")
    place = folder / manifest.id
    if not place.is_dir():
        os.replace(partial, place)
    return place


def archive(folder: Path) -> Path:
    """Write a snapshot's folder into `<folder>.tar`, whose bytes follow from the folder's; return it."""
    place = folder.with_suffix(".tar")
    partial = place.with_name(f".{place.name}.{os.getpid()}")
    with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = tarfile.TarInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}")
            entry.size, entry.mode = path.stat().st_size, 0o644
            with path.open("rb") as content:
                tar.addfile(entry, content)
    os.replace(partial, place)
    return place
