"""What the stages store: typed things in, rows of one batch in one transaction out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from schemas.environments import Environment
from schemas.identity import content_id
from schemas.intents import IntentCoverage
from schemas.library import TrailStep
from schemas.quality import QualityResult
from schemas.records import Rejection, Stage
from schemas.rounds import Measures
from schemas.themes import Source, Theme
from schemas.tools import TestOutcome, Tool, ToolEdge, ToolTest
from warehouse.stamp import Row, Stamp, Tables
from warehouse.store import Warehouse
from warehouse.texts import text_rows


def save_themes(
    wh: Warehouse, themes: Sequence[Theme], sources: Sequence[Source], trail: Sequence[TrailStep], stamp: Stamp
) -> None:
    """Store themes, their sources, and the files of a library that were considered; these name their theme."""
    columns = {"name", "title", "description", "kind", "package", "version", "licence"}
    tables: Tables = {
        "themes": [
            stamp.mark(theme.id, **theme.model_dump(include=columns), recipe=theme.model_dump(mode="json"))
            for theme in themes
        ],
        "sources": _source_rows(sources, stamp),
        "lineage": [lineage_row("theme", source.theme_id, "source", source.id, stamp) for source in sources],
        "library_trail": [stamp.mark(content_id("trail", step.model_dump()), **step.model_dump()) for step in trail],
    }
    wh.merge(tables)


def save_environment(
    wh: Warehouse,
    environment: Environment,
    sources: Sequence[Source],
    quality: Sequence[QualityResult],
    stamp: Stamp,
) -> str:
    """Store an environment, its profile, its quality and what it was made from; return the batch's id."""
    batch = new_batch("mine", environment.theme_id, [("theme", environment.theme_id)], [], stamp, environment.id)
    wh.merge({**environment_tables(environment, sources, quality, batch.id, stamp), **batch.tables})
    return batch.id


def environment_tables(
    environment: Environment,
    sources: Sequence[Source],
    quality: Sequence[QualityResult],
    batch_id: str,
    stamp: Stamp,
) -> Tables:
    """Return the rows that tell of an environment: itself, its columns, its quality, and what it was made from."""
    row, parts = _environment_row(environment, stamp)
    lineage = [lineage_row("environment", environment.id, "theme", environment.theme_id, stamp)]
    lineage += [lineage_row("environment", environment.id, "source", source.id, stamp) for source in sources]
    if environment.parent_id:
        lineage.append(lineage_row("environment", environment.id, "environment", environment.parent_id, stamp))
    return {
        "environments": [row],
        "text_parts": parts,
        "environment_families": [_family_row(environment, stamp)],
        "profiles": _profile_rows(environment, stamp),
        "quality_results": _quality_rows(quality, batch_id, environment, stamp),
        "sources": _source_rows(sources, stamp),
        "lineage": lineage,
    }


def _environment_row(environment: Environment, stamp: Stamp) -> tuple[Row, list[Row]]:
    """Return an environment's row, and the parts of the text that describes it."""
    columns = environment.model_dump(mode="json", exclude={"id"})
    described = {name: columns.pop(name) for name in ("profile", "operations", "documents")}
    text_id, parts = text_rows(json.dumps(described, ensure_ascii=False, separators=(",", ":")), stamp)
    archetypes = ", ".join(operations.archetype for operations in environment.operations) or None
    files = [
        document.model_dump(include={"path", "format", "title", "origin", "editable"})
        | {"characters": len(document.text)}
        for document in environment.documents
    ]
    told = {"archetype": archetypes, "sampling": described["profile"]["sampling"], "files": files}
    return stamp.mark(environment.id, text_id=text_id, **told, **columns), parts


