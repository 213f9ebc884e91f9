"""The coder: tools that a model designs and writes, tests of them by another call, and edges that a model labels."""
