"""The tool module of an environment: which tools, their schemas, and the templates of their source."""
