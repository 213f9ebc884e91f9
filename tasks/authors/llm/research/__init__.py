"""The research agent: searches, browses, reads and writes in its workspace, and cites a source for every table."""
