"""The depot that these tests look at: built once, never changed."""

import pytest

from tasks.world.session import World
from tests.tasks.authors.rules.documents.depot import Depot, build_depot


@pytest.fixture(scope="package")
def depot(world: World, tmp_path_factory: pytest.TempPathFactory) -> Depot:
    """Stations with tickets and papers."""
    return build_depot(tmp_path_factory.mktemp("depot"), world)
