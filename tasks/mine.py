"""WHAT: from one theme's sources to an environment."""

from __future__ import annotations

from typing import Any

from prefect import get_run_logger, task

from schemas.references import EnvironmentReference, ThemeReference
from schemas.settings import Settings
from schemas.versions import MINE
from tasks.mining.sources import fingerprint
from tasks.mining.worlds import place_environment, propose_world
from tasks.policies import cache_key, clocked, is_transient, stamp_of
from tasks.resources import author_called
from tasks.themes.bundled import theme_by_name
from warehouse.rows import save_environment
from warehouse.store import Warehouse


def depends_on(parameters: dict[str, Any]) -> Any:
    """The theme, its sources' bytes, who simulates the operations, and the world's seed and size."""
    theme: ThemeReference = parameters["theme"]
    return [theme.theme_id, theme.evidence, *(parameters[name] for name in ("seed", "world_mb", "author"))]


# Retried: the disk or the warehouse's lock; a theme that gives no tables is an answer and stays one.
@task(
    task_run_name="mine {theme.name}",
    cache_key_fn=cache_key("mine", MINE, depends_on),
    persist_result=True,
    result_serializer="json",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
)
def mine(theme: ThemeReference, run_id: str, seed: int, world_mb: float, author: str) -> EnvironmentReference:
    """Mine the theme's tables, lay operations over them, and store the environment with its files."""
    settings = Settings()
    warehouse = Warehouse(settings.home)
    source = theme_by_name(theme.name)
    with clocked(warehouse, run_id, "mine", theme.theme_id) as counts:
        world = propose_world(author_called(author), source, seed, world_mb)
        environment = place_environment(world, source, author, seed, settings.environments_dir)
        batch = save_environment(warehouse, environment, fingerprint(source), stamp_of(run_id, seed, author))
        counts |= {
            "tables": len(environment.profile.tables),
            "rows": sum(frame.height for frame in world.frames.values()),
        }
    get_run_logger().info(
        "stage=mine theme=%s environment=%s bytes=%d", theme.name, environment.id, environment.world_bytes
    )
    return EnvironmentReference(theme_id=theme.theme_id, name=theme.name, environment_id=environment.id, batch_id=batch)
