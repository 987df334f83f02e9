import pytest

from corpus.model import is_numbered, version_key


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("1.5", "1.7"),
        ("1.9", "1.10"),
        ("2", "2.0"),
        ("1.5", "2.0"),
        ("4.15", "4.15c"),
        ("4.15a", "4.15c"),
        ("4.15c", "4.16"),
        ("9", "10"),
        ("3. Juni 2023", "1. Mai 2024"),
        ("31.12.2023", "01.02.2024"),
        ("07/2022", "marzo 2023"),
        ("2023", "3 mars 2024"),
    ],
)
def test_numbers_compare_as_numbers_and_letters_follow_them(older, newer):
    assert version_key(older) < version_key(newer)


@pytest.mark.parametrize("version", ["online", "?", ""])
def test_a_version_without_a_number_is_newer_than_every_numbered_one(version):
    assert version_key(version) > version_key("999.9z")
    assert not is_numbered(version)
