"""Grounds that several tests stand on: built once a session, never changed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tasks.world.session import World
from tests.tasks.proving_ground import ProvingGround, build_ground


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    """One fork server for all."""
    with World() as world:
        yield world


@pytest.fixture(scope="session")
def flights(world: World, tmp_path_factory: pytest.TempPathFactory) -> ProvingGround:
    """New York flights with bookings."""
    return build_ground("new_york_flights", tmp_path_factory.mktemp("flights"), world)


@pytest.fixture(scope="session")
def records(world: World, tmp_path_factory: pytest.TempPathFactory) -> ProvingGround:
    """The music store with purchase orders: the smallest world."""
    return build_ground("music_store", tmp_path_factory.mktemp("records"), world)
