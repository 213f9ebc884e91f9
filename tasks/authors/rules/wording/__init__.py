"""Wording: a plan said in a language, as somebody would who wants it done."""
