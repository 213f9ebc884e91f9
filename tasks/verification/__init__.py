"""The gates: what an author proposes is executed, replayed and mutated here before it is admitted."""
