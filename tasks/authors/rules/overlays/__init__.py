"""Operational tables laid over mined ones: one module an archetype, and the rules that choose among them."""