def save_tools(
    wh: Warehouse,
    environment_id: str,
    source: str,
    tools: Sequence[Tool],
    tests: Sequence[ToolTest],
    outcomes: Sequence[TestOutcome],
    edges: Sequence[ToolEdge],
    rejections: Sequence[Rejection],
    measures: Measures,
    intents: Sequence[IntentCoverage],
    stamp: Stamp,
) -> str:
    """Store what the tool gate decided on an environment and return the batch's id.

    `source` is the tools' module, `tools` are the kept ones; `measures` and `intents` say what they make
    of the environment. It is kept unless a rejection names it (subject_kind 'environment').
    """
    ids = [content_id("tool", environment_id, _content(tool)) for tool in tools]
    refused = any(rejection.subject_kind == "environment" for rejection in rejections)
    kept = [] if refused else [("environment", environment_id)]
    kept += [("tool", tool_id) for tool_id in ids]
    evidence = [source, *([_content(item) for item in group] for group in (tests, outcomes, edges))]
    batch = new_batch("build_tools", environment_id, kept, rejections, stamp, evidence)
    place = {"batch_id": batch.id, "environment_id": environment_id}
    text_id, parts = text_rows(source, stamp)
    wh.merge(
        {
            "tool_modules": [stamp.mark(content_id("module", batch.id), author=stamp.author, text_id=text_id, **place)],
            "text_parts": parts,
            "tools": _tool_rows(dict(zip(ids, tools, strict=True)), environment_id, stamp),
            "tool_tests": _test_rows(tests, outcomes, place, stamp),
            "tool_edges": _edge_rows(edges, place, stamp),
            "measures": [stamp.mark(content_id("measures", batch.id), **place, **measures.model_dump(mode="json"))],
            "intents": _intent_rows(intents, place, stamp),
            "lineage": [lineage_row("tool", tool_id, "environment", environment_id, stamp) for tool_id in ids],
            **batch.tables,
        }
    )
    return batch.id


def save_refused_theme(
    wh: Warehouse,
    rejections: Sequence[Rejection],
    stamp: Stamp,
    environment: Environment | None = None,
    quality: Sequence[QualityResult] = (),
) -> str:
    """Store why a stage refused a theme, with the quality of a world that came so far; return the batch's id.

    The rejections are all of one stage and about one theme.
    """
    stage, theme_id = rejections[0].stage, rejections[0].subject_id
    batch = new_batch(stage, theme_id, [], rejections, stamp)
    rows = [] if environment is None else _quality_rows(quality, batch.id, environment, stamp)
    wh.merge({"quality_results": rows, **batch.tables})
    return batch.id


@dataclass(frozen=True)
class Batch:
    """The rows of one batch, and its id."""

    id: str
    tables: Tables


def new_batch(
    stage: Stage,
    subject_id: str,
    kept: Sequence[tuple[str, str]],
    rejections: Sequence[Rejection],
    stamp: Stamp,
    evidence: Any = None,
) -> Batch:
    """Return the rows of a batch: itself, a decision for each (kind, id) kept and each rejection.

    Its id depends on what was decided and on `evidence`, not on the run: a rerun of a killed run
    that comes to the same decisions stores nothing twice.
    """
    refused = list({rejection.id: rejection for rejection in rejections}.values())
    batch_id = content_id("batch", stage, subject_id, list(kept), [item.id for item in refused], evidence)
    decided: list[tuple[str, str, str, str | None]] = [(kind, subject, "kept", None) for kind, subject in kept]
    decided += [(item.subject_kind, item.subject_id, "rejected", item.id) for item in refused]
    decisions = [
        stamp.mark(
            content_id("decision", batch_id, position),
            batch_id=batch_id,
            stage=stage,
            position=position,
            subject_kind=kind,
            subject_id=subject,
            outcome=outcome,
            rejection_id=rejection_id,
        )
        for position, (kind, subject, outcome, rejection_id) in enumerate(decided)
    ]
    batch = stamp.mark(batch_id, author=stamp.author, stage=stage, subject_id=subject_id)
    reasons = [
        stamp.mark(
            item.id, author=item.author or stamp.author, **item.model_dump(mode="json", exclude={"id", "author"})
        )
        for item in refused
    ]
    return Batch(batch_id, {"batches": [batch], "decisions": decisions, "rejections": reasons})


def lineage_row(child_kind: str, child_id: str, parent_kind: str, parent_id: str, stamp: Stamp) -> Row:
    columns = {
        "child_kind": child_kind,
        "child_id": child_id,
        "parent_kind": parent_kind,
        "parent_id": parent_id,
    }
    return stamp.mark(content_id("lineage", columns), **columns)


