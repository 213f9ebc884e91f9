"""Sites: addresses become a theme, and nothing else does."""

from __future__ import annotations

import pytest

from schemas.errors import UsageError
from tasks.themes.sources.sites import read_sites


def test_addresses_become_a_theme() -> None:
    theme = read_sites(["https://www.example.org", "https://www.example.org/", "http://data.test:8080/a?b=1#c"], "CC0")
    assert theme.sites == ["https://www.example.org/", "http://data.test:8080/a?b=1"]
    assert (theme.name, theme.kind, theme.package, theme.licence) == ("site_example", "site", theme.sites[0], "CC0")
    assert read_sites(["https://a.test/"], "CC0", "Old maps").name == "old_maps"
    assert read_sites(["https://a.test/"], "CC0").id != read_sites(["https://a.test/b"], "CC0").id


@pytest.mark.parametrize("address", ["example.org", "ftp://example.org/", "http://", "http://[x/", ""])
def test_what_is_no_address_is_a_mistake_of_the_user(address: str) -> None:
    with pytest.raises(UsageError, match="factory|https"):
        read_sites([address], "CC0")


def test_no_address_is_one_too() -> None:
    with pytest.raises(UsageError, match="no address"):
        read_sites([], "CC0")
