"""A sandbox for the scripts of a research agent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tasks.world.session import World


@pytest.fixture(scope="module")
def sandbox() -> Iterator[World]:
    """An open world's sandbox."""
    with World() as opened:
        yield opened
