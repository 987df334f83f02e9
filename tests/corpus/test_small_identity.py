"""What small documents are: title, version, date and game."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus import Document, identify

SMALL = Path(__file__).parent / "small"


def small(name: str) -> Document:
    return Document.from_bytes(name, (SMALL / name).read_bytes())


@pytest.mark.parametrize(
    ("name", "version", "date"),
    [
        ("fassung.md", "2.1", ""),
        ("stand.md", "2.1", "2025-03-01"),
        ("ganzlizenz.txt", "", ""),  # the version is that of its licence
    ],
)
def test_the_version_and_the_date_are_those_of_the_document(
    name: str, version: str, date: str
) -> None:
    edition = identify(small(name))
    assert (edition.version, edition.effective) == (version, date)
