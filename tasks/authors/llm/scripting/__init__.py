"""A model's Python script in the sandbox, over files that it is given."""
