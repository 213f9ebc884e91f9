"""English: phrases for values and rows, sentences for passes and deeds, and the announcement of the answer."""
