"""Holdings: which files of a library belong to one theme.

A folder with data is one collection; of a part of the tree without any data, its topmost folder is one (a
collection that will be refused), unless a folder with data lies around it and it only illustrates that. The
files that lie directly in the root have no folder to say what they share: those that are parts of one table or
linked by their values are one collection, any other is one by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tasks.mining.columns.naming import snake_case
from tasks.mining.library.digests import FileDigest, TableDigest
from tasks.mining.library.folders import Folder
from tasks.mining.library.links import link_by_names, link_by_values
from tasks.mining.library.parts import group_parts, stem_of

ROOT = "."
"""What a theme names as its folder when its files lie directly in the library."""


@dataclass(frozen=True)
class Collection:
    """Files of one folder that belong together; `label` is the path that names them."""

    folder: Folder
    label: str
    files: tuple[str, ...]


def collect(folders: Mapping[str, Folder], digests: Mapping[str, FileDigest]) -> list[Collection]:
    """Return the collections of a library, sorted by label, each file with data in exactly one."""
    found = _root_collections(folders[""], digests)
    bare = {path for path in folders if not any(f.data and _within(f.path, path) for f in folders.values())}
    for path, folder in folders.items():
        if path and folder.data:
            found.append(Collection(folder, path, folder.data))
        elif path in bare and path and not _belongs_to_other(folder, folders, bare):
            found.append(Collection(folder, path, ()))
    return sorted(found, key=lambda collection: (collection.label, collection.files))


def _within(path: str, around: str) -> bool:
    return path == around or not around or path.startswith(f"{around}/")


def _belongs_to_other(folder: Folder, folders: Mapping[str, Folder], bare: set[str]) -> bool:
    """Return whether a bare folder is told by one around it: a bare one, or one with data below the root."""
    path = folder.parent
    while path:
        if path in bare or folders[path].data:
            return True
        path = folders[path].parent
    return False


def _root_collections(root: Folder, digests: Mapping[str, FileDigest]) -> list[Collection]:
    own = {file: digests[file] for file in root.data}
    groups = [group.files for group in group_parts(own, "")]
    groups += [(file,) for file in own if not own[file].tables]
    tables = {group: [(stem_of(file), table) for file in group[:1] for table in own[file].tables] for group in groups}
    leader = {group: group for group in groups}
    for group in groups:
        for other in groups:
            if leader[group] != leader[other] and _linked(tables[group], tables[other]):
                old, new = sorted((leader[group], leader[other]), reverse=True)
                leader = {key: new if value == old else value for key, value in leader.items()}
    together: dict[tuple[str, ...], list[str]] = {}
    for group in groups:
        together.setdefault(leader[group], []).extend(group)
    return [Collection(root, _label(sorted(files)), tuple(sorted(files))) for files in together.values()]


def _label(files: list[str]) -> str:
    """Return what names files of the root: up to three of their names."""
    return "_".join(dict.fromkeys(snake_case(stem_of(file)) for file in files[:3]))


def _linked(children: list[tuple[str, TableDigest]], parents: list[tuple[str, TableDigest]]) -> bool:
    for _, child in children:
        for name, parent in parents:
            values = link_by_values(child, parent)
            if (values and values.counts) or link_by_names(child, parent, snake_case(name)):
                return True
    return False