def _family_row(environment: Environment, stamp: Stamp) -> Row:
    place = {"environment_id": environment.id, "family": environment.theme_name}
    return stamp.mark(content_id("family", *place.values()), **place)


def _source_rows(sources: Sequence[Source], stamp: Stamp) -> list[Row]:
    return [stamp.mark(source.id, **source.model_dump(exclude={"id"})) for source in sources]


def _profile_rows(environment: Environment, stamp: Stamp) -> list[Row]:
    rows = []
    for table in environment.profile.tables:
        references = {foreign.column: foreign for foreign in table.foreign_keys}
        for position, column in enumerate(table.columns):
            reference = references.get(column.name)
            rows.append(
                stamp.mark(
                    content_id("profile", environment.id, table.name, column.name),
                    environment_id=environment.id,
                    table_name=table.name,
                    table_kind=table.kind,
                    table_rows=table.rows,
                    position=position,
                    column_name=column.name,
                    distinct_values=column.distinct,
                    minimum=_text(column.minimum),
                    maximum=_text(column.maximum),
                    is_key=column.name == table.key,
                    is_label=column.name == table.label,
                    is_opaque=column.name == table.key and table.key_is_opaque,
                    references_table=reference.to_table if reference else None,
                    references_column=reference.to_column if reference else None,
                    reference_coverage=reference.coverage if reference else None,
                    **column.model_dump(
                        include={"type", "role", "nullable", "categories", "words", "unit", "origin", "borrowed_from"}
                    ),
                )
            )
    return rows


def _quality_rows(results: Sequence[QualityResult], batch_id: str, environment: Environment, stamp: Stamp) -> list[Row]:
    place = {"batch_id": batch_id, "theme_id": environment.theme_id, "environment_id": environment.id}
    return [
        stamp.mark(
            content_id("quality", batch_id, position),
            **place,
            position=position,
            table_name=result.table,
            column_name=result.column,
            **result.model_dump(exclude={"table", "column"}),
        )
        for position, result in enumerate(results)
    ]


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _content(item: BaseModel) -> Row:
    """Return what an id depends on: the same thing by another author is the same thing."""
    return item.model_dump(mode="json", exclude={"author"})


def _tool_rows(tools: Mapping[str, Tool], environment_id: str, stamp: Stamp) -> list[Row]:
    place = {"environment_id": environment_id}
    return [stamp.mark(tool_id, **place, **tool.model_dump(mode="json")) for tool_id, tool in tools.items()]


def _test_rows(tests: Sequence[ToolTest], outcomes: Sequence[TestOutcome], place: Row, stamp: Stamp) -> list[Row]:
    results = {outcome.test_id: outcome for outcome in outcomes}
    rows = []
    for position, test in enumerate(tests):
        outcome = results.get(test.id)
        columns = test.model_dump(mode="json", exclude={"id", "case"})
        rows.append(
            stamp.mark(
                content_id("tool_test", place["batch_id"], position),
                position=position,
                test_id=test.id,
                test_case=test.case,
                passed=outcome.passed if outcome else None,
                detail=outcome.detail if outcome else "",
                **place,
                **columns,
            )
        )
    return rows


def _edge_rows(edges: Sequence[ToolEdge], place: Row, stamp: Stamp) -> list[Row]:
    """Leave out what nobody said, two thirds of a complete graph: `stored_tool_edges` adds it again."""
    return [
        stamp.mark(
            content_id("tool_edge", place["batch_id"], position),
            position=position,
            source_tool=edge.source,
            target_tool=edge.target,
            **place,
            **edge.model_dump(exclude={"source", "target"}),
        )
        for position, edge in enumerate(edges)
        if edge.kind != "independent" or edge.author != "rules"
    ]


def _intent_rows(intents: Sequence[IntentCoverage], place: Row, stamp: Stamp) -> list[Row]:
    return [
        stamp.mark(content_id("intent", place["batch_id"], position), position=position, **place, **intent.model_dump())
        for position, intent in enumerate(intents)
    ]
