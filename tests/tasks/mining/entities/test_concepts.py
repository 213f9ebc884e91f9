"""Every concept that a field can be has a provider, whose values are of the concept's type."""

from random import Random

import pytest

from schemas.themes import EntityField
from tasks.mining.entities.concepts import concepts, fits, stored_type
from tasks.mining.entities.providers import PROVIDERS, list_names, value_for
from tasks.mining.entities.rows import Row, Table
from tasks.mining.entities.vocabulary import word_lists

PYTHON = {"integer": int, "number": float, "money": float, "boolean": int}


def test_concepts_and_providers_are_the_same() -> None:
    assert set(PROVIDERS) == set(concepts())


@pytest.mark.parametrize("concept", sorted(concepts()))
def test_a_provider_gives_values_of_the_concepts_type(concept: str) -> None:
    kind = concepts()[concept]["type"]
    field = EntityField(name=concept, type=kind, words=concept, concept=concept)
    assert fits(field)
    for number in range(20):
        value = value_for(Row(Random(f"{concept}:{number}"), Table("issue", "issues", "issue"), number), field)
        assert value is None or isinstance(value, PYTHON.get(kind, str)), (concept, value)
        assert value != ""


def test_a_field_of_another_type_than_its_concept_gets_values_of_its_type() -> None:
    field = EntityField(name="city", type="integer", words="city", concept="city")
    assert isinstance(value_for(Row(Random("x"), Table("issue", "issues", "issue"), 1), field), int)


def test_a_text_that_is_a_number_by_its_concept_is_stored_as_one() -> None:
    assert stored_type(EntityField(name="price", type="text", words="price", concept="price")) == "money"
    listed = EntityField(name="price", type="text", words="price", concept="price", values=["low", "high"])
    assert stored_type(listed) == "text"


def test_categories_are_drawn_from_lists_that_there_are() -> None:
    assert list_names() <= set(word_lists())
