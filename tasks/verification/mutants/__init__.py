"""Mutants: attempts that are wrong by construction. A task is trusted only if its verifier fails all of them."""
