"""The arena: policies act in worlds, and what they did is judged and compared."""
