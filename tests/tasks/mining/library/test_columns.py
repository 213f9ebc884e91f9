"""What discovery says of a table's columns is what mining finds there."""

import polars as pl

from tasks.mining.library.columns import certain_names, words_for
from tasks.mining.library.digests import digest_table


def table(**columns):
    frame = pl.DataFrame({name: [str(value) for value in values] for name, values in columns.items()})
    return digest_table(None, frame, frame.height)


def test_names_are_those_of_mining_or_none():
    digest = table(**{"State Name": ["Ohio", "Iowa"], "Price (USD)": [1, 2], "Price": [3, 4]})
    names = certain_names(digest, "sales")
    assert names["State Name"] == "state_name"
    assert "Price" not in names, "a unit taken out of the other header would take its name"


def test_short_nouns_of_a_readme_become_words():
    digest = table(title=["a", "b"], made=[1, 2], seen=[3, 4], price=[5, 6], site=["c", "d"], dup=[7, 8])
    meanings = {
        "title": "Title of the film.",
        "made": "Whether it was made",
        "seen": "The number of people who have seen it, in thousands, by 2014",
        "price": "price",
        "site": "URL from IMDB",
        "dup": "title of the film",
        "Title": "Another",
    }
    assert words_for(digest, "films", meanings) == {"title": "title of the film", "site": "URL from IMDB"}
