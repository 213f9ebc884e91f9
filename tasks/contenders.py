"""Who is evaluated: a script, the endpoint of the settings, or whatever a module of the user's own makes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from schemas.arena import PolicyRecord
from schemas.errors import UsageError
from schemas.settings import LlmSettings, RoleModels, Settings
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.policies.catalogue import SCRIPTED, scripted
from tasks.arena.policy import Contender, Policy
from tasks.arena.witness import policy_at
from tasks.authors.llm.client.spool import spool_of
from tasks.authors.llm.solver.contender import EndpointContender
from tasks.authorship import client_of

ENDPOINT = "endpoint"
CONTROL, CONTROL_SEED = "noisy:0.15", 0
"""The policy that a diagnosis compares with: wrong at random, now and then, everywhere alike."""


def contender_of(
    spec: str, settings: Settings, seed: int, run_id: str = "", families: Mapping[str, Collection[str]] = {}
) -> Contender:
    """Return the policy that a user names: `endpoint`, `endpoint:MODEL`, module:function, or a script: `impaired:wrong_tool=0.3`.

    `seed` is a script's; `run_id` is the run that an endpoint's calls are counted under; `families`: name → ids of its
    environments, for scripts that are held to families. Nothing is asked of an endpoint here. Raises UsageError.
    """
    kind, _, rest = spec.partition(":")
    if kind == ENDPOINT:
        return _endpoint(settings, rest or settings.policy.model, run_id)
    if kind not in SCRIPTED and rest.isidentifier():
        return _custom(spec)
    return scripted(spec, seed, families)


def endpoint_settings(settings: Settings, model: str | None) -> LlmSettings:
    """Return how the policy's endpoint is asked for a model: its own address, key and temperature, the rest as for authors."""
    policy = settings.policy
    given = {"base_url": policy.base_url, "api_key": policy.api_key, "temperature": policy.temperature}
    return settings.llm.model_copy(update={**given, "model": model, "models": RoleModels()})


@dataclass
class CustomContender:
    """A policy of the user's own, made anew for each attempt."""

    record: PolicyRecord
    make: Callable[[], Policy]

    def enter(self, task: AgentTask, gold: GoldRun, attempt: int) -> Policy:
        """Return a new one, that is told nothing of the gold run."""
        return self.make()


def _custom(path: str) -> CustomContender:
    def make() -> Policy:
        return policy_at(path, "--policy")

    return CustomContender(PolicyRecord(name=make().name, kind="custom", parameters={"path": path}), make)


def _endpoint(settings: Settings, model: str | None, run_id: str) -> EndpointContender:
    """Return the served model. Two checkpoints are two policies by the names under which they are served."""
    policy, llm = settings.policy, endpoint_settings(settings, model)
    values = {"BASE_URL": policy.base_url, "MODEL": model}
    unset = [f"FACTORY_POLICY__{name}" for name, value in values.items() if value is None]
    if model is None or unset:
        raise UsageError(f"policy {ENDPOINT} needs an endpoint. Set {' and '.join(unset)}, then run again")
    parameters = {"temperature": policy.temperature, "turns": policy.turns, "max_tokens": llm.max_tokens}
    record = PolicyRecord(name=model, kind="endpoint", model=model, parameters=parameters)
    models = client_of(llm, spool_of(settings.home), run_id, record.id)
    return EndpointContender(record, models, llm, policy.turns, settings.arena.most_tokens)
