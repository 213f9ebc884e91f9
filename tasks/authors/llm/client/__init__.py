"""The client of the models: transport, structure, cache, budget and prices. Agents know tasks/authors/llm/model.py alone."""
