"""What a pass goes through, in Chinese: 开立时间最早的五张状态为“open”的工单."""

from __future__ import annotations

import re
from typing import Any, assert_never

from schemas.plans import Entries, Filter, Leaders, Named, Rows, Said, Saved, Source
from schemas.profiles import ColumnProfile
from tasks.authors.rules.wording.chinese import terms, values
from tasks.authors.rules.wording.chinese.mentions import Mentions
from tasks.authors.rules.wording.vocabulary import plain_field

_FIELD = ColumnProfile(name="field", type="text", role="text", nullable=True, distinct=2, words="field")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def render_source(source: Source, mentions: Mentions) -> str:
    """Mention the rows that a pass goes through, and the order in which it does."""
    table = mentions.vocabulary.table(source.table)
    noun, one = terms.noun(table), terms.measure_word(table)
    match source:
        case Rows():
            return _rows(source, mentions, one)
        case Named():
            count = values.number(len(source.names))
            quoted = values.listed([values.value(name) for name in source.names])
            return f"{quoted}这{count}{one}{noun}" if len(source.names) > 1 else f"{noun}{quoted}"
        case Leaders():
            return _leaders(source, mentions, noun, one)
        case Entries():
            return _entries(source, mentions, noun)
        case Saved():
            ways = (
                f"文档“{source.document}”中保存的查询“{source.name}”得出的{noun}",
                f"“{source.document}”里名为“{source.name}”的查询所查到的{noun}",
            )
            return mentions.rng.choice(ways)
    assert_never(source)


def _rows(source: Rows, mentions: Mentions, one: str) -> str:
    rows, rng = mentions.rows(source.table, source.filters), mentions.rng
    if source.order is None:
        return rng.choice(("全部", "所有")) + rows
    column = mentions.vocabulary.column(source.table, source.order.column)
    way = values.direction(column, source.order.descending, rng)
    if source.count is None:
        return f"全部{rows}（{way}逐一处理）"
    count = values.number(source.count)
    top = f"{terms.column(column)}{values.extreme(column, source.order.descending)}"
    ways = (
        f"{rows}中{top}的{count}{one}（{way}）",
        f"{rows}当中{way}排在前{count}位的" if source.filters else f"{way}排在前{count}位的{rows}",
        f"{rows}里{way}的前{count}{one}",
    )
    return rng.choice(ways)


def _leaders(source: Leaders, mentions: Mentions, noun: str, one: str) -> str:
    group = mentions.column(source.table, source.group)
    role = terms.role(mentions.vocabulary.reference(source.table, source.group))
    column = mentions.vocabulary.column(source.table, source.order.column)
    count = values.number(source.count)
    top = f"{terms.column(column)}{values.extreme(column, source.order.descending)}"
    figure = mentions.total(source.by, "")
    most, least = (mentions.top(source.by, descending=end) for end in (True, False))
    high, low = most.removeprefix("最"), least.removeprefix("最")
    ways = (
        f"按{group}分组、{figure}{most}的前{count}组里，每组中{top}的那{one}{noun}（按各组的这一数值从{high}到{low}）",
        f"{figure}由{high}到{low}排在前{count}位的{role}各自{top}的那{one}{noun}（按这一名次的顺序）",
    )
    return mentions.rng.choice(ways)


def _entries(source: Entries, mentions: Mentions, noun: str) -> str:
    table = mentions.vocabulary.table(source.table)
    is_row = source.column in (table.label, table.key)
    what = noun if is_row else mentions.column(source.table, source.column)
    one = terms.measure_word(table) if is_row else "个"
    kept = f"“{source.document}”"
    where = _where(source.where, mentions) if source.where else ""
    ways = (f"文档{kept}里{where}的各{what}条目", f"{kept}这份文档所列{where}的每{one}{what}")
    plain = (f"文档{kept}逐条所列的各{what}", f"{kept}这份文档列出的每{one}{what}")
    return mentions.rng.choice(ways if where else plain)


def _where(where: Filter, mentions: Mentions) -> str:
    column = _field(where.value.value if isinstance(where.value, Said) else None)
    shown = mentions.value(where.value, column)
    return f"“{plain_field(where.column)}”{values.compared(column, where.comparator, shown, mentions.rng)}"


def _field(said: Any) -> ColumnProfile:
    """Return what a document's field is like, by a value that it is compared with."""
    if isinstance(said, str):
        return _FIELD.model_copy(update={"role": "time", "type": "date"} if _DATE.match(said) else {})
    return _FIELD.model_copy(update={"role": "measure", "type": "number"})
