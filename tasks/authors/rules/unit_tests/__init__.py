"""Unit tests of tools; expected values by polars (oracle.py) and an interpreter (interpreter.py), never by the tools."""
