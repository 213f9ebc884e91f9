"""NOUNS: the pydantic contracts between stages, the settings, and nothing that does work."""
