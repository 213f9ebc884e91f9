"""Task drafts by the rules author: graph.py draws walks, programmatic.py draws program shapes."""
