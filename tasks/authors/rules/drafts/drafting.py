"""Task drafts: plans drawn from a world, lowered to programs, and worded in a language."""

from __future__ import annotations

import random
from collections.abc import Iterator

from schemas.settings import DraftingSettings
from schemas.tasks import DraftKind, Language, TaskDraft
from tasks.authors.base import Setting
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.lowering import Lowered, lower
from tasks.authors.rules.lowering.writer import CannotLower
from tasks.authors.rules.plans.documents import draw_documents
from tasks.authors.rules.plans.drawn import Drawn
from tasks.authors.rules.plans.practice import draw_practice
from tasks.authors.rules.plans.programs import draw_programmatic
from tasks.authors.rules.plans.walks import draw_walks
from tasks.authors.rules.wording.vocabulary import Vocabulary
from tasks.authors.rules.wording.worded import NoWords, Worded
from tasks.authors.rules.wording.wording import word


def draft_tasks(kind: DraftKind, setting: Setting, seed: int, drafting: DraftingSettings) -> Iterator[TaskDraft]:
    """Yield drafts of a kind until no plan is left to draw; plans that no tool can do or no words say are passed over."""
    catalog = Catalog(setting.environment, setting.tools, setting.frames)
    vocabulary = Vocabulary(catalog)
    for place, drawn in enumerate(_draw(kind, catalog, setting, seed, drafting.walk_steps)):
        rng = random.Random(f"{setting.environment.id}/{kind}/{seed}/{place}/words")
        language: Language = "zh" if rng.random() < drafting.chinese_share else "en"
        try:
            yield _draft(kind, drawn, lower(drawn.plan, catalog), word(drawn.plan, vocabulary, language, rng), language)
        except (CannotLower, NoWords):
            continue


def _draw(kind: DraftKind, catalog: Catalog, setting: Setting, seed: int, walk_steps: int) -> Iterator[Drawn]:
    match kind:
        case "graph":
            return draw_walks(catalog, setting.edges, seed, walk_steps)
        case "document":
            return draw_documents(catalog, seed)
        case "programmatic":
            return draw_programmatic(catalog, seed)
        case "practice":
            return draw_practice(catalog, seed)


def _draft(kind: DraftKind, drawn: Drawn, lowered: Lowered, worded: Worded, language: Language) -> TaskDraft:
    fields = [field.model_copy(update={"description": worded.descriptions[field.name]}) for field in lowered.fields]
    return TaskDraft(
        kind="graph" if kind == "graph" else "programmatic",
        shape=drawn.shape,
        request=worded.request,
        answer_fields=fields,
        program=lowered.program,
        plan=drawn.plan,
        level=drawn.level,
        constants=lowered.constants,
        language=language,
    )
