"""Labels: what a document is about and where it stands in the taxonomy, by a model, held to the document's own words."""
