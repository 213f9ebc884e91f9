"""Lineage: from source packages over themes and environments to the tools and tasks that stand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tasks.pages.markdown import Row, bounded, code, count, fence, page, plural, size, text
from tasks.pages.mermaid import Node, flowchart

DOCUMENT_KINDS = ("mcp", "tools", "requirements")
"""Kinds of theme that rest on a document; many of them may lie in one file."""
MOST_THEMES = 12
"""Rows of the diagram: more would not be legible in a page's width. The table below has more."""
MOST_VERSIONS = 4
"""Boxes of a theme's chain of versions: of a longer one the first and the last are drawn."""


def lineage_page(themes: Sequence[Row]) -> str:
    """Return the page of rows of the query `page_themes`."""
    if not themes:
        return page("# Lineage", "Nothing was made yet.")
    hidden = len(themes) - MOST_THEMES
    return page(
        "# Lineage",
        "What was made from what: source → theme → environment, version by version → tools and tasks. Dashed: refused.",
        fence(_diagram(themes[:MOST_THEMES]), "mermaid", whole=True),
        f"The first {MOST_THEMES} of {len(themes)} themes are drawn." if hidden > 0 else "",
        _table(themes),
        "One thing's whole ancestry: `factory sql --named lineage --param id=ID`.",
    )


def _diagram(themes: Sequence[Row]) -> str:
    nodes: dict[str, Node] = {}
    arrows = []
    packages = {package: f"p{n}" for n, package in enumerate(dict.fromkeys(_package(theme) for theme in themes))}
    for package, identifier in packages.items():
        of_it = [theme for theme in themes if _package(theme) == package]
        files = plural(sum(theme["files"] for theme in of_it), "file")
        nodes[identifier] = Node(identifier, (package, f"{files}, {size(sum(t['source_bytes'] for t in of_it))}"))
    for number, theme in enumerate(themes):
        refused = theme["environment_id"] is None
        nodes[f"t{number}"] = Node(f"t{number}", (theme["theme_name"],), dashed=refused)
        arrows.append((packages[_package(theme)], f"t{number}"))
        chain = _chain(theme, f"e{number}")
        if not refused:
            made = (plural(theme["tools"], "tool"), plural(theme["tasks"], "task"))
            chain.append(Node(f"m{number}", made))
        nodes.update((node.id, node) for node in chain)
        arrows += pairwise([f"t{number}", *(node.id for node in chain)])
    return flowchart(nodes.values(), arrows)


def _chain(theme: Row, identifier: str) -> list[Node]:
    """Return the boxes of a theme's versions, oldest first, the last as `identifier`; of a refused one the reason."""
    if theme["environment_id"] is None:
        return [Node(identifier, (f"refused: {theme['reason'] or 'not told'}",), dashed=True)]
    versions = list(theme["versions"])[:-1]
    hidden = len(versions) + 1 - MOST_VERSIONS
    older = [*versions[:1], *versions[hidden + 1 :]] if hidden > 0 else versions
    boxes = [
        Node(f"{identifier}v{v['version']}", (f"version {v['version']}", plural(v["tables"] or 0, "table")))
        for v in older
    ]
    last = (plural(theme["world_tables"], "table"), plural(theme["world_rows"], "row"))
    return [*boxes, Node(identifier, (f"version {len(theme['versions']) or 1}", *last), theme["state"] == "rejected")]


def _package(theme: Row) -> str:
    """Return what a theme's source ships in: a package with its version, or the file that holds the document."""
    if theme["kind"] in DOCUMENT_KINDS:
        return str(theme["package"]).partition("#")[0]
    return " ".join(str(part) for part in (theme["package"], theme["package_version"]) if part) or "source not recorded"


def _end(theme: Row) -> str:
    return code(theme["environment_id"] or "") or f"refused: {code(theme['reason'] or 'not told')}"


def _table(themes: Sequence[Row]) -> str:
    rows = [
        (text(_package(t), 60), count(t["files"]), code(t["theme_name"]), _end(t),
         count(len(t["versions"])),
         count(t["tools"]), count(t["tasks"]))
        for t in themes
    ]  # fmt: skip
    columns = ("source", "files", "theme", "environment", "versions", "tools", "tasks")
    return bounded(columns, rows, ("files", "versions", "tools", "tasks"))
