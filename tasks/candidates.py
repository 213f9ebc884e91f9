"""What themes a run builds from, and where each stands in the taxonomy. Not a task: the command line asks it too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from schemas.identity import sha256_text
from schemas.library import TrailStep
from schemas.records import Rejection
from schemas.settings import Settings
from schemas.themes import Theme
from tasks.authors.llm.labels.classes import label_class
from tasks.authors.llm.model import Model
from tasks.mining.library.discovery import discover_library
from tasks.taxonomy.names import Example, read_taxonomy
from tasks.taxonomy.texts import theme_text
from tasks.themes.backlog import Waiting, plan_night
from tasks.themes.bundled import bundled_themes
from tasks.themes.choice import choose_themes
from warehouse.rows import Stamp, load_discovered, save_classes
from warehouse.seeds import taxonomy_rows
from warehouse.store import Warehouse


@dataclass(frozen=True)
class Candidates:
    """Themes to build from: `refusals` by id for those refused already, `libraries` by id for a user's own data."""

    themes: list[Theme]
    refusals: dict[str, list[Rejection]] = field(default_factory=dict)
    trail: list[TrailStep] = field(default_factory=list)
    libraries: dict[str, str] = field(default_factory=dict)

    def library_of(self, theme: Theme) -> Path | None:
        """Return the folder that holds a theme's files; None: they are in a package, or it has none."""
        place = self.libraries.get(theme.id)
        return None if place is None else Path(place)


def choose_candidates(
    settings: Settings, names: list[str] | None, most: int | None, library: str | None, backlog: bool
) -> Candidates:
    """Return the themes that a run of these parameters builds from; UsageError for a name that no theme has."""
    if library is not None:
        index = settings.home.absolute() / "library" / f"index-{sha256_text(library)[:16]}.sqlite"
        finding = discover_library(Path(library), index)
        themes = choose_themes(finding.themes, names, most)
        return Candidates(themes, finding.refusals, finding.trail, {theme.id: library for theme in themes})
    if backlog:
        planned = planned_themes(Warehouse(settings.home), most, settings.rounds)
        return Candidates(
            [theme for theme, _ in planned], libraries={theme.id: place for theme, place in planned if place}
        )
    return named_themes(settings, names, most)


def named_themes(settings: Settings, names: list[str] | None, most: int | None) -> Candidates:
    """Return bundled themes, and by name the discovered ones too; UsageError for a name that no theme has."""
    stored = [] if names is None else load_discovered(Warehouse(settings.home), names)
    bundled = bundled_themes()
    known = {theme.name for theme in bundled}
    added = [(theme, place) for theme, place in stored if theme.name not in known]
    themes = choose_themes([*bundled, *(theme for theme, _ in added)], names, most)
    return Candidates(themes, libraries={theme.id: place for theme, place in added if place})


def planned_themes(warehouse: Warehouse, most: int | None, rounds: int) -> list[tuple[Theme, str | None]]:
    """Return the backlog's themes as the planner orders them, at most `most`, with the library of each."""
    rows = warehouse.rows("backlog", rounds=rounds)
    standing = {row["level1"]: row["environments"] for row in warehouse.rows("standing_classes")}
    waiting = [Waiting(row["theme_name"], row["wants"], row["level1"], row["rounds"]) for row in rows]
    order = [theme.theme_name for theme in plan_night(waiting, standing, len(waiting) if most is None else most)]
    found = {theme.name: (theme, place) for theme, place in load_discovered(warehouse, order)}
    return [found[name] for name in order]


def classify(
    warehouse: Warehouse, themes: Sequence[Theme], stamp: Stamp, models: Callable[[str], Model] | None = None
) -> None:
    """Give each theme its place in the taxonomy, by the names' words and by what people corrected so far.

    `models` gives the model that says so too, by the theme's id; its word counts before the rules', a person's before both.
    """
    from tasks.taxonomy.placement import place_themes  # scikit-learn takes a second: not for what is found done

    corrected = [
        (Theme.model_validate_json(row["recipe"]), row["level1"]) for row in warehouse.rows("corrected_classes")
    ]
    corrections = [Example(theme_text(theme), level1) for theme, level1 in corrected]
    taxonomy = read_taxonomy(taxonomy_rows())
    places = place_themes(themes, taxonomy, corrections)
    save_classes(warehouse, places, stamp)
    if models is not None:
        settled = {theme.name for theme, _ in corrected}
        open_ones = [(theme, at) for theme, at in zip(themes, places, strict=True) if theme.name not in settled]
        labels = [label_class(models(theme.id), theme, taxonomy, at) for theme, at in open_ones]
        save_classes(warehouse, [label.place for label in labels if label.author == "llm"], stamp, "llm")
