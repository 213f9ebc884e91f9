"""Prices are data: patterns in order, a user's table first, none for a model that no table has, 0 on this machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from schemas.errors import UsageError
from tasks.authors.llm.client.prices import BUNDLED, Prices, is_loopback, read_prices


def test_every_bundled_price_says_when_it_was_right_and_can_be_reached() -> None:
    table = read_prices(BUNDLED).price
    assert all(re.fullmatch(r"20\d\d-\d\d", price.as_of) and price.input < price.output for price in table)
    prices = Prices()
    for price in table:
        # A pattern that an earlier entry covers would never count.
        names = [
            re.sub(r"\[(.).*?\]", r"\1", pattern).replace("20*", "2026-01-01").replace("?", "5")
            for pattern in price.models
        ]
        assert all(prices.of(name) == price for name in names), names


def test_a_cost_is_by_the_million() -> None:
    assert Prices().cost("gpt-4o-mini", 2_000_000, 500_000) == pytest.approx(0.6)
    assert Prices().cost("gpt-4o-2024-08-06", 1_000_000, 0) == pytest.approx(2.5)


def test_an_unknown_model_has_no_price_which_is_not_the_price_0() -> None:
    assert Prices().cost("somebodys-own-model", 10, 10) is None
    assert Prices(base_url="https://api.example/v1").cost("somebodys-own-model", 10, 10) is None


def test_the_users_table_is_looked_at_first(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[[price]]\nmodels = ["gpt-4o", "house-*"]\ninput = 1\noutput = 2.5\n')
    prices = Prices(own)
    assert prices.cost("gpt-4o", 10**6, 10**6) == 3.5
    assert prices.cost("house-70b", 10**6, 0) == 1.0
    assert prices.cost("gpt-4o-mini", 10**6, 0) == 0.15


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[price", "no TOML"),
        ('[[price]]\nmodels = ["m"]\ninput = -1\noutput = 1\n', r"wrong at price\.0\.input"),
        ('[[price]]\nmodels = ["m"]\ninput = 1\n', r"wrong at price\.0\.output"),
        ('[[prices]]\nmodels = ["m"]\n', "wrong at prices"),
        (None, "cannot read the price table"),
    ],
)
def test_a_wrong_table_says_where(tmp_path: Path, text: str | None, says: str) -> None:
    own = tmp_path / "own.toml"
    if text is not None:
        own.write_text(text)
    with pytest.raises(UsageError, match=says):
        Prices(own)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost", "127.3.2.1", "[::1]:80", "LOCALHOST:1", "model.localhost"]
)
def test_an_endpoint_on_this_machine_costs_nothing(host: str) -> None:
    assert Prices(base_url=f"http://{host}/v1").cost("gpt-4o", 10**6, 10**6) == 0.0


@pytest.mark.parametrize(
    "address", ["https://api.example.com/v1", "http://10.0.0.1/v1", "http://localhost.example.com", "", None]
)
def test_other_endpoints_do(address: str | None) -> None:
    assert not is_loopback(address)
