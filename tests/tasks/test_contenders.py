"""Who is meant by what a user writes, and that an endpoint's key and settings are its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.errors import UsageError
from schemas.settings import LlmSettings, PolicySettings, Settings
from tasks.arena.policy import Briefing, Call, Say
from tasks.contenders import CONTROL, CONTROL_SEED, contender_of, endpoint_settings


class Idle:
    """A user's own policy."""

    name = "idle"

    def act(self, briefing: Briefing, call: Call, say: Say) -> None:
        return None


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    llm = LlmSettings.model_validate({"base_url": "http://author:1/v1", "api_key": "author-key", "model": "author"})
    policy = PolicySettings.model_validate(
        {"base_url": "http://policy:1/v1", "api_key": "policy-key", "model": "checkpoint-3", "temperature": 0.4}
    )
    return Settings(home=tmp_path, llm=llm, policy=policy)


def test_scripts_are_told_from_modules(settings: Settings) -> None:
    assert contender_of("perfect", settings, 0).record.kind == "scripted"
    custom = contender_of(f"{__name__}:Idle", settings, 0)
    assert (custom.record.name, custom.record.kind) == ("idle", "custom")
    for spec in ("submarine", "impaired:wrong_tool", "no_such_module:make", f"{__name__}:nothing", "noisy"):
        with pytest.raises(UsageError) as told:
            contender_of(spec, settings, 0)
        assert spec.partition(":")[0] in str(told.value)


def test_a_policy_is_its_name_and_parameters(settings: Settings) -> None:
    control = contender_of(CONTROL, settings, CONTROL_SEED, "run", {"music_store": ["environment_1"]})
    assert control.record.id == contender_of(CONTROL, settings, CONTROL_SEED).record.id
    assert control.record.id != contender_of(CONTROL, settings, CONTROL_SEED + 1).record.id


def test_an_endpoint_is_asked_by_its_own_settings(settings: Settings) -> None:
    record = contender_of("endpoint", settings, 0, "run").record
    assert (record.name, record.kind, record.model) == ("checkpoint-3", "endpoint", "checkpoint-3")
    llm = endpoint_settings(settings, "checkpoint-3")
    assert (llm.base_url, llm.model_of("solver"), llm.temperature) == ("http://policy:1/v1", "checkpoint-3", 0.4)
    assert llm.api_key is not None and llm.api_key.get_secret_value() == "policy-key"
    assert llm.timeout_s == settings.llm.timeout_s
    assert contender_of("endpoint:checkpoint-4", settings, 0, "run").record.model == "checkpoint-4"
    assert "policy-key" not in record.model_dump_json() + repr(llm)


def test_an_endpoint_that_is_not_set_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="FACTORY_POLICY__BASE_URL and FACTORY_POLICY__MODEL"):
        contender_of("endpoint", Settings(home=tmp_path), 0)
