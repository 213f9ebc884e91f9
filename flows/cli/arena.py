"""evaluate, collect, diagnose, compare: policies and their attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.display import print_json, print_rows
from flows.cli.options import Home, Json, settings_of
from flows.cli.snapshots import levels_of
from schemas.errors import UsageError
from schemas.settings import Settings, enter_prefect_environment

if TYPE_CHECKING:
    from flows.standings import Standing
    from tasks.diagnose import Diagnosed

Policy = Annotated[
    str,
    typer.Option(
        "--policy",
        help="endpoint or endpoint:MODEL (FACTORY_POLICY__…), module:function, or a script: perfect, random, noisy:0.15, "
        "impaired:wrong_tool=0.3,lost_state=0.2@music_store",
        metavar="SPEC",
    ),
]
Number = Annotated[
    int | None, typer.Option("--round", min=1, help="Round of the arena.", show_default="the latest", metavar="N")
]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Seed of seats, tasks and scripts.", metavar="N")]
MOST_LISTED = 10
"""Weak environments that a diagnosis shows."""


def evaluate(
    policy: Policy,
    number: Number = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Open a new round, with fresh tasks.")] = False,
    attempts: Annotated[int | None, typer.Option(min=1, help="Attempts at each task.", metavar="N")] = None,
    control: Annotated[
        bool, typer.Option(help="Let the noisy control make its attempts too, which a diagnosis needs.")
    ] = True,
    seed: Seed = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Let a policy attempt the fresh tasks of a round; a rerun goes on where the last one ended."""
    if number is not None and fresh:
        raise UsageError("--round names a round and --fresh opens one. Leave one out: factory evaluate --fresh")
    from flows.cli.production import end_run

    settings = settings_of(home)
    seed = settings.seed if seed is None else seed
    attempts = settings.arena.attempts if attempts is None else attempts
    asked = {"round": number, "fresh": fresh, "attempts": attempts, "control": control}
    evaluation = _run(settings, "evaluate", {"policy": policy, "seed": seed, **asked})
    _show_evaluation(settings, evaluation, policy, attempts, as_json)
    end_run(evaluation.failures, evaluation.message)
    if evaluation.attempts == evaluation.errors:
        raise UsageError(f"no attempt of {policy} could be judged. See why: {_errors_query(evaluation.policy_id)}")


