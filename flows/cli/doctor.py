"""doctor: whether this machine can run the factory, and how to mend what it lacks."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from flows.cli.display import as_typed, print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.errors import UsageError
from schemas.models import ROLES
from schemas.settings import AuthorSettings, Settings

if TYPE_CHECKING:
    from tasks.authors.llm.client.probing import Capabilities

PYTHONS = ((3, 11), (3, 12))
FREE_MB = 1000
"""Free disk, 10^6 bytes: a run's worlds, their copies in sessions, the warehouse's generations, the server's log."""
MEGABYTE = 10**6
SANDBOX = "sandbox"
PROBE_S = 60.0
"""Longest wait for a model to answer one of the probes, which are a few tokens each."""
LEAST_CONTEXT = 8192
"""Tokens: in less, a conversation of a few observations does not fit."""


@dataclass(frozen=True)
class Check:
    """One thing the factory needs: what was found, and the fix where it is not as it should be.

    What is not `needed` for building (a browser) has its row and its fix, but does not fail the whole.
    """

    name: str
    ok: bool
    found: str
    fix: str = ""
    needed: bool = True


def doctor(home: Home = None, as_json: Json = False) -> None:
    """Check what the factory needs of this machine and say how to mend it; exit code 1 when something needed is missing."""
    settings = settings_of(home)
    models = _probed_models(settings)
    checks = [*_checks(settings), *_model_checks(settings, models)]
    failed = [check for check in checks if not check.ok]
    broken = any(check.needed for check in failed)
    if as_json:
        self_test = "failed" if any(check.name == SANDBOX for check in failed) else "passed"
        summary = {"ok": not broken, "backend": settings.sandbox.backend, "self_test": self_test}
        told = {name: found.model_dump(mode="json") for name, found in models.items()}
        print_json({**summary, "models": told, "checks": [asdict(check) for check in checks]})
    else:
        print_rows(("check", "ok", "found"), [(c.name, _verdict(c), c.found) for c in checks])
        for check in failed:
            print(f"{check.name}: {check.fix}")
    if broken:
        raise typer.Exit(1)


def _verdict(check: Check) -> str:
    if check.ok:
        return "yes"
    return "NO" if check.needed else "no, optional"


def _checks(settings: Settings) -> Iterator[Check]:
    yield _python()
    yield _sandbox(settings)
    yield _browser(settings)
    yield _server(settings)
    yield _lock(settings)
    yield _disk(settings)
    yield _full_text()
    yield _quality_gate()
    yield from _packages()


def _python() -> Check:
    from tasks.sandbox.interpreter import private_part

    running = ".".join(map(str, sys.version_info[:3]))
    known = ", ".join(f"{major}.{minor}" for major, minor in PYTHONS)
    private = private_part()
    others = "every user can read it" if private is None else f"other users cannot read it ({private} is private)"
    fix = f"install Python {known.replace(', ', ' or ')} and set up anew with it: make setup PYTHON=/path/to/python3.12"
    ok = sys.version_info[:2] in PYTHONS
    return Check("python", ok, f"{running}; {others}", "" if ok else fix)


def _sandbox(settings: Settings) -> Check:
    """Start the backend as set and let its self-test attack it."""
    from tasks.sandbox.errors import SandboxUnavailable
    from tasks.sandbox.pool import WorkerPool
    from tasks.sandbox.selftest import GUEST, prove

    backend = settings.sandbox.backend
    try:
        pool = WorkerPool([GUEST], backend)
        try:
            prove(pool)
        finally:
            pool.close()
    except SandboxUnavailable as error:
        return Check(SANDBOX, False, f"backend {backend}: self-test failed", str(error))
    return Check(SANDBOX, True, f"backend {backend}: self-test passed")


def _browser(settings: Settings) -> Check:
    """Start a browser: pages of the UI and of the web are looked at with it, nothing is built with it."""
    from tasks.mining.browsing.chromium import BrowserUnavailable, start_browser

    try:
        browser = start_browser(executable=settings.browser)
    except BrowserUnavailable as error:
        return Check(
            "browser",
            False,
            "none that starts; needed for pages that scripts write, and for tests of the UI",
            str(error),
            needed=False,
        )
    return Check("browser", True, f"{browser.path} {browser.version} starts", needed=False)


def _server(settings: Settings) -> Check:
    from flows.server import probe

    name, answer = "prefect server", probe(settings)
    if answer == "prefect":
        return Check(name, True, f"answers at {settings.ui_url}")
    if answer == "stranger":
        fix = f"choose a free port: FACTORY_SERVER_PORT=4300 {as_typed('factory up')}"
        return Check(name, False, f"something else holds port {settings.server_port}", fix)
    if answer == "starting":
        return Check(name, False, "is starting", f"wait for it: {as_typed('factory up')}")
    return Check(name, False, f"nobody answers on port {settings.server_port}", f"run: {as_typed('factory up')}")


def _lock(settings: Settings) -> Check:
    from warehouse.lock import writer_lock

    name, path = "warehouse lock", settings.home.absolute() / "warehouse" / "lock"
    if not path.exists():
        return Check(name, True, f"no warehouse in {settings.home} yet")
    try:
        with writer_lock(path, wait_s=0):
            return Check(name, True, "free")
    except UsageError as error:
        return Check(name, False, "held", str(error))


