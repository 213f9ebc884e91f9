"""What an environment's things, columns, units and actions are called in Chinese, by the words of its profile."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Tool
from tasks.authors.rules.wording.worded import NoWords

_FOLDER = Path(__file__).parent
_PARTS = {"number": "编号", "code": "代码", "name": "名称", "title": "标题", "status": "状态"}
"""Last words of columns that are made of a thing's noun: 'booking status'."""


@cache
def _read(name: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((_FOLDER / name).read_text("utf-8"))


def noun(table: TableProfile) -> str:
    """Return what a row of a table is called; the English noun in quotes where Chinese has none here."""
    return _thing(table.singular) or f"“{table.singular}”"


def measure_word(table: TableProfile) -> str:
    """Return the word that counts rows of a table: 五*张*工单."""
    found = _read("terms.toml")["things"].get(table.singular, ())
    return str(found[1]) if len(found) > 1 else "个"


def column(profile: ColumnProfile) -> str:
    """Return what a column or figure is called: 起飞延误; its English words in quotes where nothing covers them."""
    return _words(profile.words) or f"“{profile.words}”"


def part(name: str, of: str) -> str:
    """Return a column's name as it stands behind the noun whose part it is: 评分人的名称, not 评分人的评分人名称."""
    rest = name.removeprefix(of)
    return rest if rest in _PARTS.values() else name


def role(words: str) -> str:
    """Return what a reference leads to: 目的地机场."""
    return _words(words) or f"“{words}”"


def unit(words: str | None) -> str:
    """Return a unit as it stands behind a number: 英里; in quotes where it has no Chinese name here."""
    if words is None:
        return ""
    return str(_read("terms.toml")["units"].get(words, f" “{words}”"))


def row_actions(tool: Tool) -> list[str]:
    """Return the ways to say what happens to the row that a tool changes: none when it is said as a deed."""
    return _patterns("rows", tool)


def deeds(tool: Tool) -> list[str]:
    """Return the ways to ask for an action as a whole clause. Raises NoWords where there is none."""
    found = _patterns("deeds", tool)
    if not found:
        raise NoWords(f"no Chinese words for {tool.name}")
    return found


def _patterns(kind: str, tool: Tool) -> list[str]:
    found = _read("actions.toml")[kind].get(tool.intent.get("action", tool.name), ())
    return [pattern.replace("{host}", f"{{{tool.intent.get('host_key')}}}") for pattern in found]


def refusal(code: str) -> str:
    """Return why a tool refuses, by its code. Raises NoWords for a code that has no words."""
    found = _read("actions.toml")["refusals"].get(code)
    if found is None:
        raise NoWords(f"no Chinese words for the refusal {code}")
    return str(found)


def _thing(words: str) -> str | None:
    found = _read("terms.toml")["things"].get(words)
    if found:
        return str(found[0])
    if words.endswith(" status change"):
        return _joined(_thing(words.removesuffix(" status change")), "状态变更")
    if words.endswith(" pair"):
        one, _, other = words.removesuffix(" pair").partition(" and ")
        ends = _words(one), _words(other)
        return f"{ends[0]}与{ends[1]}组合" if all(ends) else None
    return None


def _words(words: str) -> str | None:
    found = _read("terms.toml")["words"].get(words) or _thing(words)
    if found:
        return str(found)
    stem, _, last = words.rpartition(" ")
    if last in _PARTS:
        return _joined(_words(stem), _PARTS[last])
    for start, end in (("number of ", "数量"), ("kind of ", "类型"), ("type of ", "类型")):
        if words.startswith(start):
            return _joined(_words(_singular(words.removeprefix(start))), end)
    one, joint, other = words.partition(" and ")
    ends = (_words(one), _words(other)) if joint else (None, None)
    return f"{ends[0]}与{ends[1]}" if all(ends) else None


def _joined(stem: str | None, end: str) -> str | None:
    return f"{stem}{end}" if stem else None


def _singular(words: str) -> str:
    return re.sub(r"s$", "", re.sub(r"ies$", "y", words))
