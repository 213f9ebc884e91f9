"""Folders: what lies in a user's library, told apart into data and what only accompanies it.

Nothing is followed out of the library: links to folders are never entered (so that a loop ends), a
link to a file counts where the file lies inside. Hidden files and what systems leave behind are not
looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import UsageError
from schemas.identity import canonical_json, sha256_file, sha256_text

_LEFT_BY_SYSTEMS = {"__macosx", "__pycache__", "node_modules", "thumbs.db", "desktop.ini", "icon\r"}
_README_STEMS = {"readme", "read_me", "read-me"}
_LICENCE_STEMS = {"license", "licence", "copying", "unlicense", "copyright", "notice"}
_TEXT_SUFFIXES = {"", ".md", ".markdown", ".txt", ".rst"}
_COMPANION_SUFFIXES = set(
    """.md .markdown .rst .pdf .doc .docx .odt .rtf .ppt .pptx .tex .bib
    .png .jpg .jpeg .gif .svg .webp .bmp .tif .tiff .ico .heic .eps .mp3 .mp4 .wav .mov .avi .webm
    .py .pyc .r .rmd .rdata .rds .rproj .ipynb .js .ts .css .scss .sh .bat .ps1 .pl .rb .go .rs .java .c .h .cpp .jl .do
    .m .sas .toml .ini .cfg .conf .lock .log .sha256 .md5 .sig .asc .exe .dll .so .bin .ttf .woff .woff2""".split()
)
"""Files that go with data: documents, pictures, recordings, programs. Whatever else lies there is tried as data."""


@dataclass(frozen=True)
class Folder:
    """One folder: paths inside the library with '/', sorted; the root's own path is ''."""

    path: str
    data: tuple[str, ...] = ()
    readme: str | None = None
    licence: str | None = None
    companions: tuple[str, ...] = ()
    strays: tuple[tuple[str, str], ...] = ()
    """Entries that are not taken, with the reason: links out of the library or to nowhere, unwritable names."""
    closed: bool = False
    """The folder cannot be listed."""

    @property
    def name(self) -> str:
        """The folder's own name; '' for the root."""
        return self.path.rpartition("/")[2]

    @property
    def parent(self) -> str:
        """The path of the folder around it; '' for the root and what lies directly in it."""
        return self.path.rpartition("/")[0]


def walk_library(root: Path) -> dict[str, Folder]:
    """Return every folder below `root` and the root itself ('') by path, sorted.

    Raises UsageError when the root is missing, no folder, or holds nothing.
    """
    try:
        if not root.is_dir():
            what = "is no folder" if root.exists() else "does not exist"
            raise UsageError(f"the library {root} {what}. Name a folder of data: factory expand --library DIR")
        with os.scandir(root):
            pass
    except OSError as error:
        raise UsageError(
            f"the library {root} cannot be read: {error.strerror}. Make it readable, then run again"
        ) from error
    closed: list[str] = []
    folders: dict[str, Folder] = {}
    home = root.resolve()
    for place, below, names in os.walk(root, onerror=lambda error: closed.append(str(error.filename))):
        path = _inner(root, place)
        entries = sorted(name for name in (*below, *names) if not _is_noise(name))
        strays = {name: why for name in entries if (why := _stray(home, Path(place) / name, name in below))}
        below[:] = sorted(name for name in below if name in entries and name not in strays)
        files = [name for name in entries if name not in strays and name not in below]
        folders[path] = _folder(path, [name for name in files if (Path(place) / name).is_file()], strays)
    for place in closed:
        path = _inner(root, place)
        folders[path] = Folder(path, closed=True)
    if len(folders) == 1 and not folders[""].data:
        raise UsageError(
            f"the library {root} holds no data. Put files or folders of files there: factory expand --library DIR"
        )
    return dict(sorted(folders.items()))


def tree_hash(root: Path) -> str:
    """Return one hash over what discovery looks at: every file's path, and the bytes of those it reads.

    Equal trees have equal hashes wherever they lie. Raises UsageError like `walk_library`.
    """
    folders = walk_library(root)
    read = [path for f in folders.values() for path in (*f.data, f.readme, f.licence) if path is not None]
    named = [[f.path, f.closed, f.companions, f.strays] for f in folders.values()]
    return sha256_text(canonical_json([hash_files(root, read), named]))


def hash_files(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """Return the sha256 of each file by its path inside the library; '' for one that cannot be opened."""
    hashes = {}
    for path in paths:
        try:
            hashes[path] = sha256_file(root / path)
        except OSError:
            hashes[path] = ""
    return hashes


def _folder(path: str, files: list[str], strays: dict[str, str]) -> Folder:
    inside = {name: f"{path}/{name}" if path else name for name in (*files, *strays)}
    readmes = [name for name in files if _stem(name) in _README_STEMS and _suffix(name) in _TEXT_SUFFIXES]
    licences = [name for name in files if _stem(name) in _LICENCE_STEMS and _suffix(name) in _TEXT_SUFFIXES]
    companions = [name for name in files if name in readmes or name in licences or _suffix(name) in _COMPANION_SUFFIXES]
    return Folder(
        path=path,
        data=tuple(inside[name] for name in files if name not in companions),
        readme=inside[readmes[0]] if readmes else None,
        licence=inside[licences[0]] if licences else None,
        companions=tuple(inside[name] for name in companions),
        strays=tuple((inside[name].encode("utf-8", "replace").decode(), why) for name, why in strays.items()),
    )


def _inner(root: Path, place: str) -> str:
    path = Path(place).relative_to(root).as_posix()
    return "" if path == "." else path


def _is_noise(name: str) -> bool:
    return name.startswith((".", "~$")) or name.lower() in _LEFT_BY_SYSTEMS


def _stray(home: Path, path: Path, is_folder: bool) -> str | None:
    """Return why an entry is not taken, None when it is."""
    try:
        path.name.encode()
        if not path.is_symlink():
            return None
        inside = path.resolve(strict=True).is_relative_to(home)
    except UnicodeEncodeError:
        return "its name is not valid UTF-8"
    except (OSError, RuntimeError):
        return "a link to nothing"
    if not inside:
        return "a link that leaves the library"
    return "a link to a folder, which is looked at where it lies" if is_folder else None


def _stem(name: str) -> str:
    return name.lower().partition(".")[0]


def _suffix(name: str) -> str:
    return os.path.splitext(name)[1].lower()
