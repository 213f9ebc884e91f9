"""Passes in Chinese: what is gone through, which rows meet what, and what happens with them."""

from __future__ import annotations

from schemas.plans import Branch, Entries, Pass
from tasks.authors.rules.wording.chinese import terms, values
from tasks.authors.rules.wording.chinese.acts import DEMANDED, MODALS, Acts
from tasks.authors.rules.wording.chinese.mentions import Mentions
from tasks.authors.rules.wording.chinese.sources import render_source


class Passage:
    """One pass in words; the report takes its rows up again by what happened to them."""

    def __init__(self, each: Pass, mentions: Mentions, batch: str) -> None:
        self._pass, self._mentions, self.batch = each, mentions, batch
        self.acts = Acts(mentions, each.source)
        table = mentions.vocabulary.table(each.source.table)
        self.noun, self.one = terms.noun(table), terms.measure_word(table)
        listed = isinstance(each.source, Entries) and each.source.column != table.label
        self._rows, self.counted = ("条目", "条") if listed else (self.noun, self.one)
        self._modal = mentions.rng.choice(MODALS)

    @property
    def writes(self) -> bool:
        """Say whether the pass changes anything."""
        return any(branch.acts for branch in self._pass.branches)

    def text(self) -> str:
        """Return the sentences that ask for the pass."""
        source, rng = render_source(self._pass.source, self._mentions), self._mentions.rng
        if self.batch:
            head = rng.choice((f"{self.batch}是{source}", f"{self.batch}：{source}", f"{self.batch}指{source}"))
        else:
            head = rng.choice(
                (
                    f"这次涉及的是{source}",
                    f"{source}是这次的对象",
                    f"范围是{source}",
                    f"请看{source}",
                    f"说的是{source}",
                )
            )
        return (
            f"{head}。{self._whole() if self._pass.whole else self._spread() if self._pass.demand else self._cases()}"
        )

    # --- kinds of passes ------------------------------------------------------------------

    def _cases(self) -> str:
        branches = self._pass.branches
        if not self.writes:
            return self._only_noted(branches[0])
        parts = [self._case(at, branch) for at, branch in enumerate(branches)]
        if branches[-1].when or branches[-1].attempt:
            parts.append(self._rest(branches[-1]))
        return "；".join(parts) + "。"

    def _case(self, at: int, branch: Branch) -> str:
        rng, before = self._mentions.rng, self._pass.branches[at - 1] if at else None
        if branch.when:
            rest = rng.choice(("剩下的当中，", "其余的里面，")) if at else ""
            who = rest + rng.choice(("凡{}的，", "{}的，", "如果{}，", "遇到{}的，")).format(
                self.acts.conditions(branch.when)
            )
        elif before is None:
            who = rng.choice((f"每一{self.one}都", f"逐{self.one}来看，"))
        elif before.attempt:
            who = rng.choice(("办不成的", "被系统拒绝的")) if not before.when else "不符合条件或者办不成的"
        else:
            who = rng.choice(("其余的", "剩下的", "除此之外的"))
        if not branch.acts:
            return f"{who}不作改动"
        return (
            f"{who}{self.acts.wish(branch.acts, rng.choice(('先尝试', '先试着')) if branch.attempt else self._modal)}"
        )

    def _rest(self, last: Branch) -> str:
        rng = self._mentions.rng
        who = rng.choice(("其余的", "其他的", "剩下的", "不在此列的", "除此之外的")) + rng.choice(("", self.noun))
        unchanged = rng.choice(("都不动", "保持原样", "不作任何改动", "一律不变", "不必处理", "维持现状", "原样保留"))
        return f"办不成的和{who}{unchanged}" if last.attempt else f"{who}{unchanged}"

    def _only_noted(self, branch: Branch) -> str:
        holds, rng = self.acts.conditions(branch.when), self._mentions.rng
        ways = (
            "要挑出的是其中{}的，无须改动记录。",
            "我们关心其中{}的，什么都不用改。",
            "其中{}的算作符合条件。",
            "只统计，不修改：符合条件指{}。",
        )
        return rng.choice(ways).format(holds) if holds else rng.choice(("全部都算。", "一个也不漏地计入。"))

    def _whole(self) -> str:
        branch, rng = self._pass.branches[0], self._mentions.rng
        holds, wish = self.acts.conditions(branch.when), self.acts.wish(branch.acts, "")
        ways = (
            f"只有当{holds}对每一{self.one}都成立时，才全部{wish}；只要有一{self.one}例外，就一{self.one}也不动。",
            f"先看是否每一{self.one}都符合这一点：{holds}。都符合的话，逐{self.one}{wish}；有一{self.one}不符合，则一切照旧。",
            f"这件事要么全做、要么全不做：{holds}，每一{self.one}都如此才全部{wish}，否则什么都不改。",
            f"条件为{holds}。只要有一{self.one}不符合，就什么也不做；全部符合时，每{self.one}都{self._modal}{wish}。",
        )
        return rng.choice(ways)

    def _spread(self) -> str:
        demand, branch = self._pass.demand, self._pass.branches[0]
        assert demand is not None
        rng, left, wish = self._mentions.rng, self.acts.look(demand.left), self.acts.wish(branch.acts, "")
        total = rng.choice(("一共要落实{}", "需要凑足的总数是{}", "目标总量为{}", "合计须达到{}")).format(demand.amount)
        way = rng.choice(("按上述顺序逐{}", "依次就每一{}", "照此次序逐{}")).format(self.one)
        limits = (f"{DEMANDED}取{left}与尚缺数量中较小的那个", f"{DEMANDED}以{left}为限且不超过还缺的数量")
        without = rng.choice(("没有余量的略过", f"{left.removeprefix('其')}为零的跳过", "已无余量的不算"))
        return f"{total}，{way}{wish}，{rng.choice(limits)}；{without}，{rng.choice(('凑满为止', '够数即止', '直到凑齐'))}。"

    # --- taken up again -------------------------------------------------------------------

    def taken(self, branch: int) -> str:
        """Mention the rows that a branch took, or those that none took."""
        rng, noun, branches = self._mentions.rng, self._rows, self._pass.branches
        batch = f"{self.batch}中" if self.batch else ""
        if branch == len(branches):
            ways = ["不符合条件的"] if self._pass.whole or not self.writes else ["没有处理的", "保持原样的"]
        elif self._pass.demand:
            ways = ["分到数量的"]
        elif len(branches) == 1 and branches[0].attempt:
            ways = ["真正办成的", "没有被拒绝的"]
        elif len(branches) == 1:
            ways = ["符合条件的", "满足条件的"] if branches[0].when else ["全部"]
        else:
            ways = self._told_apart(branch)
        return f"{batch}{rng.choice(ways)}{noun}"

    def _told_apart(self, branch: int) -> list[str]:
        branches = self._pass.branches
        named = [self.acts.short(each.acts) for each in branches]
        told = named[branch]
        if told and named.count(told) == 1:
            return [f"{told}的"]
        order = values.place(branch) or "第一"
        return [f"按{order}种情形处理的"] if len(branches) > 2 else [f"按{'后' if branch else '前'}一种办法处理的"]
