"""Frames on disk: a world's typed tables as they were read, for the stages after mining.

They come from the sources, before SQLite saw them, so that expected values computed from them
do not rest on the database that the tools read.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import polars as pl

from tasks.authors.base import Frames
from tasks.world.leftovers import clear_leftovers

PLACING = ".placing-"
"""Prefix of a folder that is being filled; the process's id follows."""


def place_frames(frames: Frames, folder: Path) -> None:
    """Write one Parquet file a table to `folder`, in one step; what lies there is replaced."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    clear_leftovers(folder.parent, PLACING)
    placing = Path(tempfile.mkdtemp(prefix=f"{PLACING}{os.getpid()}-", dir=folder.parent))
    try:
        for name, frame in frames.items():
            frame.write_parquet(placing / f"{name}.parquet", compression="zstd")
        if folder.is_dir():
            shutil.rmtree(folder)
        placing.rename(folder)
    finally:
        shutil.rmtree(placing, ignore_errors=True)


def load_frames(folder: Path, names: list[str]) -> Frames:
    """Read the tables called `names`, in that order; FileNotFoundError when one is gone."""
    return {name: pl.read_parquet(folder / f"{name}.parquet") for name in names}
