"""Relations: what identifies a row, names it, and links it to others."""
