"""The closed list of concepts, and the lexicon's files: consistent among themselves."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import get_args

import pytest

import tasks.themes
from schemas.themes import EntityField
from tasks.themes.concepts import concept_of, concepts
from tasks.themes.lexicon import KINDS, STATES, VERBS, usual_fields

FOLDER = Path(tasks.themes.__file__).parent


def test_every_concept_has_a_type_that_a_field_can_have() -> None:
    assert set(concepts().values()) <= set(get_args(EntityField.model_fields["type"].annotation))
    assert len(concepts()) > 80


def test_no_word_stands_for_two_concepts() -> None:
    listed = tomllib.loads((FOLDER / "concepts.toml").read_text("utf-8"))["concept"].values()
    words = [word for concept in listed for word in concept["words"]]
    assert sorted(words) == sorted(set(words))


def test_no_word_stands_for_two_kinds_and_each_kind_can_be_stored() -> None:
    kinds = tomllib.loads((FOLDER / "usual.toml").read_text("utf-8"))["kind"]
    words = [word for kind, known in kinds.items() for word in (kind, *known["also"])]
    assert sorted(words) == sorted(set(words))
    assert len(KINDS) == len(words)
    assert all(len(usual_fields(kind)) >= 3 for kind in kinds)


def test_every_transition_leads_from_one_status_to_another() -> None:
    for word, state in STATES.items():
        assert state["to"] != state["from"], word
        assert VERBS.get(word) in ("transition", "get"), word


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("contact_email", "email"), ("is_public", "flag"), ("created_at", "created_at"), ("shipped_on", "date"),
        ("logged_at", "datetime"), ("invoice_number", "code"), ("block_number", "number"), ("max_wind_speed", "wind_speed"),
        ("nct_id", "code"), ("tags", "tag"), ("zorp", ""),
    ],
)  # fmt: skip
def test_concepts_follow_from_names(name: str, concept: str) -> None:
    assert concept_of(name) == concept
