"""Reading: a file of any format becomes tables of text, each repair and each lost row told."""
