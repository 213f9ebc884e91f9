"""Similarity of texts: their shingles, and an index of which of many sets another one may equal."""
