import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossary.comparison.rewording import changed_words, diff_words

TEXTS = st.text(alphabet="ab c\n", max_size=30)


@pytest.mark.parametrize(
    ("left", "right", "gone", "new"),
    [
        ("Ein Lotse zahlt zwei Öl.", "Ein Lotse zahlt drei Öl.", ("zwei",), ("drei",)),
        ("Ein Lotse zahlt.", "Ein nasser Lotse zahlt.", (), ("nasser",)),
        ("Der Anker hält fest.", "Der Anker hält.", ("fest.",), ()),
        ('• Der "Anker" hält.', "der „Anker“ hält", (), ()),
        ("Zahle ★ und", "Zahle ☆ und", ("★",), ("☆",)),
        ("Anker werfen", "Anker\n werfen", (), ()),
        ("", "Neu hier", (), ("Neu hier",)),
        ("eins zwei drei vier", "null zwei drei fünf", ("eins", "vier"), ("null", "fünf")),
    ],
)
def test_the_changed_words_are_named(left, right, gone, new):
    assert changed_words(left, right) == (gone, new)


def test_marks_stand_on_the_words_and_not_on_the_white_space_around_them():
    left, right = diff_words("Wirf\n den Anker aus", "Wirf\n die Ketten aus")
    assert [(run.text, run.changed) for run in left] == [
        ("Wirf\n ", False),
        ("den Anker", True),
        (" aus", False),
    ]
    assert [(run.text, run.changed) for run in right] == [
        ("Wirf\n ", False),
        ("die Ketten", True),
        (" aus", False),
    ]


@given(TEXTS, TEXTS)
def test_no_character_of_either_text_is_lost_and_the_rest_is_the_same(left, right):
    here, there = diff_words(left, right)
    assert "".join(run.text for run in here) == left
    assert "".join(run.text for run in there) == right
    kept = [
        [word for run in runs if not run.changed for word in run.text.split()]
        for runs in (here, there)
    ]
    assert kept[0] == kept[1]
