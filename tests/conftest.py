"""Keep the caller's Prefect server and settings out of the tests, before anything of ours is imported."""

import os

import pytest

os.environ["PREFECT_API_URL"] = ""
for _name in [name for name in os.environ if name.startswith("FACTORY_")]:
    del os.environ[_name]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Say what stays together when two processes share the work (-n 2 --dist loadgroup).

    A file's tests share its fixtures; those of the flows share one Prefect server and one built home.
    """
    for item in items if config.pluginmanager.hasplugin("xdist") else []:
        file = item.path.relative_to(config.rootpath)
        group = "flows" if file.parts[:2] == ("tests", "flows") else file.as_posix()
        item.add_marker(pytest.mark.xdist_group(group))
