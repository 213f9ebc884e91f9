"""Sources: a theme's files, in its installed package or in the user's library, and their bytes' hashes."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath

from schemas.errors import UsageError
from schemas.identity import canonical_json, content_id, sha256_file, sha256_text
from schemas.themes import Evidence, Source, Theme

_log = logging.getLogger(__name__)
_VERSION_DIGITS = 16


def locate(theme: Theme, library: Path | None = None) -> dict[str, Path]:
    """Return the path of every file the theme's recipes name, sorted by name.

    A folder theme's files are inside `library`. Raises UsageError when the package or library is missing, has
    another version or changed files (other data would make another world), lacks a file, or a file is outside.
    """
    if theme.kind == "folder":
        return {file: path for file, (path, _) in _hashed_in_library(theme, library).items()}
    if not theme.tables:  # a theme of documents: its data is searched for
        return {}
    if theme.kind == "site" and library is not None:  # what was found on a site lies in its harvest's folder
        return {file: _inside(theme, library, file) for file in files_of(theme)}
    package = _distribution(theme)
    return {file: _locate_file(theme, package, file) for file in files_of(theme)}


def fingerprint(theme: Theme, library: Path | None = None) -> list[Source]:
    """Return one Source a file, with its bytes' sha256; ids do not depend on when or where it was read.

    A theme that rests on documents has one Source for each of these. Raises UsageError like `locate`.
    """
    if theme.evidence:
        return [_source_of(theme, evidence) for evidence in theme.evidence]
    if theme.kind == "folder":
        files = _hashed_in_library(theme, library)
    else:
        files = {file: (path, sha256_file(path)) for file, path in locate(theme).items()}
    read_at = datetime.now(UTC).isoformat(timespec="seconds")
    sources = []
    for file, (path, sha256) in files.items():
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


def _source_of(theme: Theme, evidence: Evidence) -> Source:
    columns = evidence.model_dump(include={"licence", "sha256", "bytes", "retrieved_at"})
    identity = content_id("source", theme.id, evidence.address, evidence.sha256)
    place = {"package": theme.package, "version": theme.version, "file": evidence.address}
    return Source(id=identity, theme_id=theme.id, **place, **columns)


def files_of(theme: Theme) -> list[str]:
    """Return the files that the theme's recipes name, parts of stacked tables included, sorted."""
    return sorted({file for recipe in theme.tables for file in (recipe.file, *recipe.parts)})


def version_of(hashes: Mapping[str, str]) -> str:
    """Return the version of a folder theme: one hash over its files' paths and sha256."""
    return sha256_text(canonical_json(sorted(hashes.items())))[:_VERSION_DIGITS]


def _hashed_in_library(theme: Theme, library: Path | None) -> dict[str, tuple[Path, str]]:
    """Return path and sha256 of every file of a folder theme; a refused theme has none."""
    if library is None:
        raise UsageError(
            f"theme {theme.name} reads files of a user's library. Give the library again: factory expand --library DIR"
        )
    files = files_of(theme)
    paths = {file: _inside(theme, library, file) for file in files}
    try:
        found = {file: (path, sha256_file(path)) for file, path in paths.items()}
    except OSError as error:
        raise UsageError(
            f"theme {theme.name} cannot read {error.filename}: {error.strerror}. "
            f"Make it readable, then run: factory expand --library {library}"
        ) from error
    if files and version_of({file: sha256 for file, (_, sha256) in found.items()}) != theme.version:
        last = max(files, key=lambda file: (paths[file].stat().st_mtime_ns, file))
        which = f"{last} has" if len(files) == 1 else f"one of its {len(files)} files (last written: {last}) has"
        raise UsageError(
            f"theme {theme.name}: {which} changed since it was discovered. Run: factory expand --library {library}"
        )
    return found


def _inside(theme: Theme, library: Path, file: str) -> Path:
    """Return a file's path, resolved, if that is in the library and a file."""
    again = f"Run: factory expand --library {library}"
    root = library.resolve()
    try:
        path = (root / file).resolve()
        inside = path.is_relative_to(root) and ".." not in PurePosixPath(file).parts and "\0" not in file
        there = inside and path.is_file()
    except (OSError, RuntimeError, ValueError):  # a ring of links, a name too long or with a zero byte
        inside = there = False
    if not inside:
        raise UsageError(f"theme {theme.name} names {file}, which lies outside the library {library}. {again}")
    if not there:
        raise UsageError(
            f"theme {theme.name} reads {file}, which the library {library} does not hold any more. {again}"
        )
    return path


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
