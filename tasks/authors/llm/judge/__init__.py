"""The judge: a model that decides what no code can, once it is known how often it is right."""
