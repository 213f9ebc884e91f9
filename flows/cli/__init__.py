"""The `factory` command. Heavy modules (prefect, polars, duckdb) are imported by the commands that need them."""

from __future__ import annotations

import sys

import typer

from flows.cli.arena import collect, compare, diagnose, evaluate
from flows.cli.bench import bench
from flows.cli.discover import discover
from flows.cli.doctor import doctor
from flows.cli.ecosystem import backlog, taxonomy
from flows.cli.evolution import evolve, rounds
from flows.cli.models import llm
from flows.cli.production import demo, expand
from flows.cli.reading import sql, status, tasks
from flows.cli.review import review
from flows.cli.server import down, up
from flows.cli.serving import play, serve
from flows.cli.show import show
from flows.cli.snapshots import diff, snapshot, withdraw
from flows.cli.training import train
from flows.cli.verification import verify
from schemas.errors import UsageError

app = typer.Typer(
    name="factory",
    help="A data factory that makes environments and verifiable tasks for training tool-using agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # a bug keeps Python's own traceback
)
for _command, _example in (
    (demo, "factory demo"),
    (expand, "factory expand --themes new_york_flights --tasks 10"),
    (status, "factory status --json"),
    (sql, 'factory sql "select kind, count(*) from tasks group by kind" | factory sql --named funnel'),
    (tasks, "factory tasks --sample 10 --seed 1"),
    (show, "factory show music_store"),
    (rounds, "factory rounds | factory rounds music_store --json"),
    (backlog, "factory backlog"),
    (verify, "factory verify --all --json"),
    (evaluate, "factory evaluate --policy noisy:0.15 --fresh --attempts 4"),
    (collect, "factory collect --policy endpoint --attempts 4 --levels 1-3"),
    (diagnose, "factory diagnose --policy endpoint --round 2 --json"),
    (compare, "factory compare perfect noisy:0.15 --round 1"),
    (evolve, "factory evolve --policy endpoint --rounds 2 --trainer my_training:train"),
    (review, "factory review | factory review TASK --reject --reason 'two guests have that name'"),
    (snapshot, "factory snapshot --levels 2-4 --json"),
    (diff, "factory diff snap_1c87170d330f4acb snap_6b4a6f0e3c1d9e52"),
    (withdraw, "factory withdraw vega_datasets --reason 'licence taken back'"),
    (train, "factory train --trainer trl --profile tiny --json"),
    (serve, "factory serve music_store --mcp stdio | factory serve --http --port 8400"),
    (play, "factory play task_1c87170d330f4acb"),
    (doctor, "factory doctor --json"),
    (up, "FACTORY_SERVER_PORT=4300 factory up"),
    (down, "factory down --home .factory"),
):
    app.command(epilog=f"Example: {_example}")(_command)
app.add_typer(discover, name="discover", epilog="Example: factory discover mcp servers.jsonl.gz --home .factory")
app.add_typer(taxonomy, name="taxonomy", epilog="Example: factory taxonomy show --home .factory")
app.add_typer(llm, name="llm", epilog="Example: factory llm stats --home .factory --json")
app.add_typer(bench, name="bench", epilog="Example: factory bench world --home .factory --json")


def main() -> None:
    """Run the command line: exit code 0 done, 2 a mistake that the user can mend, 1 failure."""
    try:
        app()
    except UsageError as error:
        print(f"factory: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)
