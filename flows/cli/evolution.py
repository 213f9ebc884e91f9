"""evolve, rounds: a policy's rounds in the arena, and how environments grew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.arena import Policy, Seed
from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from schemas.errors import UsageError
from schemas.settings import enter_prefect_environment

if TYPE_CHECKING:
    from schemas.arena import Evolution

VERSION_COLUMNS = ("version", "tables", "fk_depth", "guarded_writes", "max_chain", "formats", "tools", "rich_tools")
ROUND_COLUMNS = ("round", "policy", "pass@1 before", "after", "guidelines", "grown", "tasks", "outcome")


def evolve(
    policy: Policy,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Rounds to go through.", metavar="R")] = 1,
    trainer: Annotated[
        str | None,
        typer.Option(
            help="module:function that trains on what a round built, given (home, policy, round), and returns the trained "
            "policy as --policy names it.",
            show_default="nothing is trained",
            metavar="PATH",
        ),
    ] = None,
    attempts: Annotated[int | None, typer.Option(min=1, help="Attempts at each task.", metavar="N")] = None,
    seed: Seed = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Evaluate a policy, find what it can't do, build environments and tasks against that, train on them, and ask again."""
    from flows.cli.production import end_run, link_to, run_flow
    from tasks.contenders import contender_of

    settings = settings_of(home)
    seed = settings.seed if seed is None else seed
    contender_of(policy, settings, seed)
    settings.home.mkdir(parents=True, exist_ok=True)
    enter_prefect_environment(settings)
    if trainer is not None:
        from tasks.evolve import trainer_at

        trainer_at(trainer)
    asked = {"rounds": rounds, "trainer": trainer, "attempts": attempts, "seed": seed}
    evolved = run_flow(settings, "evolve", {"policy": policy, **asked})
    if as_json:
        about = {"policy": evolved.policy, "run_id": evolved.run_id, "link": link_to(settings, evolved.run_id)}
        print_json({**about, "rounds": [one.model_dump(mode="json") for one in evolved.rounds]})
    else:
        _print_evolutions(evolved.rounds)
        print(f"{evolved.policy} stands. The run: {link_to(settings, evolved.run_id)}")
    end_run(evolved.failures, evolved.message)


def rounds(
    environment: Annotated[
        str | None, typer.Argument(help="A theme's name, or an environment's id; left out: policies.", metavar="[ENV]")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Show how policies evolved, round by round, or how an environment grew: what each version measures and its round added."""
    from warehouse.published import Published
    from warehouse.rows import load_evolutions

    published = Published(settings_of(home).home)
    if environment is not None:
        _show_versions(published.rows("rounds", environment=environment), environment, as_json)
        return
    evolutions = load_evolutions(published)
    if as_json:
        print_json([one.model_dump(mode="json") for one in evolutions])
    elif not evolutions:
        print(
            "No round of evolution ended so far. Run: factory evolve --help. How an environment grew: factory rounds ENV"
        )
    else:
        _print_evolutions(evolutions)


def _show_versions(versions: list[dict[str, Any]], environment: str, as_json: bool) -> None:
    if not versions:
        raise UsageError(f"no environment {environment}. Choose one from: factory sql --named environments")
    if as_json:
        print_json(versions)
        return
    print_rows(VERSION_COLUMNS, [tuple(row[name] for name in VERSION_COLUMNS) for row in versions])
    for row in versions:
        for line in row["additions"]:
            print(f"version {row['version']} adds {line}")


def _print_evolutions(evolutions: list[Evolution]) -> None:
    rows = [
        (
            one.round,
            one.before_id,
            _rate(one.before.pass_at_1),
            _rate(one.after.pass_at_1) if one.after else "",
            *(one.guidelines, one.grown, one.tasks, one.outcome),
        )
        for one in evolutions
    ]
    print_rows(ROUND_COLUMNS, rows)


def _rate(rate: Any) -> str:
    return "" if rate.rate is None else f"{rate.rate:.3f} ({rate.low:.3f} to {rate.high:.3f})"
