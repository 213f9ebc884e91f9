"""Keep the caller's Prefect server and settings out of the tests, before anything of ours is imported."""

import os

import pytest

os.environ["PREFECT_API_URL"] = ""
for _name in [name for name in os.environ if name.startswith("FACTORY_")]:
    del os.environ[_name]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Say that a file's tests, which share its fixtures, stay together when two processes share the work."""
    for item in items if hasattr(config, "workerinput") else []:
        item.add_marker(pytest.mark.xdist_group(item.path.relative_to(config.rootpath).as_posix()))
