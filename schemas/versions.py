"""Code versions of the stages, by hand: raise one when the stage's output for equal input changes.

They are part of each stage's cache key (`TASK_SOURCE` sees only the thin wrapper).
"""

CODE_VERSION = "1"
"""Written on every stored row."""

DISCOVER = "4"
MINE = "3"
BUILD_TOOLS = "4"
COMPLEXIFY = "2"
SYNTHESIZE = "5"
PROMPTS = "2"
"""Of the llm author: its prompts, and what it makes of the answers."""
