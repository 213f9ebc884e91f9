"""The other ways to run tools, as the field does it, on the same rollouts.

Each gets what is cheapest for it: SQLite without a flush to the disk, as our sessions have it; a
difference computed without another process; threads or processes up to the number of cores. They
isolate nothing, so they run the benchmark's own tools only, in processes of their own.
"""
