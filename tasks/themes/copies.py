"""Copies: collections of data that consist of the same files, byte for byte, are one theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemas.themes import Merge, Source, Theme


def merge_copies(themes: Sequence[Theme], sources: Mapping[str, Sequence[Source]]) -> tuple[list[Theme], list[Merge]]:
    """Return the themes that stay, and a merge for each that is a copy of one before it, by name.

    `sources` are the files of each theme, by its id. Files that a theme borrows from elsewhere do not count.
    """
    first: dict[tuple[str, ...], Theme] = {}
    kept, merges = [], []
    for theme in sorted(themes, key=lambda theme: theme.name):
        own = tuple(sorted(one.sha256 for one in sources[theme.id] if one.file.startswith(f"{theme.package}/")))
        if own and own in first:
            address = f"{theme.package}/"
            merges.append(
                Merge(
                    merged_name=theme.name,
                    merged_address=address,
                    theme_id=first[own].id,
                    rule="content",
                    similarity=1.0,
                )
            )
        else:
            first.setdefault(own, theme)
            kept.append(theme)
    return kept, merges
