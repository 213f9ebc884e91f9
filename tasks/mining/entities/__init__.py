"""Entities: rows for themes whose documents name things and no data: mined, borrowed from real data, or simulated."""
