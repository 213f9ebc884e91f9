"""Prompts are .jinja files beside the agent that uses them."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment as Jinja
from jinja2 import PackageLoader, StrictUndefined


def render(package: str, name: str, **values: Any) -> str:
    """Render the prompt `name` of an agent's package (`__package__`), trimmed; a value that is missing raises."""
    return _prompts(package).get_template(name).render(**values).strip()


@cache
def _prompts(package: str) -> Jinja:
    return Jinja(
        loader=PackageLoader(package, "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
