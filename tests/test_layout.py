"""The layout of DESIGN.md, held by reading the sources: who imports whom, and one door per heavy dependency."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("flows", "tasks", "schemas", "warehouse")
TOP_LEVEL = {"flows", "tasks", "schemas", "warehouse", "deployments", "tests", "pyproject.toml"}
BESIDE = {"README.md", "AGENTS.md", "Makefile", "requirements.lock", ".ci", "docs", ".gitignore", ".git"}
STANDARD_LIBRARY = sys.stdlib_module_names
STANDALONE = (
    "tasks/sandbox",
    "tasks/world",
    "tasks/verification/checks.py",
    "tasks/serving/episodes.py",
    "tasks/serving/openenv.py",
    "tasks/serving/trainer_http.py",
    "tasks/training/reader.py",
    "tasks/training/selftest.py",
    "tasks/training/answers.py",
    "tasks/training/adapters/attempt.py",
    "tasks/training/adapters/metrics.py",
    "tasks/training/adapters/openenv.py",
    "tasks/training/adapters/signatures.py",
    "tasks/training/adapters/trl.py",
    "tasks/training/adapters/verl_reward.py",
)
"""What snapshots carry: standard library and relative imports only."""

# A door: the only places that may import a heavy dependency. A place ends with "/" or is a file;
# "tasks/*.py" is the files directly in tasks/.
DOORS = {
    "prefect": ("flows/", "tasks/*.py", "deployments/"),
    "duckdb": ("warehouse/",),
    "openai": ("tasks/authors/llm/client/endpoint.py",),
    "playwright": ("tasks/mining/browsing/",),
    "great_expectations": ("tasks/mining/quality/validation.py",),
    "typer": ("flows/cli/",),
    "mcp": ("tasks/serving/", "tasks/themes/sources/mcp_client.py"),
    "sklearn": ("tasks/taxonomy/", "tasks/bench/taxonomy.py"),
    "datasketch": ("tasks/similarity/",),
    "docx": ("tasks/themes/sources/",),
    "faker": ("tasks/mining/entities/",),
    "verl": ("tasks/training/adapters/verl_loop.py",),
    "verifiers": ("tasks/training/adapters/verifiers_taskset.py",),
    **dict.fromkeys(
        ("trl", "torch", "transformers", "datasets", "tokenizers"),
        ("tasks/training/adapters/trl_training.py", "tasks/training/adapters/tiny_model.py"),
    ),
    "openenv": ("tasks/training/adapters/openenv_app.py",),
    "uvicorn": ("tasks/serving/", "tasks/bench/others/"),
    # others/ starts what the runtime is measured against: plain processes and servers with the benchmark's own tools.
    "subprocess": (
        "tasks/sandbox/",
        "tasks/bench/others/",
        "flows/server.py",
        "tasks/themes/sources/mcp_supervisor.py",
        "tasks/training/following.py",
    ),
}
# Who may import which of our own packages: the arrows of DESIGN.md.
ARROWS = {
    "schemas": {"schemas"},
    "warehouse": {"warehouse", "schemas"},
    "tasks/": {"tasks", "schemas"},
    "tasks/*.py": {"tasks", "warehouse", "schemas"},
    "flows": {"flows", "tasks", "warehouse", "schemas"},
}
# Inside tasks/: a later one may use an earlier one, never the other way.
INNER_ORDER = ("sandbox", "world", "verification", "serving", "arena")


def sources() -> list[Path]:
    """Every Python file of the product, sorted, relative to the root."""
    return sorted(p.relative_to(ROOT) for layer in LAYERS for p in (ROOT / layer).rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield (dotted module, relative level) of each import in the file, wherever it stands."""
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", node.level


def absolute(path: Path, module: str, level: int) -> str:
    """Resolve a relative import of `path` to a dotted name."""
    if not level:
        return module
    package = path.parent.parts[: len(path.parent.parts) - level + 1]
    return ".".join([*package, module] if module else package)


def within(path: Path, place: str) -> bool:
    """Whether a file lies in a place of DOORS."""
    if place == "tasks/*.py":
        return path.parent == Path("tasks")
    return path.as_posix().startswith(place) if place.endswith("/") else path.as_posix() == place


def layer_of(path: Path) -> str:
    if path.parts[0] == "tasks":
        return "tasks/*.py" if path.parent == Path("tasks") else "tasks/"
    return path.parts[0]


def test_there_is_something_to_check() -> None:
    assert len(sources()) > 20


