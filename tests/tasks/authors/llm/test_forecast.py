"""The forecast: means where a model has worked in a role before, else a bound that says it is one."""

from __future__ import annotations

import pytest

from schemas.models import ROLES
from schemas.settings import AuthorSettings, LlmSettings, Settings
from tasks.authors.llm.client.prices import Prices
from tasks.authors.llm.forecast import forecast, roles_of

HISTORY = [{"role": "coder", "model": "gpt-5", "themes": 4, "calls": 12.5, "tokens": 1000.0, "dollars": 0.25}]


def settings(**llm: object) -> Settings:
    return Settings(llm=LlmSettings(**{"model": "gpt-5", "turns": 3, "max_tokens": 100, **llm}))


def test_a_role_that_worked_before_takes_its_mean() -> None:
    (row,) = forecast(settings(), Prices(), HISTORY, ["coder"], 8)
    assert (row.calls, row.tokens, row.dollars, row.basis) == (100, 8000, 2.0, "mean of themes so far (4)")


def test_another_model_is_no_precedent() -> None:
    (row,) = forecast(settings(models={"coder": "gpt-5-mini"}), Prices(), HISTORY, ["coder"], 8)
    assert row.model == "gpt-5-mini" and row.basis.startswith("at most")


def test_a_bound_grows_with_what_bounds_it() -> None:
    def bound(themes: int = 1, **llm: object) -> tuple[int, int, float]:
        (row,) = forecast(settings(**llm), Prices(), [], ["coder"], themes)
        assert row.basis.startswith("at most") and row.dollars is not None
        return row.calls, row.tokens, row.dollars

    once = bound()
    assert bound(themes=3) == (3 * once[0], 3 * once[1], pytest.approx(3 * once[2]))
    assert all(more > less for more, less in zip(bound(turns=6), once, strict=True))
    assert bound(max_tokens=200)[0] == once[0] and bound(max_tokens=200)[1] > once[1]


def test_dollars_need_a_price() -> None:
    rows = forecast(settings(model="somebodys-own"), Prices(), [], ROLES, 1)
    assert [row.role for row in rows] == list(ROLES) and {row.dollars for row in rows} == {None}
    asked = {row.role for row in rows if row.calls}
    assert set(ROLES) - asked == {"diagnostician"}, "a run that builds does not ask why a policy fails"
    local = forecast(settings(model="somebodys-own"), Prices(base_url="http://127.0.0.1:1/v1"), [], ROLES, 1)
    assert {row.dollars for row in local} == {0.0}


def test_the_roles_are_those_that_the_settings_give_to_a_model() -> None:
    assert roles_of(Settings()) == []
    some = Settings(authors=AuthorSettings(coder="llm", solver="llm"))
    assert roles_of(some) == ["coder", "tester", "solver"]
    assert roles_of(Settings(authors=AuthorSettings.all("llm"))) == list(ROLES)
