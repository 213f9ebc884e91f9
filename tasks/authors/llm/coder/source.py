"""The source of one tool, read before anything runs, and joined to a module.

The sandbox is the wall: what is refused here is what would not be one function beside the others.
"""

from __future__ import annotations

import ast
import re

from schemas.tools import Tool
from tasks.verification.tool_gate import signature_difference

LONGEST_SOURCE = 8_000
IMPORTABLE = frozenset(
    "collections datetime decimal fractions functools itertools json math operator re statistics string typing".split()
)
REFUSED_NAMES = frozenset(
    "eval exec compile open input breakpoint __import__ globals locals vars setattr delattr".split()
)
Import = ast.Import | ast.ImportFrom
_FENCED = re.compile(r"\s*```(?:python|py)?[ \t]*\n(.*?)```\s*", re.DOTALL)


def unfenced(source: str) -> str:
    """Return a source without the code fence around it, if it has one, ending in one line break."""
    match = _FENCED.fullmatch(source)
    return (match[1] if match else source).strip() + "\n"


def source_problem(source: str, tool: Tool, module: str) -> str:
    """Return why a source is not one function for `module`, with the parameters that `tool` says; "" when it is."""
    if len(source) > LONGEST_SOURCE:
        return f"longer than {LONGEST_SOURCE} characters"
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"
    return (
        _shape_problem(tree, tool.name)
        or signature_difference(tree, tool)
        or _import_problem(tree, ast.parse(module))
        or _body_problem(tree)
    )


def joined(module: str, source: str) -> str:
    """Return a module with the function of `source` at its end, and with the imports that it lacks behind its own."""
    tree, known = ast.parse(source), ast.parse(module)
    there = imported_names(known)
    missing = [line for name, line in imported_names(tree).items() if name not in there]
    lines = module.rstrip().splitlines()
    last = max((node.end_lineno or 0 for node in known.body if isinstance(node, Import)), default=0)
    lines[last:last] = missing
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    text = source.splitlines()[function.lineno - 1 : function.end_lineno]
    return "\n".join([*lines, "", "", *text]) + "\n"


def bound_names(tree: ast.Module) -> set[str]:
    """Return the names that a module's top level binds."""
    names = set(imported_names(tree))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        else:
            names |= {
                each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
    return names


def imported_names(tree: ast.Module) -> dict[str, str]:
    """Return name → the import of it alone, of a module's top level."""
    imports = [node for node in tree.body if isinstance(node, Import)]
    return {
        alias.asname or alias.name.split(".")[0]: _import_of(node, alias) for node in imports for alias in node.names
    }


def _shape_problem(tree: ast.Module, name: str) -> str:
    """Return how a source is more, or less, than imports and one plain function."""
    others = [node for node in tree.body if not isinstance(node, Import)]
    if len(others) != 1 or not isinstance(others[0], ast.FunctionDef) or others[0].name != name:
        return f"besides imports there must be one top-level function, {name}, and nothing else"
    return "the function may not be decorated" if others[0].decorator_list else ""


def _import_problem(tree: ast.Module, module: ast.Module) -> str:
    """Return an import that is not allowed, or that gives a name of the module another meaning; "" without one."""
    there, bound = imported_names(module), bound_names(module)
    for name, line in imported_names(tree).items():
        if name in bound and there.get(name) != line:
            return f"'{line}': the module has {there.get(name, f'a {name} of its own')}"
    for node in (node for node in ast.walk(tree) if isinstance(node, Import)):
        for alias in node.names:
            line = _import_of(node, alias)
            if not _is_importable(node, alias) and line not in there.values():
                return f"'{line}' is not allowed; importable are {', '.join(sorted(IMPORTABLE))}"
    return ""


def _import_of(node: Import, alias: ast.alias) -> str:
    """Return the import of one of a statement's names alone."""
    alone = ast.Import([alias]) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, [alias], node.level)
    return ast.unparse(alone)


def _is_importable(node: Import, alias: ast.alias) -> bool:
    if isinstance(node, ast.Import):
        return alias.name.split(".")[0] in IMPORTABLE
    return not node.level and alias.name != "*" and (node.module or "").split(".")[0] in IMPORTABLE


def _body_problem(tree: ast.Module) -> str:
    """Return what a function may not do: keep something in memory, or reach behind the module; "" when it does not."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            return "global and nonlocal are not allowed: a call leaves nothing behind in memory"
        if isinstance(node, ast.Name) and node.id in REFUSED_NAMES:
            return f"{node.id} is not allowed"
        if isinstance(node, ast.Attribute) and node.attr.startswith("__"):
            return f"{node.attr} is not allowed"
    return ""
