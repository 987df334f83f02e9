import pytest

from corpus.torn_words import TornWords
from tests.corpus.reading import small


def test_words_torn_behind_a_ligature_are_shown_whole_and_kept_as_printed():
    passages = small("fligatur.md").passages
    assert passages[1].display == "Wer sich auf dem Fluss befindet, findet dort eine flache Insel."
    assert passages[1].text == "Wer sich auf dem Fluss befi ndet, fi ndet dort eine fl ache Insel."


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("L'uffi ciale defi nisce la fi ne del confl itto.", "L'ufficiale definisce la fine del conflitto."),
        ("Non sa perche ´ vince, ne ́ chi \ufb01nge; u ¨ber", "Non sa perché vince, né chi finge; über"),
    ],
)  # fmt: skip
def test_letters_are_put_together(printed, shown):
    assert TornWords(printed).whole(printed) == shown


@pytest.mark.parametrize(
    "text",
    [
        "I paragrafi seguenti valgono. Le figure sono fissate.",
        "Das Schiff entlädt hier, der Stoff liegt offen.",
        "The sci-fi saga has free Wi-Fi access to a fine file.",
        "Er ruft ´Stopp´ und die ´Runde´ endet.",
    ],
)
def test_words_that_end_with_a_ligature_stay(text):
    assert TornWords(text).whole(text) == text
