"""The tool graph of an environment: typed edges, and seeded walks over them (paper section 4)."""