@pytest.mark.parametrize("path", sources(), ids=str)
def test_imports_point_one_way(path: Path) -> None:
    own = {absolute(path, *found).split(".")[0] for found in imports(path)} & {*LAYERS, "deployments", "tests"}
    assert own <= ARROWS[layer_of(path)], f"{path} imports {sorted(own - ARROWS[layer_of(path)])}"


def test_a_folder_never_imports_a_prefect_task() -> None:
    files = {p.stem for p in sources() if p.parent == Path("tasks") and p.stem != "__init__"}
    for path in sources():
        if layer_of(path) == "tasks/":
            targets = {absolute(path, *found) for found in imports(path)}
            assert not {f"tasks.{name}" for name in files} & targets, f"{path} imports a @task module"


@pytest.mark.parametrize("package", sorted(DOORS))
def test_one_door_per_heavy_dependency(package: str) -> None:
    strays = [
        str(path)
        for path in sources()
        if any(module.split(".")[0] == package for module, level in imports(path) if not level)
        and not any(within(path, place) for place in DOORS[package])
    ]
    assert strays == [], f"{package} has another door: {strays}"


def test_inner_arrows_of_tasks() -> None:
    for path in sources():
        if path.parts[0] != "tasks" or path.parts[1] not in INNER_ORDER:
            continue
        later = INNER_ORDER[INNER_ORDER.index(path.parts[1]) + 1 :]
        for found in imports(path):
            parts = absolute(path, *found).split(".")
            assert not (parts[0] == "tasks" and len(parts) > 1 and parts[1] in later), (
                f"{path} imports {'.'.join(parts)}"
            )


def test_what_snapshots_carry_uses_the_standard_library_alone() -> None:
    for path in sources():
        if not any(path.as_posix().startswith(place) for place in STANDALONE):
            continue
        for module, level in imports(path):
            if level:
                target = absolute(path, module, level)
                inside = any(target.replace(".", "/").startswith(place.removesuffix(".py")) for place in STANDALONE)
                assert inside or target in ("tasks", "tasks.verification", "tasks.serving", "tasks.training"), (
                    f"{path} reaches {target}"
                )
            else:
                assert module.split(".")[0] in STANDARD_LIBRARY, f"{path} imports {module}"


def test_runtime_reaches_neither_prefect_nor_duckdb() -> None:
    """Import every module of the runtime in a bare interpreter and look at what came along."""
    modules = [
        ".".join(p.with_suffix("").parts).removesuffix(".__init__")
        for p in sources()
        if any(p.as_posix().startswith(place) for place in STANDALONE) and p.stem != "__main__"
    ]
    assert modules
    program = f"import importlib, sys\nfor name in {modules!r}: importlib.import_module(name)\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"prefect", "duckdb", "polars", "pydantic", "schemas", "warehouse", "flows"}


def test_no_file_shadowed_by_a_folder() -> None:
    files = {p.stem for p in (ROOT / "tasks").glob("*.py")}
    folders = {p.name for p in (ROOT / "tasks").iterdir() if p.is_dir()}
    assert not files & folders


def test_process_environment_is_read_in_one_place() -> None:
    for path in sources():
        if path == Path("schemas/settings.py"):
            continue
        for node in ast.walk(ast.parse((ROOT / path).read_text())):
            name = node.attr if isinstance(node, ast.Attribute) else node.name if isinstance(node, ast.alias) else ""
            assert name not in ("environ", "getenv", "putenv", "environb"), f"{path} touches the process environment"


def test_files_are_short() -> None:
    long = {str(p): n for p in sources() if (n := len((ROOT / p).read_text().splitlines())) > 400}
    assert long == {}


def test_functions_are_short() -> None:
    long = []
    for path in sources():
        for node in ast.walk(ast.parse((ROOT / path).read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.end_lineno or 0) - node.lineno >= 40:
                long.append(f"{path}:{node.lineno} {node.name}")
    assert long == []


def test_no_drawer_for_odds_and_ends() -> None:
    names = {part for p in sources() for part in p.with_suffix("").parts}
    assert not names & {"utils", "util", "helpers", "helper", "common", "manager", "handler", "misc"}


def test_top_level_names_are_fixed() -> None:
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip("not a git checkout: what is committed cannot be told from what was built")
    names = {Path(line).parts[0] for line in done.stdout.splitlines()}
    assert names <= TOP_LEVEL | BESIDE, f"unknown at the top: {sorted(names - TOP_LEVEL - BESIDE)}"
    assert TOP_LEVEL - {"deployments"} <= names
