"""From operations as data to tools: their specs and their Python source."""
