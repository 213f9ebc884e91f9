"""What is reported, in Chinese: a description of each field, and the sentence that announces the answer's form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from schemas.answers import ValueType
from schemas.plans import Asked, Best, Difference, Entry, Figure, Group, Lead, Look, Needed, Outcome, Total
from tasks.authors.rules.wording.chinese import terms, values
from tasks.authors.rules.wording.chinese.mentions import Mentions, function_words
from tasks.authors.rules.wording.chinese.passes import Passage
from tasks.authors.rules.wording.vocabulary import plain_field
from tasks.authors.rules.wording.worded import NoWords

_TYPES: dict[ValueType, str] = {
    "integer": "整数",
    "number": "数值",
    "text": "文本",
    "date": "YYYY-MM-DD 格式的日期",
    "datetime": "YYYY-MM-DDTHH:MM:SS 格式的时间",
    "boolean": "true 或 false",
}
ASKED = 0.4
"""Share of counts that are asked for by 有多少."""
_ORDERED = ("按上述顺序排列", "顺序与处理顺序一致")
_ENTRY_FUNCTIONS = {"sum": "合计", "mean": "平均值", "min": "最小值", "max": "最大值", "count": "数量"}


class Answers:
    """Says what the fields of an answer hold, and how they are to be written."""

    def __init__(self, mentions: Mentions, passages: Sequence[Passage]) -> None:
        self.mentions, self._passages = mentions, passages

    def describe(self, asked: Asked) -> str:
        """Say what a field holds."""
        figure = asked.figure
        if isinstance(figure, Group) and figure.function == "count" and self.mentions.rng.random() < ASKED:
            passage = self._passages[figure.pass_]
            return f"{passage.taken(figure.branch)}有多少{passage.counted}"
        return self._figure(figure)

    def form(self, asked: Asked) -> str:
        """Say what of a field's form does not go without saying: 单位为美元，保留两位小数; mostly nothing."""
        parts = [self._kind(asked), self._order(asked)]
        if asked.unit:
            unit = terms.unit(asked.unit).strip("（）").removeprefix("个")
            parts.append(self.mentions.rng.choice((f"单位为{unit}", f"以{unit}计")))
        if asked.digits is not None:
            count = values.number(asked.digits) if asked.digits else "零"
            parts.append(self.mentions.rng.choice((f"精确到{count}位小数", f"四舍五入到{count}位小数")))
        return "，".join(part for part in parts if part)

    def _kind(self, asked: Asked) -> str:
        """Name the kind of what documents state, and the form of dates."""
        kind = asked.item_type if asked.type == "list" and asked.item_type else asked.type
        stated = isinstance(asked.figure, Group) and isinstance(asked.figure.look, Entry)
        return _TYPES[kind] if stated or kind in ("date", "datetime") else ""

    def _order(self, asked: Asked) -> str:
        if asked.type != "list":
            return ""
        return self.mentions.rng.choice(_ORDERED) if asked.ordered else "顺序不限"

    # --- figures --------------------------------------------------------------------------

    def _figure(self, figure: Figure) -> str:
        match figure:
            case Group():
                return self._group(figure)
            case Look():
                return self.mentions.look(figure, "")
            case Total():
                return self.mentions.total(figure, "")
            case Difference():
                return f"{self._figure(figure.left)}减去{self._figure(figure.right)}所得的差"
            case Lead():
                return self._lead(figure)
            case Needed():
                return f"{self._passages[figure.pass_].batch or '最后'}仍然没有凑到的数量"
            case Outcome():
                return self._outcome(figure)
        assert_never(figure)

    def _group(self, group: Group) -> str:
        passage = self._passages[group.pass_]
        rows = passage.taken(group.branch)
        if group.function == "count" or group.look is None:
            return f"{rows}的{self.mentions.rng.choice(('数量', '总数'))}"
        if isinstance(group.look, Entry):
            figure = f"文档所载“{plain_field(group.look.field)}”"
            return f"{rows}的{figure}" + (f"的{_ENTRY_FUNCTIONS[group.function]}" if group.function else "")
        look = self.mentions.look(group.look, passage.acts.table, "")
        if group.function is None:
            return f"{rows}各自的{look}"
        table = group.look.hops[-1].table if group.look.hops else passage.acts.table
        column = self.mentions.vocabulary.column(table, group.look.column)
        owner = look.removesuffix(terms.column(column))
        return f"{rows}的{owner}{function_words(group.function, column, self.mentions.rng)}"

    def _lead(self, lead: Lead) -> str:
        best = self.mentions.plan.things[lead.thing]
        if not isinstance(best, Best):
            raise NoWords("a lead is of a comparison")
        figure = self.mentions.total(best.by, self.mentions.thing(lead.thing))
        return f"{figure}与第二名之差" if lead.over_next else figure

    def _outcome(self, outcome: Outcome) -> str:
        words = []
        for code, word in outcome.words.items():
            if code == "done":
                why = "办成了" if outcome.deed is not None else "全部办理了"
            elif code == "not_all":
                why = "因有不符合条件的而没有办理"
            else:
                why = f"因{terms.refusal(code)}而没办成"
            words.append(f"{why}写“{word}”")
        batch = self._passages[outcome.pass_].batch if outcome.pass_ is not None else ""
        return f"{batch}办理的结果（{'，'.join(words)}）"
