"""Borrowing: real rows of installed packages, for entities whose own data nobody ships."""
