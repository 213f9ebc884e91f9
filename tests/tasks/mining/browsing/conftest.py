"""A site to browse, and a mark for tests that need a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.tasks.mining.web_site import Site, serve


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """The site of real data on this machine."""
    with serve() as served:
        yield served
