"""Settings: the only place that reads or writes the process environment.

Every field can be set as FACTORY_<NAME>, and nested ones with two underscores
(FACTORY_SANDBOX__WALL_S). The command line refuses names that no field has.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class SandboxLimits(BaseModel):
    """Limits of one jailed worker, and what stands around it."""

    wall_s: float = Field(5.0, gt=0, description="seconds a single call may take")
    cpu_s: int = Field(60, gt=0, description="CPU seconds a worker may use in its life")
    memory_mb: int = Field(512, ge=64, description="address space of a worker, MiB")
    file_mb: int = Field(64, ge=1, description="size of one file, MiB")
    disk_mb: int = Field(256, ge=1, description="size of all files of a workspace, MiB")
    open_files: int = Field(64, ge=16, description="descriptors a worker may have open")
    output_kb: int = Field(1024, ge=1, description="size of one reply, KiB")
    backend: Literal["landlock", "bwrap"] = Field("landlock", description="wall around the workers' fork server")


class SearchSettings(BaseModel):
    """Where the web is searched for a theme's data, and how much of it at most."""

    providers: list[Literal["library", "site", "searxng"]] = Field(
        ["library", "site"], description="search providers, in the order in which they are asked"
    )
    searxng_url: str | None = Field(None, description="address of a SearXNG instance that answers in JSON")
    pages: int = Field(300, ge=1, description="most pages retrieved for a theme")
    megabytes: float = Field(100.0, gt=0, description="most megabytes (10^6 bytes) retrieved for a theme")
    seconds: float = Field(600.0, gt=0, description="longest search for a theme's data")
    requests_a_second: float = Field(4.0, gt=0, description="most requests to one host in a second")


class EdgeWeights(BaseModel):
    """How much likelier a walk takes an edge of each kind: in proportion to these."""

    strong: int = Field(3, ge=0, description="an output holds what the next tool cannot do without")
    weak: int = Field(2, ge=0, description="an output holds what the data could supply too")
    independent: int = Field(1, ge=0, description="nothing of the one leads to the other")


class DraftingSettings(BaseModel):
    """What is drafted for an environment, and how."""

    minimum_calls: int = Field(7, ge=1, description="fewest calls by which an admitted task can be done")
    walk_steps: int = Field(60, ge=2, le=60, description="most steps of a walk over the tool graph")
    edge_weights: EdgeWeights = Field(default_factory=EdgeWeights, description="odds of a walk's steps by kind of edge")
    chinese_share: float = Field(0.2, ge=0, le=1, description="share of drafts that are worded in Chinese")
    practice: int = Field(0, ge=0, description="tasks of one or two calls wanted beside the others")


class SolverSettings(BaseModel):
    """Who tries admitted tasks as a second witness, and how often."""

    policy: str | None = Field(None, description="module:function that makes the policy; nobody tries when not set")
    runs: int = Field(5, ge=1, description="attempts at each task")
    agreeing: int = Field(2, ge=1, description="attempts that must be right and agree, for a task to be confirmed")
    turns: int = Field(60, ge=1, description="most turns of one attempt by a model")
    most_tokens: int = Field(80_000, ge=1000, description="longest conversation of one attempt by a model")
    closed_book_runs: int = Field(3, ge=0, description="attempts at each task without tools")
    closed_book_rate: float = Field(0.0, ge=0, le=1, description="largest share of those that may pass")


