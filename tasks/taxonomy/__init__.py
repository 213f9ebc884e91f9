"""Taxonomy: what class a theme belongs to, learnt from the names' own words and from labelled examples."""
