"""requirements.lock: complete, hashed, and free of addresses."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = (ROOT / "requirements.lock").read_text()
PINS = dict(re.findall(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", LOCK, flags=re.MULTILINE))


def test_holds_no_address() -> None:
    assert "://" not in LOCK
    assert not re.search(r"^(-i|--index|--extra-index|--find-links|-f)\b", LOCK, flags=re.MULTILINE)


def test_every_pin_is_hashed() -> None:
    entries = re.split(r"^(?=[A-Za-z0-9])", LOCK, flags=re.MULTILINE)[1:]
    assert len(entries) > 100
    assert [e.split()[0] for e in entries if "==" not in e or "--hash=sha256:" not in e] == []


def test_locks_what_pyproject_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [
        *project["dependencies"],
        *project["optional-dependencies"]["library"],
        *project["optional-dependencies"]["test"],
    ]
    for requirement in [*asked, "setuptools"]:
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        assert name and name.group().lower() in PINS, f"{requirement}: run make lock"
    exact = dict(r.split("==") for r in asked if "==" in r and "*" not in r)
    assert {name: PINS[name.lower()] for name in exact} == exact


def test_data_packages_are_pinned_exactly() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][^*]*", r) for r in project["optional-dependencies"]["library"])
