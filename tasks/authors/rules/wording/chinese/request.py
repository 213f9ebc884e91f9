"""A plan in Chinese: an opening, what is wanted, and what is to be reported, in one register."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from schemas.plans import Deed, Look, Plan, Total
from tasks.authors.rules.wording.chinese import terms, values
from tasks.authors.rules.wording.chinese.acts import MODALS, Acts
from tasks.authors.rules.wording.chinese.answers import Answers
from tasks.authors.rules.wording.chinese.mentions import Mentions
from tasks.authors.rules.wording.chinese.passes import Passage
from tasks.authors.rules.wording.vocabulary import Vocabulary
from tasks.authors.rules.wording.worded import Worded

_VOICES = Path(__file__).with_name("voices.toml")
_REGISTERS = ("letter", "colleague", "chat", "ticket")
_BATCHES = ("第一批", "第二批", "第三批", "第四批", "第五批", "第六批")
_FIELDS = (
    "“{name}”——{what}{form}",
    "“{name}”：{what}{form}",
    "用“{name}”给出{what}{form}",
    "{what}记在“{name}”下{form}",
    "“{name}”填{what}{form}",
    "{what}写入“{name}”{form}",
)
_LINES = (
    "\n- “{name}”：{what}{form}",
    "\n- “{name}”——{what}{form}",
    "\n- {what}{form}：“{name}”",
    "\n· {what}{form}，键为“{name}”",
)
FEWEST_LINES, LISTED = 3, 0.4
"""Fields from which they may stand in lines, and the share of requests where they do."""


def word(plan: Plan, vocabulary: Vocabulary, rng: random.Random) -> Worded:
    """Word a plan in Chinese. Raises NoWords where there are none for something in it."""
    mentions, register = Mentions(plan, vocabulary, rng), rng.choice(_REGISTERS)
    rows = _subject(plan, mentions)
    purpose = rng.choice(_voices()["purposes"][plan.purpose]).format(rows=rows)
    opening = str(rng.choice(_voices()["openings"][register])).format(purpose=purpose)
    batches = _BATCHES if len(plan.passes) > 1 else ("",)
    passages = [Passage(each, mentions, batch) for each, batch in zip(plan.passes, batches, strict=False)]
    wanted = [mentions.introduce_moving()]
    wanted += [_introduced(mentions, passage.text()) for passage in passages]
    wanted += [_introduced(mentions, said) for said in _deeds(plan.deeds, mentions, register)]
    answers = Answers(mentions, passages)
    descriptions = {asked.name: answers.describe(asked) for asked in plan.asked}
    report = _introduced(mentions, _report(plan, answers, descriptions, _voices()["heads"][register], rng))
    joint = rng.choice(("", "\n", "\n\n"))
    return Worded(joint.join(part for part in (opening, *wanted, report) if part), descriptions)


def _subject(plan: Plan, mentions: Mentions) -> str:
    """Name what the request is mostly about."""
    tables = [each.source.table for each in plan.passes] or [each.table for each in plan.things]
    tables += [each.figure.table for each in plan.asked if isinstance(each.figure, Total)]
    return terms.noun(mentions.vocabulary.table(tables[0])) if tables else "记录"


def _introduced(mentions: Mentions, said: str) -> str:
    """Put the sentences that introduce things in front of the sentence that uses them."""
    return mentions.introductions() + said


def _deeds(deeds: tuple[Deed, ...], mentions: Mentions, register: str) -> Iterator[str]:
    rng = mentions.rng
    plain = [Acts(mentions).wish((deed.act,), rng.choice(MODALS)) for deed in deeds if not deed.attempt]
    if len(plain) > 2 or (len(plain) == 2 and rng.random() < 0.5):
        head = rng.choice(("需要办的有：", "要落实的事项是：", "以下几件事要办：", "待办："))
        yield f"{head}{'；'.join(plain)}。"
    else:
        for at, said in enumerate(plain):
            yield f"{rng.choice(('另外，', '此外，', '还有，', '同时，')) if at else ''}{said}。"
    for deed in deeds:
        if deed.attempt:
            said = Acts(mentions).wish((deed.act,), "")
            yield str(rng.choice(_voices()["attempts"][register])).format(deed=said)


def _report(
    plan: Plan, answers: Answers, descriptions: dict[str, str], heads: Sequence[str], rng: random.Random
) -> str:
    said = [(each.name, descriptions[each.name], _bracketed(answers.form(each))) for each in plan.asked]
    rows = _subject(plan, answers.mentions)
    if len(said) >= FEWEST_LINES and rng.random() < LISTED:
        line, head = rng.choice(_LINES), rng.choice([head for head in heads if "{rows}" in head])
        lines = "".join(line.format(name=name, what=what, form=form) for name, what, form in said)
        opened = head.format(rows=rows) + rng.choice(("：", "，键如下：", "，内容是："))
        return f"{opened}{lines}\n{_moment(plan, rng)}".strip()
    way, end = rng.choice(_FIELDS), rng.choice(("；", "。"))
    fields = end.join(way.format(name=name, what=what, form=form) for name, what, form in said)
    opened = rng.choice(heads).format(rows=rows) + rng.choice(("：", "，键如下：", "，其中：", "，内容是："))
    return f"{opened}{fields}。{_moment(plan, rng)}"


def _bracketed(form: str) -> str:
    return f"（{form}）" if form else ""


def _moment(plan: Plan, rng: random.Random) -> str:
    """Say of which fields the plan's own acts might change the value, and that they are read after them."""
    acts = bool(plan.deeds) or any(branch.acts for each in plan.passes for branch in each.branches)
    keys = [f"“{each.name}”" for each in plan.asked if isinstance(each.figure, Look | Total)]
    if not acts or not keys:
        return ""
    what = rng.choice(("全部", "一切", "各事项", "各项改动"))
    when = what + rng.choice(("办完", "落实", "处理完")) + rng.choice(("之后", "以后", "后"))
    named = "所有字段" if len(keys) == len(plan.asked) else values.listed(keys)
    way = rng.choice(("{keys}以{when}的为准", "{keys}取{when}的值", "{keys}要填{when}的数据", "{when}再读取{keys}"))
    return way.format(keys=named, when=when) + "。"


@cache
def _voices() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_VOICES.read_text("utf-8"))
