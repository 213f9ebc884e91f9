"""The English reader: a request's words → a plan, by recursive descent over its clauses."""
