"""The .sql files of the warehouse: migrations, views and named queries, with the question each answers."""

from __future__ import annotations

import graphlib
import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from schemas.errors import UsageError
from schemas.identity import sha256_text

_FOLDER = Path(__file__).parent
_PARAMETER = re.compile(r"^\$(\w+): (.*?)(?: \[default (.+)\])?$")


@dataclass(frozen=True)
class Parameter:
    """A value bound to a named query; required unless it has a default."""

    name: str
    description: str
    required: bool
    default: Any = None


@dataclass(frozen=True)
class SqlFile:
    """One .sql file: its name, the question its first comment asks, and its text."""

    name: str
    question: str
    text: str
    parameters: tuple[Parameter, ...] = field(default=())

    def bind(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return `values` completed with defaults; UsageError when one is missing or unknown."""
        known = {parameter.name: parameter for parameter in self.parameters}
        unknown = sorted(set(values) - set(known))
        missing = [name for name, parameter in known.items() if parameter.required and name not in values]
        if unknown or missing:
            wanted = ", ".join(f"{p.name} ({p.description})" for p in self.parameters) or "none"
            what = f"has no parameter {unknown[0]}" if unknown else f"needs the parameter {missing[0]}"
            raise UsageError(
                f"query {self.name} {what}. Its parameters: {wanted}. "
                f"Run: factory sql --named {self.name} --param NAME=VALUE"
            )
        return {name: values.get(name, parameter.default) for name, parameter in known.items()}


def _read(path: Path) -> SqlFile:
    text = path.read_text()
    comments: list[str] = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        comments.append(line.removeprefix("--").strip())
    matches = [match for comment in comments if (match := _PARAMETER.match(comment))]
    parameters = tuple(
        Parameter(match[1], match[2], match[3] is None, json.loads(match[3]) if match[3] else None) for match in matches
    )
    question = " ".join(comment for comment in comments if not _PARAMETER.match(comment))
    return SqlFile(path.stem, question, text, parameters)


@cache
def migrations() -> tuple[SqlFile, ...]:
    """Return the migrations in order; the n-th one leads to schema version n."""
    return tuple(_read(path) for path in sorted((_FOLDER / "migrations").glob("*.sql")))


@cache
def views() -> tuple[SqlFile, ...]:
    """Return the views, each after the ones it reads, else by name."""
    files = {path.stem: _read(path) for path in sorted((_FOLDER / "views").glob("*.sql"))}
    words = {name: set(re.findall(r"\w+", file.text)) for name, file in files.items()}
    sorter: graphlib.TopologicalSorter[str] = graphlib.TopologicalSorter()
    for name in files:
        sorter.add(name, *sorted(words[name] & set(files) - {name}))
    return tuple(files[name] for name in sorter.static_order())


def views_sha256() -> str:
    """Return the hash of all views' texts; a warehouse that bears another one gets them anew."""
    return sha256_text("\n".join(view.text for view in views()))


@cache
def named_queries() -> dict[str, SqlFile]:
    """Return the named queries by name, in alphabetical order."""
    return {path.stem: _read(path) for path in sorted((_FOLDER / "queries").glob("*.sql"))}


def named_query(name: str) -> SqlFile:
    """Return the query called `name`; UsageError that lists the names when there is none."""
    queries = named_queries()
    if name not in queries:
        raise UsageError(f"there is no query {name}. Queries: {', '.join(queries)}. Run: factory sql --named funnel")
    return queries[name]
