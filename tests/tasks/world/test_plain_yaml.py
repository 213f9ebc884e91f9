from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.world.plain_yaml import OutsideSubset, parse

yaml = pytest.importorskip("yaml", reason="PyYAML, which Prefect brings along, is the oracle")
WORDS = "a b: - 1 1.5 0 ~ 'x' \"y\" '' #c true no null é [] {} 2024-05-01 1e3 0x1 1:30 + . ? ! & * | > % @ ` , [ } _ \\ ' \""
SPACED = ["- ", ": ", "\n", "\n  ", "\n    ", " ", " # d", "key: ", "- key: ", "---\n", "<<: ", "x y", "\t", "\r\n"]
PIECES = st.sampled_from([*WORDS.split(), *SPACED])


def comparable(value: Any, plain: bool) -> Any:
    """Both readings with what is ambiguous blanked: its kind differs from version to version."""
    if isinstance(value, dict):
        if plain and value.keys() == {"$plain"}:
            return "ambiguous"
        return {name: comparable(part, plain) for name, part in value.items()}
    return [comparable(part, plain) for part in value] if isinstance(value, list) else value


def agrees(ours: Any, theirs: Any) -> bool:
    if ours == "ambiguous":
        return isinstance(theirs, bool | int | float | str | datetime.date)
    if isinstance(ours, dict):
        return isinstance(theirs, dict) and list(ours) == list(theirs) and all(agrees(ours[k], theirs[k]) for k in ours)
    if isinstance(ours, list):
        return isinstance(theirs, list) and len(ours) == len(theirs) and all(map(agrees, ours, theirs))
    return type(ours) is type(theirs) and ours == theirs


@settings(max_examples=800, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_what_is_read_is_what_pyyaml_reads(text: str) -> None:
    try:
        ours = parse(text)
    except OutsideSubset:
        return
    assert agrees(comparable(ours, plain=True), yaml.safe_load(text)), (text, ours, yaml.safe_load(text))


def test_the_subset() -> None:
    text = """
# staff of the store
store: Main Street
open: true
staff:
- id: 1
  name: 'Bob ''B'' O''Neil'   # chief
  roles:
    - cashier
    - "clerk \\"at\\" till"
  since: 2024-05-01
-
  id: 2
  name:
  roles: []
rates:
  vat: 0.25
  - 
""".replace("  - \n", "")
    assert parse(text) == {
        "store": "Main Street",
        "open": True,
        "staff": [
            {
                "id": 1,
                "name": "Bob 'B' O'Neil",
                "roles": ["cashier", 'clerk "at" till'],
                "since": {"$plain": "2024-05-01"},
            },
            {"id": 2, "name": None, "roles": []},
        ],
        "rates": {"vat": 0.25},
    }
