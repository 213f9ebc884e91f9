"""Discovered themes, stored: each with its evidence and its place in the taxonomy, on the backlog, and published.

No Prefect run: a command of seconds, with no step that could be taken up again.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from schemas.errors import UsageError
from schemas.identity import content_id, sha256_text
from schemas.library import TrailStep
from schemas.models import Role
from schemas.records import Rejection
from schemas.settings import Settings
from schemas.themes import Merge, Source, Theme
from schemas.versions import CODE_VERSION
from tasks.authors.llm.client.client import ModelClient
from tasks.authors.llm.labels.themes import refine_finding
from tasks.authorship import models_for
from tasks.candidates import classify
from tasks.mining.library.discovery import discover_library
from tasks.mining.sources import fingerprint
from tasks.themes.copies import merge_copies
from tasks.themes.findings import Finding
from tasks.themes.merging import merge_themes
from warehouse.rows import (
    Stamp,
    load_discovered,
    save_backlog,
    save_merges,
    save_refusals,
    save_run,
    save_run_end,
    save_themes,
)
from warehouse.store import Warehouse


@dataclass(frozen=True)
class Refused:
    """A source that gave no theme: its address or name, a reason of a closed list, and one line with figures."""

    name: str
    reason: str
    detail: str


@dataclass(frozen=True)
class Discovery:
    """What a source gave: themes that were kept, those merged into them, and those refused.

    `sources` are all themes' evidence; `library` is the folder that holds their files, if that is what they are of.
    """

    themes: Sequence[Theme]
    merges: Sequence[Merge]
    refusals: Sequence[Refused]
    sources: Sequence[Source]
    trail: Sequence[TrailStep] = ()
    library: str | None = None
    notes: Sequence[str] = ()

    @property
    def reasons(self) -> dict[str, int]:
        """Reason of refusal → number, most first."""
        return dict(Counter(refused.reason for refused in self.refusals).most_common())


def keep_finding(settings: Settings, finding: Finding, what: str) -> Discovery:
    """Merge what documents gave, with what was discovered before too, store it, and return it; `what` says what was read."""
    stamp = _stamp(settings)
    with _models(settings, stamp, "themes") as models:
        named = finding if models is None else refine_finding(partial(models.role, "themes"), finding)
    merged = merge_themes(named, [theme for theme, _ in load_discovered(Warehouse(settings.home))])
    found = Discovery(
        themes=merged.themes,
        merges=merged.merges,
        refusals=[Refused(refusal.address, refusal.reason, refusal.detail) for refusal in merged.refusals],
        sources=[source for theme in merged.themes if not theme.sites for source in fingerprint(theme)],
        notes=merged.notes,
    )
    store_discovery(settings, found, what, stamp)
    return found


def keep_library(settings: Settings, folder: Path) -> Discovery:
    """Find the themes of a folder tree of data, store them, and return them; UsageError when it is no folder."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder. Give a folder tree with data files: factory discover data DIR")
    root = folder.resolve()
    index = settings.home.absolute() / "library" / f"index-{sha256_text(str(root))[:16]}.sqlite"
    listed = discover_library(root, index)
    kept = [theme for theme in listed.themes if theme.id not in listed.refusals]
    refusals = [
        Refused(theme.name, listed.refusals[theme.id][0].reason, listed.refusals[theme.id][0].detail)
        for theme in listed.themes
        if theme.id in listed.refusals
    ]
    files = {theme.id: fingerprint(theme, root) for theme in kept}
    kept, merges = merge_copies(kept, files)
    sources = [source for theme in kept for source in files[theme.id]]
    found = Discovery(kept, merges, refusals, sources, listed.trail, str(root))
    store_discovery(settings, found, str(folder), _stamp(settings))
    return found


def store_discovery(settings: Settings, found: Discovery, what: str, stamp: Stamp) -> None:
    """Store a discovery as one run and publish the warehouse; `what` says what was looked at. Storing it again adds nothing."""
    warehouse = Warehouse(settings.home)
    save_run(warehouse, "discover", {"source": what}, time.time(), stamp)
    save_themes(warehouse, found.themes, found.sources, found.trail, stamp)
    save_merges(warehouse, found.merges, stamp)
    save_refusals(warehouse, [_rejection(refused) for refused in found.refusals], stamp)
    with _models(settings, stamp, "taxonomy") as models:
        classify(warehouse, found.themes, stamp, partial(models.role, "taxonomy") if models else None)
    save_backlog(warehouse, found.themes, found.library, f"discovered in {what}", stamp)
    told = f"{len(found.themes)} themes, {len(found.merges)} merged, {len(found.refusals)} refused"
    save_run_end(warehouse, "completed", time.time(), stamp, told)
    warehouse.publish()


def _stamp(settings: Settings) -> Stamp:
    return Stamp(str(uuid.uuid4()), CODE_VERSION, settings.seed, settings.authors.of("themes"))


def _models(settings: Settings, stamp: Stamp, role: Role) -> AbstractContextManager[ModelClient | None]:
    return models_for(settings, settings.authors, (role,), Warehouse(settings.home), stamp)


def _rejection(refused: Refused) -> Rejection:
    subject = content_id("theme", "refused", refused.name)
    return Rejection(
        id=content_id("rejection", "discover", subject, refused.reason, refused.detail),
        stage="discover",
        subject_kind="theme",
        subject_id=subject,
        reason=refused.reason,
        detail=refused.detail,
        payload={"name": refused.name},
    )
