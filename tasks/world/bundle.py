"""Bundles: one environment's folder, as tools see it.

world.db        the seed database
contract.json   {"environment_id", "world_sha256", "clock_start", "contract"}
tools.py        one module; a function per tool
tools.json      a list of tools: name, description, input_schema, output_schema, read_only, …
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from .errors import BundleError

DATABASE, CONTRACT, TOOLS_SOURCE, TOOLS = "world.db", "contract.json", "tools.py", "tools.json"


@dataclass(frozen=True)
class Bundle:
    """A folder's content, except the database and the tools' source, which are read when used.

    `tools`: name → the tool as stored. `contract`: a StateContract's fields.
    `clock_start`: the frozen clock's first reading, YYYY-MM-DDTHH:MM:SS, taken as UTC.
    """

    path: Path
    environment_id: str
    world_sha256: str
    clock_start: str
    tools: dict[str, dict[str, Any]]
    contract: dict[str, Any]

    @property
    def database(self) -> Path:
        """The seed database."""
        return self.path / DATABASE

    @property
    def tools_source(self) -> Path:
        """The tools' module."""
        return self.path / TOOLS_SOURCE

    @classmethod
    def load(cls, path: Path) -> Bundle:
        """Read the bundle in folder `path`; BundleError names the file that is missing or broken."""
        path = Path(path).absolute()
        for name in (DATABASE, CONTRACT, TOOLS_SOURCE, TOOLS):
            if not (path / name).is_file():
                raise BundleError(f"no {name} in {path}: it is not a bundle, or its tools were never built")
        about, tools = _read_json(path / CONTRACT), _read_json(path / TOOLS)
        try:
            bundle = cls(
                path=path,
                environment_id=about["environment_id"],
                world_sha256=about["world_sha256"],
                clock_start=about["clock_start"],
                tools={tool["name"]: tool for tool in tools},
                contract=about["contract"],
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
) -> Bundle:
    """Write a bundle into folder `path` (made if missing) and load it.

    Each file appears whole or not at all, tools.json last, so an interrupted first writing
    leaves no bundle that loads. `world_db` is copied in; None: it is there already.
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
    _replace(path / CONTRACT, _render(about))
    _replace(path / TOOLS_SOURCE, tools_source.encode())
    _replace(path / TOOLS, _render(list(tools)))
    return Bundle.load(path)


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
