"""The README says what is: settings, marks and layout are held against the code."""

import re
import tomllib
from pathlib import Path

import pytest

from schemas.settings import variables

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
GROUPS = {name.rpartition("__")[0] for name in variables()}
SETTINGS = [name for name in variables() if name not in GROUPS]
MARKS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["markers"]


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_documented(name: str) -> None:
    assert f"`{name}`" in README


def test_no_setting_is_documented_that_is_none() -> None:
    assert set(re.findall(r"FACTORY_\w+", README)) == set(SETTINGS)


@pytest.mark.parametrize("mark", [mark.split(":")[0] for mark in MARKS])
def test_every_mark_is_documented(mark: str) -> None:
    assert f"-m {mark}`" in README


def test_the_tree_names_what_is_there() -> None:
    tree = README.split("## The tree")[1].split("```")[1]
    named = re.findall(r"^ *(\w+)/", tree, re.MULTILINE)
    assert all(any(ROOT.glob(f"**/{name}")) for name in named)
    top = {path.name for path in ROOT.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert top <= set(named)


def test_tasks_named_in_passing_are_the_example_pages() -> None:
    """docs/example.md is held against real synthesis; an id named elsewhere must be one of its own."""
    named = re.compile(r"task_[0-9a-f]{16}")
    real = set(named.findall((ROOT / "docs" / "example.md").read_text(encoding="utf-8")))
    texts = [
        README,
        *(path.read_text(encoding="utf-8") for path in [*ROOT.glob("docs/*.md"), *ROOT.glob("flows/cli/*.py")]),
    ]
    assert real and {name for text in texts for name in named.findall(text)} <= real


def test_agents_page_is_short() -> None:
    assert len((ROOT / "AGENTS.md").read_text(encoding="utf-8").splitlines()) <= 60
