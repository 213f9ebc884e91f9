"""The licence of a folder is the nearest one stated, up to the root."""

import pytest

from tasks.mining.library.folders import walk_library
from tasks.mining.library.licences import known_licence, licences_of
from tasks.mining.library.readmes import read_readme

ROWS = "a,b\n1,2\n"


def licence(root, path: str) -> str:
    folders = walk_library(root)
    texts = {f.path: read_readme(root / f.readme).text for f in folders.values() if f.readme}
    return licences_of(folders, root, texts)[path]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The MIT License (MIT)\n\nCopyright (c) 2016 A", "MIT"),
        ("Chinook\n---\nPermission is hereby\ngranted, free of charge, to any person obtaining a copy", "MIT"),
        ("Attribution 4.0 International\n=====\nCreative Commons is not a law firm", "CC BY 4.0"),
        ("Attribution-ShareAlike 3.0 Unported", "CC BY-SA 3.0"),
        ("Attribution-NonCommercial-ShareAlike 4.0 International", "CC BY-NC-SA 4.0"),
        ("Creative Commons Legal Code\n\nCC0 1.0 Universal", "CC0 1.0"),
        ("                                 Apache License\n                           Version 2.0", "Apache-2.0"),
        ("GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June 2007", "GPL-3.0"),
        ("Open Database License (ODbL) v1.0", "ODbL 1.0"),
        ("\n\n== Terms of the county ==\nAsk first.", "Terms of the county"),
    ],
)
def test_a_licence_file_is_known_or_told_by_its_first_line(plant, text, name):
    assert licence(plant({"a/rows.csv": ROWS, "a/LICENSE": text}), "a") == name


def test_the_nearest_statement_counts(plant):
    root = plant(
        {
            "LICENSE": "MIT License",
            "a/b/rows.csv": ROWS,
            "a/README.md": "# A\n\n## License\n\nCC BY-SA 4.0, see the web.\n",
            "c/rows.csv": ROWS,
            "c/README.md": "We drive with licences in Massachusetts, where the MIT is.",
        }
    )
    assert licence(root, "a/b") == "CC BY-SA 4.0"
    assert licence(root, "c") == "MIT"


def test_nothing_stated_is_unknown(plant):
    assert licence(plant({"a/rows.csv": ROWS, "a/README.md": "# Rows\n\nRows of the MIT."}), "a") == "unknown"


def test_no_licence_is_guessed_from_other_text():
    assert known_licence("data for fun mit Liebe") is None
