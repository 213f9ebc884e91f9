"""What the @task modules and `factory verify` open: an author, the sandbox, an environment's files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import UsageError
from schemas.settings import Settings
from tasks.authors.base import Author
from tasks.authors.rules.author import RulesAuthor
from tasks.sandbox.errors import SandboxUnavailable
from tasks.sandbox.limits import Limits
from tasks.world.bundle import Bundle
from tasks.world.errors import BundleError
from tasks.world.session import World


def author_called(name: str, fewest: int = 7, most: int = 12) -> Author:
    """Return the author of that name (`rules` is the only one so far); the numbers bound a walk's steps."""
    return {"rules": RulesAuthor}[name](fewest, max(fewest, most))


@contextmanager
def sandbox_of(settings: Settings) -> Iterator[World]:
    """Open a sandbox with the limits as set; UsageError with the fix when this machine cannot isolate a worker."""
    try:
        with World(Limits(**settings.sandbox.model_dump())) as world:
            yield world
    except SandboxUnavailable as error:
        raise UsageError(str(error)) from error


def database_of(settings: Settings, environment_id: str, theme_name: str) -> Path:
    """Return an environment's database; UsageError when its files are gone."""
    database = settings.environments_dir / environment_id / "world.db"
    if not database.is_file():
        raise _gone(settings, environment_id, theme_name)
    return database


def bundle_of(settings: Settings, environment_id: str, theme_name: str) -> Bundle:
    """Load an environment's bundle; UsageError when its files are gone or broken."""
    try:
        return Bundle.load(settings.environments_dir / environment_id)
    except BundleError as error:
        raise _gone(settings, environment_id, theme_name) from error


def _gone(settings: Settings, environment_id: str, theme_name: str) -> UsageError:
    return UsageError(
        f"files of environment {environment_id} ({theme_name}) are missing from {settings.environments_dir}. "
        f"Build them anew: factory expand --refresh --themes {theme_name}"
    )
