"""The browser is started for real where there is one, and its absence or failure is told with a fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.mining.browsing import chromium
from tasks.mining.browsing.chromium import BrowserUnavailable, find_chromium, start_browser


@pytest.mark.skipif(find_chromium() is None, reason="no Chromium on PATH: apt-get install chromium")
def test_the_systems_browser_starts() -> None:
    found = start_browser(limit_s=60)
    assert found.path == find_chromium()
    assert int(found.version.split(".")[0]) > 90


def test_a_program_that_is_no_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(chromium, "find_chromium", lambda: program)
    with pytest.raises(BrowserUnavailable, match=r"does not start .*apt-get install chromium") as error:
        start_browser(limit_s=60)
    assert len(str(error.value).splitlines()) == 1


def test_a_browser_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(chromium, "find_chromium", lambda: program)
    with pytest.raises(BrowserUnavailable, match="Timeout"):
        start_browser(limit_s=1)
