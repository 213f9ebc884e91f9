"""Plans in Chinese: terms of the world, mentions of rows, what is to be done, and what is to be reported."""
