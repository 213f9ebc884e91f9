"""The Chinese reader: a request's words → a plan, by patterns that account for every character."""
