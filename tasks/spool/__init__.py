"""The spool: what must be durable at once, in one SQLite file of a home, until the warehouse holds it."""