def _require_address(url: str) -> str:
    """Refuse what is no address of an HTTP server before anything is sent there."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:  # .port raises for a word
        raise ValueError("is no address like http://127.0.0.1:8000/v1")
    return url


Address = Annotated[str, AfterValidator(_require_address)]
"""Address of an OpenAI-compatible endpoint."""


class ArenaSettings(BaseModel):
    """What policies are evaluated on, and how."""

    environments_per_class: int = Field(
        5, ge=1, description="environments drawn of each first-level class, at most half of it"
    )
    holdout_share: float = Field(0.1, ge=0, lt=1, description="share of families that no snapshot ever holds")
    tasks_per_environment: int = Field(4, ge=1, description="fresh tasks of each environment and round")
    attempts: int = Field(1, ge=1, description="attempts at each task")
    most_calls: int = Field(120, ge=1, description="most calls of one attempt")
    most_tokens: int = Field(80_000, ge=1000, description="longest conversation of one attempt")
    tasks_per_guideline: int = Field(8, ge=1, description="tasks drafted against each weakness of an environment")
    control_attempts: int = Field(
        8, ge=1, description="attempts of the noisy control at each task, which a diagnosis needs"
    )


class PolicySettings(BaseModel):
    """The OpenAI-compatible endpoint of the policy that is evaluated: a served checkpoint."""

    base_url: Address | None = Field(None, description="address of the endpoint: http://127.0.0.1:8000/v1")
    api_key: SecretStr | None = Field(None, description="its key; never logged or stored")
    model: str | None = Field(None, description="model that acts")
    turns: int = Field(60, ge=1, description="most turns of one attempt")
    temperature: float = Field(1.0, ge=0, description="of every sample")


class TrainingSettings(BaseModel):
    """Where policies are trained."""

    python: Path | None = Field(None, description="Python that has the trainer; the one of make trainers when not set")


AuthorName = Literal["rules", "llm"]


class AuthorSettings(BaseModel):
    """Who fills each role: rules, or a model (then `FACTORY_LLM__BASE_URL` and `FACTORY_LLM__MODEL` are needed)."""

    research: AuthorName = Field("rules", description="searches the web and libraries, and says what a round adds")
    coder: AuthorName = Field(
        "rules", description="tools, their unit tests (by another call), and the edges between them"
    )
    writer: AuthorName = Field("rules", description="requests and programs of tasks")
    solver: AuthorName = Field("rules", description="second witness of tasks; rules: the reader of requests alone")
    judge: AuthorName = Field(
        "rules", description="decides the statements of writers' rubrics; rules: rubrics are of code checks"
    )
    diagnostician: AuthorName = Field("rules", description="causes of a policy's failures; rules: counts alone")
    themes: AuthorName = Field("rules", description="topics of tool documents")
    taxonomy: AuthorName = Field("rules", description="classes of themes")

    @classmethod
    def all(cls, author: AuthorName) -> AuthorSettings:
        """Let one author fill every role."""
        return cls(**dict.fromkeys(cls.model_fields, author))

    def of(self, *roles: str) -> AuthorName:
        """Return whose work a stage is in which these roles take part: the model's if it fills one of them."""
        return "llm" if any(getattr(self, role) == "llm" for role in roles) else "rules"


class RoleModels(BaseModel):
    """The model of a role, where it is another than `FACTORY_LLM__MODEL`."""

    research: str | None = Field(None, description="model of this role")
    coder: str | None = Field(None, description="model of this role")
    tester: str | None = Field(None, description="model of this role")
    writer: str | None = Field(None, description="model of this role")
    solver: str | None = Field(None, description="model of this role")
    judge: str | None = Field(None, description="model of this role")
    diagnostician: str | None = Field(None, description="model of this role")
    themes: str | None = Field(None, description="model of this role")
    taxonomy: str | None = Field(None, description="model of this role")


class ModelBudget(BaseModel):
    """What models may use; no limit where not set."""

    tokens: int | None = Field(None, ge=1, description="most tokens, read and written")
    dollars: float | None = Field(None, gt=0, description="most US dollars by the price table")
    seconds: float | None = Field(None, gt=0, description="longest wall time since the first call")


class LlmSettings(BaseModel):
    """The OpenAI-compatible endpoint of the `llm` author."""

    base_url: Address | None = Field(None, description="address of the endpoint: http://127.0.0.1:8000/v1")
    api_key: SecretStr | None = Field(None, description="its key; never logged or stored")
    model: str | None = Field(None, description="model of every role that has no other")
    models: RoleModels = Field(default_factory=RoleModels, description="models of single roles")
    mode: Literal["probe", "native", "json_schema", "text"] = Field(
        "probe", description="how structure is got from it; probe: the best that it is found to do"
    )
    timeout_s: float = Field(300.0, gt=0, description="longest wait for one response")
    retries: int = Field(4, ge=0, description="further attempts after a fault that may pass")
    concurrency: int = Field(4, ge=1, description="requests at once")
    temperature: float = Field(0.0, ge=0, description="of first samples; further ones are drawn at 0.7 or more")
    max_tokens: int = Field(2048, ge=16, description="longest response")
    turns: int = Field(12, ge=1, description="most turns of an agent")
    drafts: int = Field(5, ge=0, description="tasks of each kind that a model drafts for an environment")
    edge_calls: int = Field(80, ge=0, description="most calls for the edges between an environment's tools: one a tool")
    prices: Path | None = Field(None, description="a price table of your own, in the form of prices.toml")
    budget: ModelBudget = Field(default_factory=ModelBudget, description="of one flow run")
    environment_budget: ModelBudget = Field(
        default_factory=ModelBudget, description="of one theme and its environments"
    )

    def model_of(self, role: str) -> str | None:
        """Return the model of a role, None where none is set."""
        return getattr(self.models, role) or self.model


