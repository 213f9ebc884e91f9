"""Values, numbers and comparisons as Chinese sentences state them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from schemas.plans import Comparator
from schemas.profiles import ColumnProfile
from tasks.authors.rules.drafts import words
from tasks.authors.rules.wording.chinese import terms

_DIGITS = "零一二三四五六七八九十"
_AMOUNTS: dict[Comparator, tuple[str, ...]] = {
    "is": ("等于{}", "为{}", "正好是{}"),
    "is_not": ("不等于{}", "不为{}", "不是{}"),
    "at_least": ("不低于{}", "至少为{}", "不小于{}"),
    "at_most": ("不超过{}", "至多为{}", "不大于{}"),
    "above": ("超过{}", "大于{}"),
    "below": ("低于{}", "不到{}", "小于{}"),
}
_TIMES: dict[Comparator, tuple[str, ...]] = {
    "is": ("为{}", "正是{}"),
    "is_not": ("不是{}", "不为{}"),
    "at_least": ("不早于{}", "在{}或之后"),
    "at_most": ("不晚于{}", "在{}或之前"),
    "above": ("晚于{}", "在{}之后（不含）"),
    "below": ("早于{}", "在{}之前（不含）"),
}
_TEXTS: dict[Comparator, tuple[str, ...]] = {
    "is": ("为{}", "是{}"),
    "is_not": ("不为{}", "不是{}"),
}

_POLES = (
    (("读数",), ("低", "高")),
    (("时长", "片长", "飞行时间", "工时", "航程"), ("短", "长")),
    (("名次", "序号", "序数", "周期", "级别", "面积", "大小", "半径", "容量"), ("小", "大")),
    (("数", "数量", "金额", "余额", "人口", "次数", "名额", "席位", "空间"), ("少", "多")),
)
"""Adjectives for the least and the most, by how a column's name ends; low and high otherwise."""


def number(count: int) -> str:
    """Write a count in Chinese numerals up to 99: 十二, and 两 before a measure word."""
    if not 0 < count < 100:
        return str(count)
    if count == 2:
        return "两"
    tens, ones = divmod(count, 10)
    head = "" if tens == 0 else "十" if tens == 1 else f"{_DIGITS[tens]}十"
    return head + (_DIGITS[ones] if ones else "")


def place(rank: int) -> str:
    """Write a place in a ranking, from 0: 第二, and nothing for the first."""
    return "" if rank == 0 else f"第{number(rank + 1).replace('两', '二')}"


def value(said: Any, column: ColumnProfile | None = None) -> str:
    """Write a constant: texts in quotes, numbers with their unit, times as they are stored but for the T."""
    if column is not None and column.type == "boolean":
        return "“是”" if said else "“否”"
    if column is not None and (column.role == "time" or column.type in ("date", "datetime")):
        return words.render_value(said)
    if isinstance(said, str):
        return f"“{said}”"
    return words.render_value(said) + terms.unit(column.unit if column else None)


def compared(column: ColumnProfile, comparator: Comparator, said: str, rng: random.Random) -> str:
    """Write what holds of a column, behind its name: 不低于 500英里."""
    ways = _TIMES if column.role == "time" else _AMOUNTS if column.role == "measure" else _TEXTS
    return rng.choice(ways.get(comparator) or _AMOUNTS[comparator]).format(said)


def extreme(column: ColumnProfile, descending: bool) -> str:
    """Return 最高/最低, 最晚/最早, 最多/最少 or what else fits the column."""
    return f"最{_poles(column)[descending]}"


def direction(column: ColumnProfile, descending: bool, rng: random.Random) -> str:
    """Say in which order rows come: 按开立时间从早到晚."""
    low, high = _poles(column)
    first, last = (high, low) if descending else (low, high)
    return f"按{terms.column(column)}" + rng.choice((f"从{first}到{last}", f"由{first}到{last}"))


def _poles(column: ColumnProfile) -> tuple[str, str]:
    """Return the adjectives for the least and the most of a column."""
    if column.role == "time":
        return "早", "晚"
    name = terms.column(column)
    return next((poles for ends, poles in _POLES if name.endswith(ends)), ("低", "高"))


def listed(parts: Sequence[str]) -> str:
    """Write “甲”、“乙”和“丙”."""
    return parts[0] if len(parts) == 1 else f"{'、'.join(parts[:-1])}和{parts[-1]}"
