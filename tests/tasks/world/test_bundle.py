from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.world.bundle import Bundle
from tasks.world.errors import BundleError


def test_what_is_written_is_read(bundle: Bundle) -> None:
    assert list(bundle.tools) == ["get_flight", "create_booking", "divide"]
    assert bundle.environment_id == "environment_1"
    assert bundle.clock_start == "2024-05-01T08:00:00"
    assert bundle.contract == {"log_tables": ["call_log"]}
    assert sorted(os.listdir(bundle.path)) == ["contract.json", "tools.json", "tools.py", "world.db"]
    assert Bundle.load(bundle.path) == bundle


@pytest.mark.parametrize("name", ["world.db", "contract.json", "tools.py", "tools.json"])
def test_a_missing_file_is_named(make_bundle: Callable[..., Bundle], name: str) -> None:
    path = make_bundle().path
    (path / name).unlink()
    with pytest.raises(BundleError, match=f"no {name} in {path}"):
        Bundle.load(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("contract.json", "{", "contract.json is not JSON"),
        ("contract.json", "{}", "environment_id"),
        ("tools.json", '[{"title": "x"}]', "name"),
        ("tools.json", "[1]", "tools.json"),
        (
            "contract.json",
            '{"environment_id": "e", "world_sha256": "0", "contract": {}, "clock_start": "noon"}',
            "noon",
        ),
    ],
)
def test_a_broken_file_is_named(make_bundle: Callable[..., Bundle], name: str, content: str, message: str) -> None:
    path: Path = make_bundle().path
    (path / name).write_text(content)
    with pytest.raises(BundleError, match=message):
        Bundle.load(path)
