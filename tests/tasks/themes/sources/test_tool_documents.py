"""Tool documents: functions for a model and OpenAPI, and the topic inferred back from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import UsageError
from schemas.themes import Theme
from tasks.themes.sources.bounds import Bounds
from tasks.themes.sources.tool_documents import read_tool_document

SHOP_3 = """
openapi: 3.1.0
info: {title: Corner shop, description: Sells things., license: {name: MIT}, version: '1'}
tags: [{name: orders, description: What people buy.}]
paths:
  /v1/products:
    get:
      operationId: listProducts
      parameters:
        - {name: category, in: query, schema: {type: string, enum: [food, toys]}}
        - {$ref: '#/components/parameters/Limit'}
        - {name: X-Trace, in: header, schema: {type: string}}
      responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Product'}}}}}}
    post:
      operationId: addProduct
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Product'}}}}
      responses: {'201': {description: made}}
  /v1/products/{productId}:
    parameters: [{name: productId, in: path, required: true, schema: {type: integer}}]
    get: {operationId: getProduct, responses: {default: {description: x}}}
    patch: {operationId: changeProduct, responses: {}}
    delete: {responses: {}}
  /v1/products/search:
    get: {operationId: findThem, parameters: [{name: q, in: query, schema: {type: string}}], responses: {}}
  /v1/orders/{orderId}/cancel:
    post: {operationId: cancelOrder, responses: {}}
  /v1/orders:
    post:
      operationId: placeOrder
      requestBody: {$ref: '#/components/requestBodies/Order'}
      responses: {}
components:
  parameters: {Limit: {name: limit, in: query, schema: {type: integer}}}
  requestBodies:
    Order:
      content: {application/json: {schema: {type: object, properties: {productId: {type: integer}, quantity: {type: integer}}}}}
  schemas:
    Product:
      type: object
      properties:
        id: {type: integer}
        name: {type: string}
        price: {type: number}
        parent: {$ref: '#/components/schemas/Product'}
"""
SHOP_2 = {
    "swagger": "2.0",
    "info": {"title": "Old shop"},
    "paths": {
        "/pets": {
            "post": {
                "operationId": "addPet",
                "parameters": [{"in": "body", "name": "body", "schema": {"$ref": "#/definitions/Pet"}}],
                "responses": {"200": {"schema": {"$ref": "#/definitions/Pet"}}},
            },
            "get": {
                "operationId": "pets",
                "parameters": [{"in": "query", "name": "breed", "type": "string"}],
                "responses": {},
            },
        }
    },
    "definitions": {
        "Pet": {"type": "object", "properties": {"petName": {"type": "string"}, "weight": {"type": "number"}}}
    },
}


def theme_of(path: Path, text: str, name: str | None = None) -> Theme:
    path.write_text(text, "utf-8")
    finding = read_tool_document(path, Bounds(), "unknown", name)
    assert finding.refusals == []
    return finding.themes[0]


def test_openapi_3_as_yaml(tmp_path: Path) -> None:
    theme = theme_of(tmp_path / "shop.yaml", SHOP_3)
    assert (theme.name, theme.title, theme.kind, theme.licence) == ("corner_shop", "Corner shop", "tools", "MIT")
    assert theme.description == "Sells things. What people buy."
    done = {one.name: (one.verb, one.entity) for one in theme.operations}
    assert done == {
        "listProducts": ("list", "products"),
        "addProduct": ("create", "products"),
        "getProduct": ("get", "products"),
        "changeProduct": ("update", "products"),
        "delete /v1/products/{productId}": ("delete", "products"),
        "findThem": ("search", "products"),
        "cancelOrder": ("transition", "orders"),
        "placeOrder": ("create", "orders"),
    }
    products, orders = (next(e for e in theme.entities if e.name == name) for name in ("products", "orders"))
    assert {"name", "price", "category"} <= {field.name for field in products.fields}
    assert next(field for field in products.fields if field.name == "price").type == "money"
    assert next(field for field in orders.fields if field.name == "product_id").refers_to == "products"
    assert [p.name for p in theme.operations[0].parameters] == ["category"]


def test_openapi_2_as_json(tmp_path: Path) -> None:
    theme = theme_of(tmp_path / "old.json", json.dumps(SHOP_2))
    assert [(one.name, one.verb, one.entity) for one in theme.operations] == [
        ("pets", "list", "pets"),
        ("addPet", "create", "pets"),
    ]
    assert {"name", "weight", "breed"} <= {field.name for field in theme.entities[0].fields}


FUNCTION = {
    "name": "library_search_books",
    "description": "Search books.",
    "strict": True,
    "parameters": {"type": "object", "properties": {"title": {"type": "string"}}, "additionalProperties": False},
}
MORE = [
    {"name": "library_reserve_book", "parameters": {"type": "object", "properties": {"book_id": {"type": "string"}}}},
    {"name": "library_list_members", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}},
]


@pytest.mark.parametrize(
    "document",
    [
        [FUNCTION, *MORE],
        [{"type": "function", "function": FUNCTION}, *MORE],
        {"tools": [{"type": "function", "function": FUNCTION}, *MORE]},
        {"functions": [FUNCTION, *MORE]},
    ],
)
def test_functions_for_a_model(tmp_path: Path, document: Any) -> None:
    theme = theme_of(tmp_path / "tools.json", json.dumps(document))
    assert (theme.name, theme.title) == ("library", "Library")
    assert theme.description == "Library: tools for books and members."
    assert [one.entity for one in theme.operations] == ["books", "books", "members"]


def test_the_topic_is_taken_from_the_file_or_the_things_where_names_share_nothing(tmp_path: Path) -> None:
    tools = json.dumps([{"name": "search_hotels"}, {"name": "book_flight"}])
    assert theme_of(tmp_path / "travel_tools.json", tools).title == "Travel"
    assert theme_of(tmp_path / "functions.json", tools).title == "Flights and hotels"
    assert theme_of(tmp_path / "functions.json", tools, "Trips").name == "trips"


def test_documents_without_tools_say_why(tmp_path: Path) -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + at)}: &{chr(98 + at)} [{', '.join([f'*{chr(97 + at)}'] * 9)}]\n" for at in range(20)
    )
    for text, reason in (
        ("a: [b", "unreadable"), ("just words", "no_tools"), ("{}", "no_tools"), ("[1, 2]", "no_tools"), (bomb, "no_tools"),
        ("openapi: 3.0.0\npaths: {/x: 3, /y: {get: 7}}", "no_tools"), ('[{"name": "add"}]', "nothing_to_store"),
    ):  # fmt: skip
        path = tmp_path / "x.yaml"
        path.write_text(text, "utf-8")
        finding = read_tool_document(path, Bounds(), "unknown")
        assert [refusal.reason for refusal in finding.refusals] == [reason], text[:30]
    with pytest.raises(UsageError, match="missing"):
        read_tool_document(tmp_path / "missing.json", Bounds(), "unknown")
