"""Research: search, browse, extract, judge what is covered, and search again, without a model."""
