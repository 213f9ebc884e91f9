"""The tables and tools that a program is written over hang together, and fit into a prompt."""

from __future__ import annotations

import random

from tasks.authors.llm.writer.briefing import MOST_TABLES, MOST_TOOLS, brief, signature
from tests.tasks.proving_ground import ProvingGround


def test_tables_hang_together_and_something_can_be_changed(records: ProvingGround) -> None:
    profile = records.environment.profile
    changing = {tool.name for tool in records.tools if not tool.read_only}
    for seed in range(8):
        told = brief(records.setting, random.Random(seed))
        names = [line.partition(" ")[0] for line in told.tables]
        assert 1 < len(names) <= MOST_TABLES and len(told.tools) <= MOST_TOOLS
        for place, name in enumerate(names[1:], 1):
            earlier = set(names[:place])
            linked = {foreign.to_table for foreign in profile.table(name).foreign_keys}
            linked |= {child.name for child, _ in profile.children(name)}
            assert linked & earlier
        assert {line.partition("(")[0] for line in told.tools} & changing


def test_a_signature_tells_parameters_and_results(records: ProvingGround) -> None:
    tools = {tool.name: tool for tool in records.tools}
    assert signature(tools["create_purchase_order"]).startswith(
        "create_purchase_order(album_id: integer, quantity: integer) -> {order_id: integer, "
    )
    search = signature(tools["search_purchase_orders"])
    assert "limit?: integer" in search and '"draft"' in search and "-> {items: [{order_id: integer, " in search
