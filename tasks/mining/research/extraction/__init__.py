"""Extraction: the tables and records that one page holds, each row with its place on the page."""
