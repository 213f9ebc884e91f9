"""The round trip's second half: a request's plan, read from its words and the tools' public schemas, and worked out by calls."""
