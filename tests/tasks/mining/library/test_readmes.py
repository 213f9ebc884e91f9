"""A README gives title, description and words as plain text of bounded length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.mining.library.readmes import LONGEST_DESCRIPTION, LONGEST_TITLE, read_readme, shorten


def read(tmp_path, text: str | bytes):
    path = tmp_path / "README.md"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_readme(path)


def test_markup_front_matter_and_badges_are_no_words(tmp_path):
    readme = read(
        tmp_path,
        "---\nfiles:\n  - https://example.org/a.csv\n---\n<!-- draft -->\n# **Foul** `balls`\n\n"
        "[![build](https://example.org/x.svg)](https://example.org)\n\n"
        "All foul balls of [one season](https://example.org), seen from *behind*\nthe plate.\n\nMore.\n",
    )
    assert readme.title == "Foul balls"
    assert readme.description == "All foul balls of one season, seen from behind the plate."


def test_a_paragraph_that_announces_a_list_takes_it_along(tmp_path):
    readme = read(
        tmp_path, "# A\n\nData behind the stories:\n\n* [One](x).\n* Two\n\nOther text that is long enough.\n"
    )
    assert readme.description == "Data behind the stories: One; Two"


def test_plain_text_with_an_underlined_heading(tmp_path):
    readme = read(tmp_path, b"\xef\xbb\xbfStations\r\n========\r\n\r\nEvery station of the line, with caf\xe9s.\r\n")
    assert (readme.title, readme.description) == ("Stations", "Every station of the line, with caf\ufffds.")


def test_columns_are_told_by_tables_and_lists(tmp_path):
    readme = read(
        tmp_path,
        "# A\n\nHeader | Definition\n---|---\n`made` | Year of release\n`b|` | x\n\n"
        "Value | Count\n---|---\n5 | many\n\n- `wins`: games won\n- other: nothing\n",
    )
    assert readme.meanings["made"] == "Year of release"
    assert readme.meanings["wins"] == "games won"
    assert not {"5", "other"} & set(readme.meanings)


@pytest.mark.parametrize("text", ["", "\n\n", "# ", "![x](y)", "\x00\x00", "---\n", "| a |\n|---|\n", "Short."])
def test_a_page_that_says_nothing_gives_nothing(tmp_path, text):
    readme = read(tmp_path, text)
    assert (readme.title, readme.description) == (None, None)


def test_long_texts_end_behind_a_sentence_or_a_word(tmp_path):
    readme = read(tmp_path, f"# {'long ' * 50}\n\n{'This is a sentence. ' * 50}\n")
    assert readme.title is not None and len(readme.title) <= LONGEST_TITLE and readme.title.endswith("long…")
    assert readme.description is not None and len(readme.description) <= LONGEST_DESCRIPTION
    assert readme.description.endswith("sentence.")


@given(st.text(max_size=300), st.integers(10, 200))
def test_shortened_text_fits_and_starts_alike(text, most):
    short = shorten(text, most)
    assert len(short) <= most
    assert text.startswith(short.removesuffix("…") if len(text) > most else short)
