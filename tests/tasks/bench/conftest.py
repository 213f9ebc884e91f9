from __future__ import annotations

import pytest

from tasks.bench.subject import build_bundle
from tasks.world.bundle import Bundle


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The world that is measured; not to be changed."""
    return build_bundle(tmp_path_factory.mktemp("library"))
