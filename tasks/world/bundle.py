"""Bundles: one environment's folder, as tools see it.

world.db        the seed database
contract.json   {"environment_id", "world_sha256", "clock_start", "contract"}
tools.py        one module; a function per tool
tools.json      a list of tools: name, description, input_schema, output_schema, read_only, …
files/          optional: the world's other files, in folders of any depth (json, csv, yaml, text, …)

Tools find `world.db` and `files/…` under these names in their working directory, may edit what is
there, and can create nothing (see `documents.py` for how edits are compared). A state contract
names a file as it names a table, by its path: `files/staff.json`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from .errors import BundleError

DATABASE, CONTRACT, TOOLS_SOURCE, TOOLS = "world.db", "contract.json", "tools.py", "tools.json"
FILES = "files"


@dataclass(frozen=True)
class Bundle:
    """A folder's content, except the database and the tools' source, which are read when used.

    `tools`: name → the tool as stored. `contract`: a StateContract's fields.
    `clock_start`: the frozen clock's first reading, YYYY-MM-DDTHH:MM:SS, taken as UTC.
    `files`: the sorted paths below `path` of the world's other files. `world_sha256` identifies
    the seed state: as the contract tells it, together with the bytes of `files` if there are any.
    """

    path: Path
    environment_id: str
    world_sha256: str
    clock_start: str
    tools: dict[str, dict[str, Any]]
    contract: dict[str, Any]
    files: tuple[str, ...] = ()

    @property
    def database(self) -> Path:
        """The seed database."""
        return self.path / DATABASE

    @property
    def tools_source(self) -> Path:
        """The tools' module."""
        return self.path / TOOLS_SOURCE

    @cached_property
    def schemas(self) -> dict[str, tuple[Any, Any]]:
        """Tool name → its input and output schema."""
        return {name: (tool["input_schema"], tool["output_schema"]) for name, tool in self.tools.items()}

    @cached_property
    def schemas_sha256(self) -> str:
        """The hash of `schemas`, in the tools' order."""
        return hashlib.sha256(json.dumps(list(self.schemas.items())).encode()).hexdigest()

    def list_tools(self) -> list[dict[str, Any]]:
        """Return the tools as agents see them."""
        return [
            {
                "name": tool["name"],
                "description": tool["description"],
                "inputSchema": tool["input_schema"],
                "outputSchema": tool["output_schema"],
                "readOnly": tool["read_only"],
            }
            for tool in self.tools.values()
        ]

    @classmethod
    def load(cls, path: Path) -> Bundle:
        """Read the bundle in folder `path`; BundleError names the file that is missing or broken."""
        path = Path(path).absolute()
        for name in (DATABASE, CONTRACT, TOOLS_SOURCE, TOOLS):
            if not (path / name).is_file():
                raise BundleError(f"no {name} in {path}: it is not a bundle, or its tools were never built")
        about, tools = _read_json(path / CONTRACT), _read_json(path / TOOLS)
        files = _list_files(path)
        try:
            bundle = cls(
                path=path,
                environment_id=about["environment_id"],
                world_sha256=_seed_identity(about["world_sha256"], path, files),
                clock_start=about["clock_start"],
                tools={tool["name"]: tool for tool in tools},
                contract=about["contract"],
                files=files,
            )
            datetime.fromisoformat(bundle.clock_start)
        except (KeyError, TypeError, ValueError) as error:
            raise BundleError(f"{path}: {CONTRACT} or {TOOLS} lacks or garbles {error}") from error
        return bundle


def write_bundle(
    path: Path,
    *,
    environment_id: str,
    world_sha256: str,
    clock_start: str,
    contract: dict[str, Any],
    tools_source: str,
    tools: Sequence[dict[str, Any]],
    world_db: Path | None = None,
    files: Mapping[str, bytes] | None = None,
) -> Bundle:
    """Write a bundle into folder `path` (made if missing) and load it.

    Each file appears whole or not at all, tools.json last, so an interrupted first writing
    leaves no bundle that loads. `world_db` is copied in; None: it is there already. `files`:
    path below `files/` → content; what lies there beside them stays. BundleError for a path
    that leads out of it.
    """
    path = Path(path)
    path.mkdir(parents=True, exist_ok=True)
    about = {
        "environment_id": environment_id,
        "world_sha256": world_sha256,
        "clock_start": clock_start,
        "contract": contract,
    }
    if world_db is not None:
        _replace(path / DATABASE, world_db.read_bytes())
    for name, content in sorted((files or {}).items()):
        if not name or any(part in ("", ".", "..") for part in name.split("/")):
            raise BundleError(f"{name!r} is no path of a file below {FILES}/")
        place = path / FILES / name
        place.parent.mkdir(parents=True, exist_ok=True)
        _replace(place, content)
    _replace(path / CONTRACT, _render(about))
    _replace(path / TOOLS_SOURCE, tools_source.encode())
    _replace(path / TOOLS, _render(list(tools)))
    return Bundle.load(path)


def walk_files(root: Path) -> Iterator[str]:
    """Yield the path below `root` of everything in `root/files` that is no folder, following no link; unsorted."""
    for folder, folders, names in os.walk(root / FILES):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in (*names, *links):
            yield os.path.relpath(os.path.join(folder, name), root)


def _list_files(path: Path) -> tuple[str, ...]:
    files = tuple(sorted(walk_files(path)))
    for name in files:
        if (path / name).is_symlink() or not (path / name).is_file():
            raise BundleError(f"{path / name} is neither a file nor a folder: a world holds nothing else")
    return files


def _seed_identity(world_sha256: str, path: Path, files: Sequence[str]) -> str:
    if not files:
        return world_sha256
    contents = [(name, hashlib.sha256((path / name).read_bytes()).hexdigest()) for name in files]
    return hashlib.sha256(json.dumps([world_sha256, contents]).encode()).hexdigest()


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BundleError(f"{path} is not JSON: {error}") from error


def _render(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _replace(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_bytes(content)
    os.replace(partial, path)
