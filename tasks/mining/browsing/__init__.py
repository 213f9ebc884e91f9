"""Browsing: pages of the web, retrieved with manners and within limits, by HTTP or in a real browser."""
