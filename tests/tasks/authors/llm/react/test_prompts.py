"""Prompts are rendered strictly."""

import pytest
from jinja2 import UndefinedError

from tasks.authors.llm.react.prompts import render

PACKAGE = "tasks.authors.llm.client"


def test_a_prompt_is_rendered_and_trimmed() -> None:
    text = render(PACKAGE, "repair.jinja", reason="no_json", detail="<b>&")
    assert "no_json" in text and "<b>&" in text and text == text.strip()


def test_a_value_that_is_missing_is_a_mistake() -> None:
    with pytest.raises(UndefinedError):
        render(PACKAGE, "repair.jinja", reason="no_json")
