"""Lineage: from source packages over themes and environments to the tools and tasks that stand."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.pages.markdown import Row, code, count, fence, page, plural, size, table, text
from tasks.pages.mermaid import Node, flowchart

MOST_THEMES = 12
"""Rows of the diagram: more would not be legible in a page's width. The table below has all."""


def lineage_page(themes: Sequence[Row]) -> str:
    """Return the page of rows of the query `page_themes`."""
    if not themes:
        return page("# Lineage", "Nothing was made yet.")
    hidden = len(themes) - MOST_THEMES
    return page(
        "# Lineage",
        "What was made from what: source → theme → environment → tools and tasks. Dashed: refused.",
        fence(_diagram(themes[:MOST_THEMES]), "mermaid"),
        f"… and {plural(hidden, 'more theme', 'more themes')}, in the table below." if hidden > 0 else "",
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
        end = f"refused: {theme['reason'] or 'not told'}" if refused else str(theme["environment_id"])
        figures = (
            () if refused else (f"{plural(theme['world_tables'], 'table')}, {plural(theme['world_rows'], 'row')}",)
        )
        nodes[f"e{number}"] = Node(f"e{number}", (end, *figures), dashed=theme["state"] == "rejected")
        arrows.append((f"t{number}", f"e{number}"))
        if not refused:
            made = (plural(theme["tools"], "tool"), plural(theme["tasks"], "task"))
            nodes[f"m{number}"] = Node(f"m{number}", made)
            arrows.append((f"e{number}", f"m{number}"))
    return flowchart(nodes.values(), arrows)


def _package(theme: Row) -> str:
    return " ".join(str(part) for part in (theme["package"], theme["package_version"]) if part) or "source not recorded"


def _table(themes: Sequence[Row]) -> str:
    rows = [
        (text(_package(t), 60), count(t["files"]), code(t["theme_name"]), code(t["environment_id"] or ""),
         count(t["tools"]), count(t["tasks"]), code(t["reason"] or ""))
        for t in themes
    ]  # fmt: skip
    columns = ("source", "files", "theme", "environment", "tools", "tasks", "refused for")
    return table(columns, rows, ("files", "tools", "tasks"))
