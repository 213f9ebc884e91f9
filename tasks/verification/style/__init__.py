"""The style of requests: how many orders they give, how many clauses they have, and how their sentences are built."""
