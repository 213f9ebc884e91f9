"""Unit tests of tools; expected values by polars (oracle.py) and by bookkeeping (ledger.py), never by the tools."""
