"""An environment's page: where its data is from, how its tables hang together, what can be done and asked in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from schemas.profiles import SamplingNote, TableProfile
from tasks.pages.documents import documents_section
from tasks.pages.intents import intents_section
from tasks.pages.markdown import (
    SHA_DIGITS,
    Row,
    bounded,
    bullets,
    code,
    codes,
    count,
    fence,
    page,
    plural,
    size,
    table,
    text,
)
from tasks.pages.mermaid import MOST_COLUMNS, MOST_WHOLE, drawn_tables, er_diagram, listing
from tasks.pages.operations import operations_section
from tasks.pages.origins import origins_in_short, origins_section, sampled_tables, table_origin
from tasks.pages.versions import versions_section
from tasks.pages.worlds import WorldRows

LONGEST_REQUEST = 120
FAILURES_TOLD = 10

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")
_LOSSES = (
    ("rows_unreadable", "unreadable"),
    ("rows_beyond_limit", "beyond the limit of a large file"),
    ("rows_out_of_range", "outside the range that the theme keeps"),
    ("rows_without_key", "without a key of their own"),
    ("rows_with_dangling_reference", "with a reference to nothing"),
    ("rows_not_sampled", "not sampled"),
)
_DOCUMENTS = {"mcp": "an MCP server's tools", "tools": "a tool document", "requirements": "requirements"}
"""Kind of theme that rests on a document → what the document is."""


def environment_page(world: WorldRows, drawn: bool = True) -> str:
    """Return the page of one environment; without `drawn` the references are listed in words instead of a diagram."""
    environment = world.environment
    return page(
        f"# {text(environment['title'] or world.theme)}",
        text(environment["description"], limit=1000),
        _facts(world),
        "## Sources",
        _sources(world.sources, world.environment["kind"]),
        "## Versions" if world.versions else "",
        versions_section(world.versions, world.rounds) if world.versions else "",
        "## Tables",
        _diagram(world.profile.tables, drawn),
        _tables(world),
        "## Where the values are from",
        origins_section(world.profile),
        "## What was left out or mended",
        _losses(world.profile.sampling),
        "## Operations",
        operations_section(world.operations, world.tools),
        f"## Documents ({len(world.documents)})",
        documents_section(world.documents, world.theme),
        "## What the source names" if world.intents else "",
        intents_section(world.intents) if world.intents else "",
        f"## Tools ({len(world.tools)})",
        "Tests: how many of its unit tests passed. Tasks: how many call it in their gold run." if world.tools else "",
        _tools(world.tools),
        f"## Tasks ({len(world.tasks)})",
        _tasks(world.tasks),
        "## Gates",
        _gates(world),
        f"Look further: `factory show {world.theme}.TOOL`, `factory show TASK`, `factory play TASK`.",
    )


def refused_page(theme: Row) -> str:
    """Return the page of a theme of which no environment came: a row of `page_themes`."""
    return page(
        f"# {text(theme['title'] or theme['theme_name'])}",
        f"The theme {code(theme['theme_name'])} was refused: {code(theme['reason'] or 'not told')}.",
        text(theme["detail"], limit=1000),
        f"It came from {code(theme['package'])} {text(theme['package_version'])}." if theme["package"] else "",
    )


def first_sentence(description: str) -> str:
    """Return a description up to the end of its first sentence."""
    return _SENTENCE.split(description.strip(), maxsplit=1)[0]


def _facts(world: WorldRows) -> str:
    environment, tables = world.environment, world.profile.tables
    rows = [
        ("environment", f"{code(environment['environment_id'])}, version {environment['version']}"),
        ("theme", code(world.theme)),
        ("state", text(environment["state"])),
        ("class", _class(environment)),
        ("operations", codes((environment["archetype"] or "").split(", ")) if environment["archetype"] else "none"),
        ("world", f"{plural(len(tables), 'table')}, {plural(sum(t.rows for t in tables), 'row')}, "
                  f"{size(environment['world_bytes'])}, sha256 {code(environment['world_sha256'][:SHA_DIGITS])}"),
        ("values", origins_in_short(world.profile)),
        ("made by", f"author {code(environment['author'])}, seed {environment['seed']}"),
        ("clock starts", text(str(environment["clock_start"]).replace("T", " "))),
    ]  # fmt: skip
    return table(("what", "value"), rows)


def _class(environment: Row) -> str:
    """Return the place in the taxonomy with the rules' confidence; a person's word has none."""
    if not environment["level1"]:
        return "none"
    place = " › ".join(text(environment[level]) for level in ("level1", "level2") if environment[level])
    if environment["classified_by"] == "person":
        return f"{place}, set by a person"
    second = f", next {text(environment['runner_up'])}" if environment["runner_up"] else ""
    return f"{place} (confidence {environment['confidence'] or 0:.2f}{second})"


def _sources(sources: Sequence[Row], kind: str | None = None) -> str:
    """Tell of the files; package and licence once when all files share them, else a file each.

    The document that a theme rests on is its own package.
    """
    if not sources:
        return "No source is recorded."
    if kind in _DOCUMENTS and all(source["package"] == source["file"] for source in sources):
        cells = [
            (code(s["file"]), text(s["licence"]), size(s["bytes"]), code(s["sha256"][:SHA_DIGITS])) for s in sources
        ]
        told = bounded(("file", "licence", "size", "sha256"), cells, ("size",))
        return page(f"It rests on {_DOCUMENTS[kind]}.", told)
    origins = [(f"{code(s['package'])} {text(s['version'], 20)}", text(s["licence"])) for s in sources]
    shared = len(set(origins)) == 1
    head = f"From {origins[0][0]}. Licence: {origins[0][1]}." if shared else ""
    cells = [
        (code(source["file"]), *(() if shared else origin), size(source["bytes"]), code(source["sha256"][:SHA_DIGITS]))
        for source, origin in zip(sources, origins, strict=True)
    ]
    columns = ("file", *(() if shared else ("from", "licence")), "size", "sha256")
    return page(head, bounded(columns, cells, ("size",)))


def _diagram(tables: Sequence[TableProfile], drawn: bool) -> str:
    if not drawn:
        return bullets(text(line) for line in listing(tables)) or "No table refers to another."
    hidden = len(tables) - len(drawn_tables(tables))
    wide = any(len(t.columns) > MOST_COLUMNS for t in tables)
    notes = [f"{plural(hidden, 'table')} with the fewest references are not drawn"] if hidden else []
    notes += ["only keys and references are drawn"] if len(tables) > MOST_WHOLE else []
    notes += [f"at most {MOST_COLUMNS} columns a table are drawn"] if wide and len(tables) <= MOST_WHOLE else []
    caption = (
        "An edge is a reference; tables with an orange border can be written to, those with a blue one are borrowed."
    )
    return page(
        fence(er_diagram(tables), "mermaid", whole=True),
        " ".join([caption, *(f"{note.capitalize()}." for note in notes)]),
    )


def _tables(world: WorldRows) -> str:
    tables, sampled = world.profile.tables, sampled_tables(world.profile)
    cells = [
        (code(t.name), table_origin(t, sampled), "yes" if t.kind == "operational" else "no", count(t.rows),
         count(len(t.columns)), code(t.key), codes(dict.fromkeys(f.to_table for f in t.foreign_keys)))
        for t in tables
    ]  # fmt: skip
    columns = ("table", "values", "writable", "rows", "columns", "key", "refers to")
    return bounded(columns, cells, ("rows", "columns"))


def _losses(notes: Sequence[SamplingNote]) -> str:
    """Tell of the tables of which something was left out or mended; of the others, how many they are."""
    told = [(note, "; ".join(_left_out(note)), _mended(note)) for note in notes]
    touched = [(note, lost, mended) for note, lost, mended in told if lost or mended]
    whole = plural(len(notes) - len(touched), "table was", "tables were")
    if not touched:
        return f"Nothing: {whole} taken whole." if notes else "Nothing was recorded."
    cells = [(code(n.table), count(n.rows_read), count(n.rows_kept), lost, mended) for n, lost, mended in touched]
    columns = ("table", "read", "kept", "left out", "mended")
    rest = f"{whole} taken whole." if len(touched) < len(notes) else ""
    return page(bounded(columns, cells, ("read", "kept")), rest)


def _left_out(note: SamplingNote) -> list[str]:
    lost = [f"{plural(getattr(note, name), 'row')} {words}" for name, words in _LOSSES if getattr(note, name)]
    if note.columns_left_out:
        lost.append(f"{plural(len(note.columns_left_out), 'column')}: {codes(note.columns_left_out)}")
    return lost


def _mended(note: SamplingNote) -> str:
    split = [f"split off {code(note.split_from)}"] if note.split_from else []
    nulled = [f"{plural(note.references_nulled, 'reference')} to nothing made null"] if note.references_nulled else []
    return "; ".join([*split, *(text(repair) for repair in note.repairs), *nulled])


def _tools(tools: Sequence[Row]) -> str:
    if not tools:
        return "None were kept."
    cells = [
        (code(t["name"]), "reads" if t["read_only"] else "**writes**", f"{t['passed']} of {t['tests']}",
         count(t["tasks"]), text(first_sentence(t["description"])))
        for t in tools
    ]  # fmt: skip
    columns = ("tool", "does", "tests", "tasks", "description")
    return bounded(columns, cells, ("tests", "tasks"))


def _tasks(tasks: Sequence[Row]) -> str:
    if not tasks:
        return "None were admitted."
    cells = [
        (code(t["id"]), text(t["kind"]), count(t["gold_calls"]), "yes" if t["requires_change"] else "no",
         text(t["request"], LONGEST_REQUEST))
        for t in tasks
    ]  # fmt: skip
    columns = ("task", "kind", "calls", "changes state", "request")
    return bounded(columns, cells, ("calls",))


def _gates(world: WorldRows) -> str:
    tests, passed = (sum(tool[name] for tool in world.tools) for name in ("tests", "passed"))
    rows = [
        ("quality of the mined tables", *_quality(world.quality)),
        ("unit tests of the kept tools", f"{count(passed)} of {count(tests)} passed", ""),
        ("tools", f"{len(world.tools)} kept", _refused(world.refusals, "tool")),
        ("tasks", f"{len(world.tasks)} admitted", _refused(world.refusals, "task")),
    ]
    return page(
        table(("gate", "passed", "refused or failed"), rows), _failures(world.quality), _examples(world.refusals)
    )


def _quality(results: Sequence[Row]) -> tuple[str, str]:
    if not results:
        return "no result is recorded", ""
    passed = sum(bool(result["passed"]) for result in results)
    failed = Counter(result["severity"] for result in results if not result["passed"])
    told = ", ".join(f"{number} {severity}" for severity, number in sorted(failed.items()))
    return f"{count(passed)} of {count(len(results))} expectations held", told


def _failures(results: Sequence[Row]) -> str:
    failed = [result for result in results if not result["passed"]]
    if not failed:
        return ""
    places = [".".join(part for part in (r["table_name"], r["column_name"]) if part) for r in failed]
    told = [
        f"{text(r['severity'])}: {code(r['expectation'])} of {code(place) if place else 'the whole world'}: "
        f"{count(r['unexpected'])} of {count(r['checked'])} rows. {text(r['detail'])}"
        for r, place in zip(failed[:FAILURES_TOLD], places[:FAILURES_TOLD], strict=True)
    ]
    more = [f"… and {len(failed) - FAILURES_TOLD} more"] if len(failed) > FAILURES_TOLD else []
    return page("Expectations that did not hold:", bullets([*told, *more]))


def _refused(refusals: Sequence[Row], kind: str) -> str:
    reasons: Counter[str] = Counter()
    for row in refusals:
        if row["subject_kind"] == kind:
            reasons[row["reason"]] += row["rejected"]
    return ", ".join(f"{number} {code(reason)}" for reason, number in reasons.most_common())


def _examples(refusals: Sequence[Row]) -> str:
    told = [f"{text(row['subject_kind'])} {code(row['reason'])}: {text(row['example'])}" for row in refusals]
    return page("An example of each refusal:", bullets(told)) if told else ""
