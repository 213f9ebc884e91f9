"""Schemas as endpoints take them."""

from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from tasks.authors.llm.client.shapes import answer_schema, is_strict, plain, sample


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Title(BaseModel):
    title: str = Field(description="as printed")


class Book(BaseModel):
    """A book."""

    kind: Literal["book"] = "book"
    title: Title
    colours: list[Colour] = []
    pages: int | None = Field(None, ge=1)
    default: bool = False


class Film(BaseModel):
    kind: Literal["film"] = "film"
    minutes: Annotated[float, Field(ge=1)]


class Shelf(BaseModel):
    items: list[Annotated[Book | Film, Field(discriminator="kind")]]


class Open(BaseModel):
    counts: dict[str, int]


class Node(BaseModel):
    next: "Node | None" = None


def keywords(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return {word for part in schema for word in keywords(part)}
    if not isinstance(schema, dict):
        return set()
    inner = [part for key, value in schema.items() for part in (value.values() if key == "properties" else [value])]
    return set(schema) | {word for part in inner for word in keywords(part)}


def test_a_schema_is_plain_and_closed() -> None:
    schema = answer_schema(Shelf)
    assert not keywords(schema) & {"$ref", "$defs", "title", "default", "oneOf", "discriminator"}
    book, film = schema["properties"]["items"]["items"]["anyOf"]
    assert book["required"] == ["kind", "title", "colours", "pages", "default"]
    assert book["properties"]["title"]["properties"]["title"] == {"type": "string", "description": "as printed"}
    assert book["additionalProperties"] is False and film["additionalProperties"] is False
    assert book["properties"]["colours"]["items"]["enum"] == ["red", "blue"]
    assert is_strict(schema)


def test_a_sample_fits_its_schema() -> None:
    schema = answer_schema(Shelf)
    Draft202012Validator(schema).validate(sample(schema))
    assert Shelf.model_validate(sample(schema)).items[0].title.title == "<title>"


def test_an_object_of_any_keys_cannot_be_strict() -> None:
    assert not is_strict(answer_schema(Open))
    assert sample(answer_schema(Open)) == {"counts": {}}


def test_arguments_that_may_be_left_out_stay_so() -> None:
    parameters = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "limit": {"type": ["integer", "null"], "default": 20}},
        "required": ["city"],
    }
    assert plain(parameters) == {**parameters, "additionalProperties": False}
    assert not is_strict(plain(parameters))
    assert sample(plain(parameters)) == {"city": "<city>"}


def test_a_schema_that_holds_itself_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="Node"):
        answer_schema(Node)