class Settings(BaseSettings):
    """What a user may change. Few knobs: each has a user who would change it."""

    model_config = SettingsConfigDict(env_prefix="FACTORY_", env_nested_delimiter="__", extra="ignore")

    home: Path = Field(Path(".factory"), description="state folder: warehouse, worlds, Prefect server, results")
    server_port: int = Field(4200, ge=1, le=65535, description="port of the local Prefect server on 127.0.0.1")
    seed: int = Field(0, ge=0, description="seed of sampling, simulation and synthesis")
    tasks_per_environment: int = Field(40, ge=1, description="admitted tasks wanted for each environment")
    world_mb: float = Field(5.0, gt=0, description="most megabytes (10^6 bytes) of a world's database")
    tool_pass_rate: float = Field(
        0.5, ge=0, lt=1, description="a tool is kept if more than this share of its tests pass"
    )
    rounds: int = Field(2, ge=0, le=10, description="rounds of complexification of each environment")
    browser: Path | None = Field(None, description="path of the Chromium to browse with; the system's when not set")
    workers: int = Field(2, ge=1, description="environments worked on at the same time")
    drafting: DraftingSettings = Field(default_factory=DraftingSettings, description="drafting of tasks")
    solver: SolverSettings = Field(default_factory=SolverSettings, description="second witness of tasks")
    authors: AuthorSettings = Field(default_factory=AuthorSettings, description="who fills each role")
    llm: LlmSettings = Field(default_factory=LlmSettings, description="endpoint of the llm author")
    arena: ArenaSettings = Field(default_factory=ArenaSettings, description="what policies are evaluated on")
    policy: PolicySettings = Field(default_factory=PolicySettings, description="endpoint of the evaluated policy")
    training: TrainingSettings = Field(default_factory=TrainingSettings, description="where policies are trained")
    sandbox: SandboxLimits = Field(default_factory=SandboxLimits, description="limits of one jailed worker")
    search: SearchSettings = Field(default_factory=SearchSettings, description="search for a theme's data on the web")

    @property
    def environments_dir(self) -> Path:
        """Folder of the environments' files."""
        return self.home.absolute() / "environments"

    @property
    def frames_dir(self) -> Path:
        """Folder of the environments' typed tables as they were read."""
        return self.home.absolute() / "frames"

    @property
    def results_dir(self) -> Path:
        """Folder of Prefect's cached task results."""
        return self.home.absolute() / "results"

    @property
    def api_url(self) -> str:
        """Address of the local Prefect server's API."""
        return f"http://127.0.0.1:{self.server_port}/api"

    @property
    def ui_url(self) -> str:
        """Address of the local Prefect server's pages."""
        return f"http://127.0.0.1:{self.server_port}"


KEYS = frozenset({"FACTORY_LLM__API_KEY", "FACTORY_POLICY__API_KEY"})
"""Variables that hold a secret."""


def unknown_variables() -> list[str]:
    """Return the FACTORY_ variables of this process that no setting reads: misspelt ones, sorted."""
    known = set(variables())
    return sorted(name for name in os.environ if name.startswith("FACTORY_") and name not in known)


def variables(model: type[BaseModel] = Settings, prefix: str = "FACTORY_") -> Iterator[str]:
    """Yield the variables that the settings are read from: each field's, and those of the fields of a group."""
    for name, field in model.model_fields.items():
        yield f"{prefix}{name.upper()}"
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from variables(field.annotation, f"{prefix}{name.upper()}__")


def prefect_environment(settings: Settings) -> dict[str, str]:
    """Return the variables that point Prefect at this home, keep it quiet and offline.

    Batching cuts the server's CPU per task run to a third; the defaults write a row per
    transaction. Great Expectations' switch stands here too: a default install calls nobody.
    """
    home = settings.home.absolute()
    return {
        "PREFECT_HOME": str(home / "prefect"),
        "PREFECT_API_URL": settings.api_url,
        "PREFECT_LOCAL_STORAGE_PATH": str(settings.results_dir),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        "DO_NOT_TRACK": "1",
        "GX_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
        "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "200",
        "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_TRIGGERS_READ_BATCH_SIZE": "100",
    }


def enter_prefect_environment(settings: Settings) -> None:
    """Set those variables in this process. Call before prefect is imported."""
    os.environ.update(prefect_environment(settings))
    os.environ["FACTORY_HOME"] = str(settings.home.absolute())


def child_environment(settings: Settings) -> dict[str, str]:
    """Return this process's environment with those variables, for a server it starts; endpoints' keys stay here."""
    kept = {name: value for name, value in os.environ.items() if name not in KEYS}
    return {**kept, **prefect_environment(settings)}
