"""Discovery: a user's library becomes themes, refused ones among them, with the trail of every file considered."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from schemas.identity import content_id
from schemas.library import TrailStep
from schemas.records import Rejection
from schemas.themes import Theme
from tasks.mining.library.composition import Composed, Taken, compose, counted
from tasks.mining.library.digests import digest_file
from tasks.mining.library.folders import Folder, hash_files, walk_library
from tasks.mining.library.holdings import ROOT, Collection, collect
from tasks.mining.library.index import Index, IndexedFile, open_index
from tasks.mining.library.licences import licences_of
from tasks.mining.library.names import and_list, is_slug, name_themes, title_of
from tasks.mining.library.readmes import LONGEST_DESCRIPTION, LONGEST_TITLE, Readme, read_readme, shorten
from tasks.mining.library.related import Considered, Related, find_related
from tasks.mining.sources import files_of, version_of

_log = logging.getLogger(__name__)
_NO_README = Readme()
_MOST_NAMED = 5


@dataclass(frozen=True)
class LibraryFinding:
    """Themes by name; of the refused ones (no tables) the reasons by theme id; what was considered for each."""

    themes: list[Theme]
    refusals: dict[str, list[Rejection]]
    trail: list[TrailStep]


@dataclass(frozen=True)
class _Library:
    """What is known of a library before themes are made."""

    root: Path
    folders: Mapping[str, Folder]
    hashes: Mapping[str, str]
    readmes: Mapping[str, Readme]
    licences: Mapping[str, str]

    def readme(self, folder: Folder) -> Readme:
        """Return a folder's own page, an empty one where it has none."""
        return self.readmes.get(folder.path, _NO_README)


def discover_library(root: Path, index: Path) -> LibraryFinding:
    """Return the themes of the folder tree `root`; `index` is where the full-text index is kept.

    Equal trees give equal findings, wherever they lie. Raises UsageError for a root that is missing, no
    folder or empty, and for an index that cannot be written.
    """
    library = _look(root)
    files = [
        IndexedFile(path, library.hashes[path], library.readme(folder).text)
        for folder in library.folders.values()
        for path in folder.data
    ]
    with open_index(index, files, lambda path: digest_file(root / path)) as opened:
        collections = collect(library.folders, opened.digests)
        names = name_themes(collection.label for collection in collections)
        composed = {
            c: compose(c, opened.digests, c.folder.name or c.label, library.readme(c.folder).meanings)
            for c in collections
        }
        stacked = {
            file: len(taken.recipe.parts)
            for one in composed.values()
            for taken in one.tables
            for file in taken.recipe.parts
        }
        found = [_theme(library, c, names[c.label], composed[c], stacked, opened) for c in collections]
    found.sort(key=lambda one: one[0].name)
    _log.info("library themes=%d refused=%d files=%d", len(found), sum(bool(one[1]) for one in found), len(files))
    return LibraryFinding(
        themes=[theme for theme, _, _ in found],
        refusals={theme.id: rejections for theme, rejections, _ in found if rejections},
        trail=[step for _, _, steps in found for step in steps],
    )


def _look(root: Path) -> _Library:
    folders = walk_library(root)
    readmes = {path: read_readme(root / folder.readme) for path, folder in folders.items() if folder.readme}
    hashes = hash_files(root, (file for folder in folders.values() for file in folder.data))
    licences = licences_of(folders, root, {path: readme.text for path, readme in readmes.items()})
    return _Library(root, folders, hashes, readmes, licences)


def _theme(
    library: _Library, collection: Collection, name: str, composed: Composed, stacked: Mapping[str, int], index: Index
) -> tuple[Theme, list[Rejection], list[TrailStep]]:
    """Return one collection's theme, its refusal if any, and its trail."""
    readme = library.readme(collection.folder)
    alone = collection.folder.path or len(library.folders[""].data) == len(collection.files)
    readme = readme if alone else _NO_README
    title = _title(readme, collection)
    related = Related((), (), ())
    if composed.refusal is None:
        related = find_related(title, composed.tables, collection.files, stacked, index)
    theme = Theme(
        name=name,
        title=title,
        description=readme.description or _described(composed, collection),
        kind="folder",
        package=collection.folder.path or ROOT,
        version="-",
        licence=_licence(library, collection, related.taken),
        tables=[table.recipe for table in (*related.own, *related.taken)],
    )
    evidence = files_of(theme) or [*collection.files, *collection.folder.companions]
    version = version_of({file: library.hashes.get(file, "") for file in evidence})
    theme = theme.model_copy(update={"version": version})
    return theme, _rejections(theme, composed), _trail(theme, collection, composed, related.considered)


def _title(readme: Readme, collection: Collection) -> str:
    if readme.title and not is_slug(readme.title):
        return readme.title
    return shorten(title_of(readme.title or collection.folder.name or collection.label), LONGEST_TITLE)


def _described(composed: Composed, collection: Collection) -> str:
    """Return what the files are, where no README says it."""
    files = [file.rpartition("/")[2] for file in collection.files]
    if not composed.tables:
        return f"{counted(len(files), 'file')}." if files else "A folder without data."
    names = [taken.recipe.name.replace("_", " ") for taken in composed.tables]
    more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
    rows = sum(taken.rows for taken in composed.tables)
    source = files[0] if len(files) == 1 else counted(len(files), "file")
    said = f"{counted(len(names), 'table')} of {counted(rows, 'row')} from {source}: {and_list(names[:_MOST_NAMED] + more)}."
    return shorten(said, LONGEST_DESCRIPTION)


def _licence(library: _Library, collection: Collection, related: Sequence[Taken]) -> str:
    """Return the licence of all files of a theme; those of other folders behind the folder's own."""
    places = [collection.folder.path, *(table.recipe.file.rpartition("/")[0] for table in related)]
    return "; ".join(dict.fromkeys(library.licences[place] for place in places))


def _rejections(theme: Theme, composed: Composed) -> list[Rejection]:
    if composed.refusal is None:
        return []
    reason, detail = composed.refusal
    return [
        Rejection(
            id=content_id("rejection", "discover", theme.id, reason, detail),
            stage="discover",
            subject_kind="theme",
            subject_id=theme.id,
            reason=reason,
            detail=detail,
        )
    ]


def _trail(
    theme: Theme, collection: Collection, composed: Composed, considered: Sequence[Considered]
) -> list[TrailStep]:
    """Return the folder's own files, then those that queries found."""
    own = [("", one.file, None, one.outcome, list(one.tables), one.why) for one in composed.files]
    own += [("", path, None, "unreadable", [], why) for path, why in collection.folder.strays]
    others = [
        (one.query, one.file, one.score, one.outcome, [one.table] if one.table else [], one.why) for one in considered
    ]
    return [
        TrailStep(
            theme_id=theme.id,
            position=position,
            query=query,
            file=file,
            score=score,
            outcome=outcome,
            tables=tables,
            why=why,
        )
        for position, (query, file, score, outcome, tables, why) in enumerate([*own, *others])
    ]
