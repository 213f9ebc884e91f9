"""The llm author: agents that write by any OpenAI-compatible endpoint. Nothing a model says is believed."""