def collect(
    policy: Policy,
    where: Annotated[
        str | None,
        typer.Option(help="SQL condition; columns: factory sql --named snapshot_candidates.", metavar="SQL"),
    ] = None,
    levels: Annotated[str | None, typer.Option(help="Lowest and highest difficulty: 2-4.", metavar="N-N")] = None,
    attempts: Annotated[int, typer.Option(min=1, help="Attempts at each task.", metavar="N")] = 4,
    seed: Seed = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Let a policy attempt tasks that may be trained on: what passes can be taught, what passes sometimes can be learned."""
    from flows.cli.production import end_run

    settings = settings_of(home)
    seed = settings.seed if seed is None else seed
    asked = {"where": where, "levels": levels_of(levels), "attempts": attempts, "seed": seed}
    collection = _run(settings, "collect", {"policy": policy, **asked})
    names = ("run_id", "policy_id", "tasks", "attempts", "passed", "errors")
    told = {name: getattr(collection, name) for name in names}
    if as_json:
        print_json(told)
    else:
        print_rows(("what", "is"), [(name, str(value)) for name, value in told.items()])
        print(
            f"Teach by what passed, and train on what passes sometimes: factory snapshot --teacher {policy} "
            f"--learnable-by {policy}"
        )
    end_run(collection.failures, collection.message)


def diagnose(
    policy: Policy, number: Number = None, seed: Seed = None, home: Home = None, as_json: Json = False
) -> None:
    """Say why a policy fails in the arena, against the noisy control, and what the next round should build."""
    settings = settings_of(home)
    seed = settings.seed if seed is None else seed
    diagnosed: Diagnosed = _run(settings, "diagnose", {"policy": policy, "round": number, "seed": seed})
    if as_json:
        guidelines = [guideline.model_dump(mode="json") for guideline in diagnosed.guidelines]
        found = diagnosed.findings.model_dump(mode="json")
        print_json({"policy": policy, "round": diagnosed.round, **found, "guidelines": guidelines})
    else:
        _print_diagnosis(diagnosed)


def compare(
    one: Annotated[str, typer.Argument(help="A policy: a spec, a name or an id.", metavar="A")],
    other: Annotated[str, typer.Argument(help="Another policy, or the same.", metavar="B")],
    rounds: Annotated[
        str | None,
        typer.Option(
            "--round", help="Round of both, or of A and of B: 1,2.", show_default="the latest", metavar="N[,N]"
        ),
    ] = None,
    seed: Seed = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Hold two policies, or one in two rounds, side by side: by class, level, kind, tool and cause, with intervals."""
    from flows.standings import compare as side_by_side
    from flows.standings import find_standing, undiagnosed
    from warehouse.published import Published

    settings = settings_of(home)
    published, seed = Published(settings.home), settings.seed if seed is None else seed
    standings = [
        find_standing(published, settings, what, number, seed)
        for what, number in zip((one, other), _rounds(rounds), strict=True)
    ]
    rows = side_by_side(published, *standings)
    if as_json:
        print_json({"one": _told(standings[0]), "other": _told(standings[1]), "rows": rows})
        return
    names = [f"{standing.policy}, round {standing.round}" for standing in standings]
    columns = ("by", "group", *names, "difference (95 %)", "stands")
    print_rows(columns, [_compared(row) for row in rows if row["by"] != "cause" or _occurs(row)])
    for standing in standings:
        if undiagnosed(published, standing):
            run = f"factory diagnose --policy {standing.policy} --round {standing.round}"
            print(f"Causes are not compared: nobody asked why {standing.policy} fails. Run: {run}")


def _occurs(row: dict[str, Any]) -> bool:
    return bool(row["one"]["rate"] or row["other"]["rate"])


def _rounds(text: str | None) -> list[int | None]:
    """Return the rounds of the two sides, None: the latest of each."""
    if text is None:
        return [None, None]
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 2 or not all(part.isdecimal() and int(part) for part in parts):
        raise UsageError(f"--round {text} is no round. Give one, or one for each side: --round 1,2")
    return [int(parts[0]), int(parts[-1])]


def _run(settings: Settings, flow: str, parameters: dict[str, Any]) -> Any:
    """Run a flow on the local server; a policy that there is none of is told before a server starts."""
    from flows.cli.production import run_flow
    from tasks.contenders import contender_of

    contender_of(parameters["policy"], settings, parameters["seed"])
    settings.home.mkdir(parents=True, exist_ok=True)
    enter_prefect_environment(settings)
    return run_flow(settings, flow, parameters)


def _show_evaluation(settings: Settings, evaluation: Any, policy: str, attempts: int, as_json: bool) -> None:
    from flows.cli.production import link_to
    from flows.standings import Standing, ks_up_to, pools_of
    from warehouse.published import Published

    ks, standing = ks_up_to(attempts), Standing(evaluation.policy_id, policy, evaluation.round)
    pools = pools_of(Published(settings.home), standing, attempts)
    link = link_to(settings, evaluation.run_id)
    if as_json:
        about = {"policy": policy, "policy_id": evaluation.policy_id, "round": evaluation.round}
        run = {"run_id": evaluation.run_id, "link": link, "message": evaluation.message}
        print_json({**about, **pools["arena"], "holdout": pools["holdout"], "run": run})
        return
    columns = ("pool", "class", "tasks", "attempts", "errors", "pass@1", "95 %", *(f"pass^{k}" for k in ks[1:]))
    print_rows(columns, [row for pool, found in pools.items() for row in _pool_rows(pool, found, ks)])
    print(f"{evaluation.message}. The run: {link}")


def _pool_rows(pool: str, found: dict[str, Any], ks: list[int]) -> list[list[Any]]:
    """Return a pool's rows: its classes, then all of it; none where nothing was attempted."""
    if not found["attempts"] + found["errors"]:
        return []
    return [
        [
            pool,
            each.get("class", "all"),
            each["tasks"],
            each["attempts"],
            each["errors"],
            _share(each["pass_at_1"]),
            _interval(*each["intervals"]["pass_at_1"]),
            *(_share(each["pass_k"][k]) for k in ks[1:]),
        ]
        for each in (*found["classes"], found)
    ]


def _print_diagnosis(diagnosed: Diagnosed) -> None:
    from tasks.arena.diagnosis.summary import describe

    findings = diagnosed.findings
    columns = ("failures", "expected", "p", "stands out")
    causes = [(one.what, *_finding(one)) for one in findings.causes]
    print_rows(("cause", *columns), causes)
    weak = findings.environments[:MOST_LISTED]
    print_rows(
        ("environment", "attempts", "most frequent cause", *columns),
        [(one.theme_name, one.attempts, next(iter(one.causes), ""), *_finding(one.finding)) for one in weak],
    )
    themes = {one.environment_id: one.theme_name for one in findings.environments}
    print("\n".join(describe(findings)))
    for guideline in diagnosed.guidelines:
        print(f"To build in {themes[guideline.environment_id]}: {guideline.lacking}")


def _finding(finding: Any) -> tuple[Any, ...]:
    return finding.failures, f"{finding.expected:.1f}", f"{finding.p_value:.2g}", "yes" if finding.named else ""


def _compared(row: dict[str, Any]) -> list[Any]:
    sides = [f"{_share(side['rate'])} ({_interval(side['low'], side['high'])})" for side in (row["one"], row["other"])]
    found = row["difference"]
    if found is None:
        return [row["by"], row["group"], *sides, "", ""]
    told = f"{found['difference']:+.3f} ({found['low']:+.3f} to {found['high']:+.3f})"
    return [row["by"], row["group"], *sides, told, "yes" if found["stands"] else ""]


def _share(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.3f}"


def _interval(low: float, high: float) -> str:
    return f"{low:.3f} to {high:.3f}"


def _told(standing: Standing) -> dict[str, Any]:
    return {"policy_id": standing.policy_id, "policy": standing.policy, "round": standing.round}


def _errors_query(policy_id: str) -> str:
    return (
        'factory sql "select content from rollout_steps join rollouts on rollouts.id = rollout_id '
        f"where policy_id = '{policy_id}' and stop_reason = 'policy_failed' and content is not null limit 3\""
    )
