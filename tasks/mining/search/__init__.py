"""Search: where pages and files about a topic may be, behind one protocol."""
