"""Lowering: a plan becomes a program over tools, with no call that a smarter solver would not make."""