def _disk(settings: Settings) -> Check:
    folder = next(part for part in (settings.home.absolute(), *settings.home.absolute().parents) if part.is_dir())
    free = shutil.disk_usage(folder).free // MEGABYTE
    fix = f"free {FREE_MB} MB on the disk of {folder}, or choose a folder on another: --home DIR"
    return Check("disk space", free >= FREE_MB, f"{free} MB free for {settings.home}", "" if free >= FREE_MB else fix)


def _full_text() -> Check:
    """Make a full-text index: a user's library is searched through one."""
    name, found = "full-text search", f"SQLite {sqlite3.sqlite_version}"
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("create virtual table probe using fts5(words)")
    except sqlite3.OperationalError:
        fix = "use a Python whose sqlite3 has FTS5, and set up anew with it: make setup PYTHON=/path/to/python3.12"
        return Check(name, False, f"{found} without FTS5", fix)
    return Check(name, True, f"{found} with FTS5")


def _quality_gate() -> Check:
    """Look for Great Expectations without importing it, which takes seconds."""
    name, package = "quality gate", "great-expectations"
    try:
        return Check(name, True, f"{package} {version(package)}")
    except PackageNotFoundError:
        return Check(name, False, f"{package} is not there", f"run: pip install {package}, or set up anew: make setup")


def _packages() -> Iterator[Check]:
    """Yield a check a bundled theme: its package is installed, of its version, with all its files."""
    from tasks.mining.sources import locate
    from tasks.themes.bundled import bundled_themes

    for theme in bundled_themes():
        try:
            files: dict[str, Path] = locate(theme)
        except UsageError as error:
            yield Check(f"theme {theme.name}", False, f"{theme.package} {theme.version} is not there", str(error))
        else:
            yield Check(f"theme {theme.name}", True, f"{theme.package} {theme.version}, files: {len(files)}")


def _probed_models(settings: Settings) -> dict[str, Capabilities]:
    """Ask the endpoint what each model that a role uses does; nothing is asked before an address and a model are set."""
    llm = settings.llm
    names = sorted({name for role in ROLES if (name := llm.model_of(role))})
    if llm.base_url is None or not names:
        return {}
    from tasks.authors.llm.client.endpoint import Endpoint
    from tasks.authors.llm.client.probing import probe

    endpoint = Endpoint(llm.base_url, llm.api_key, min(llm.timeout_s, PROBE_S))
    return {name: probe(endpoint, name) for name in names}


def _model_checks(settings: Settings, models: dict[str, Capabilities]) -> Iterator[Check]:
    """Yield what the models' endpoint does; it is needed only where the settings give a role to a model."""
    llm, needed = settings.llm, settings.authors.of(*AuthorSettings.model_fields) == "llm"
    if not models:
        missing = "FACTORY_LLM__BASE_URL" if llm.base_url is None else "FACTORY_LLM__MODEL"
        if needed or llm.base_url is not None:
            yield Check("model endpoint", False, f"{missing} is not set", f"set {missing} (docs/llm.md)", needed)
        return
    reached = [found for found in models.values() if found.reachable]
    fix = f"start it, or mend FACTORY_LLM__BASE_URL: {_told(next(iter(models.values())))}"
    seen = "does not answer" if not reached else "answers"
    if reached and reached[0].latency_s is not None:
        seen = f"answers in {reached[0].latency_s} s"
    yield Check("model endpoint", bool(reached), seen, "" if reached else fix, needed)
    for name, found in models.items():
        if found.reachable:
            yield from _capability_checks(settings, name, found, needed)


def _capability_checks(settings: Settings, name: str, found: Capabilities, needed: bool) -> Iterator[Check]:
    def check(what: str, ok: bool, seen: str, fix: str, needed: bool = False) -> Check:
        return Check(f"model {name}: {what}", ok, seen, "" if ok else fix, needed)

    listed = {True: "yes", False: "no", None: "the endpoint does not say"}[found.model_listed]
    yield check(
        "listed", found.model_listed is not False, listed, f"choose another by FACTORY_LLM__MODEL: {_told(found)}"
    )
    without = "nothing, if the mode below will do; some servers have to be started with it switched on"
    yield check("tool calls", found.tool_calls, "yes" if found.tool_calls else "no", without)
    yield check("JSON schema", found.json_schema, "yes" if found.json_schema else "no", without)
    context = found.context_tokens
    seen = "the endpoint does not say" if context is None else f"{context} tokens"
    longer = f"give the model a context of {LEAST_CONTEXT} tokens or more: longer conversations are cut"
    yield check("context", context is None or context >= LEAST_CONTEXT, seen, longer)
    mode = settings.llm.mode
    used = f"{found.mode}, as probed" if mode == "probe" else f"{mode}, as set; probed: {found.mode}"
    yield check("mode", found.mode is not None, used, f"the model does not answer: {_told(found)}", needed)


def _told(found: Capabilities) -> str:
    return "; ".join(found.findings)
