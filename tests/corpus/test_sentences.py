"""Where a sentence ends, and where a full stop, a colon or a new line does not end it."""

from __future__ import annotations

import pytest

from corpus.sentences import sentences


@pytest.mark.parametrize(
    "text",
    [
        "Der Kahn kostet z. B. Öl, vgl. Nr. 5 und Abs. Zwei der Regeln.",
        "Die 3. Phase beginnt.",
        "II.) Der Lotse mischt.",
        "Auf der Karte steht: „Ziehe 1 Möwe. Lege sie ab.“",
        "The card says “Draw a gull. Discard it.” in small letters.",
        'Der Text lautet "Ziehe 1 Möwe. Lege sie ab" und nichts sonst.',
        "Il testo recita «Pesca 1 gabbiano. Scartalo.».",
        "Der Lotse (siehe oben. Unten steht mehr.) mischt.",
        "Es gibt drei Lichter: Laterne, Mond, Leuchtfeuer.",
    ],
)
def test_a_sentence_is_not_divided(text: str) -> None:
    assert sentences(text) == [(0, len(text))]


@pytest.mark.parametrize(
    "parts",
    [
        ["Der Lotse mischt.", "Die Möwe zieht."],
        [
            "„Der Lotse mischt.",
            "Die Möwe zieht.“",
            "So steht es da.",
        ],  # the quotation is these sentences
        ["(Der Lotse mischt.", "Die Möwe zieht.)"],
        ["Er sagt „Mischen“.", "Sie sagt „Ziehen“."],
        ["Wähle eines:", "- Laterne", "- Mond"],
        ["Wähle eines:", "1. Laterne", "2. Mond"],
        ["Wähle eines:", "a) Laterne", "b) Mond"],
        ["Der Lotse mischt", "Beispiel: Die Möwe zieht."],
        ['Ein " allein.', "Noch ein Satz."],
    ],
)
def test_sentences_and_items_are_told_apart(parts: list[str]) -> None:
    text = (
        "\n".join(parts)
        if any(part[:2] in ("- ", "1.", "a)", "Be") for part in parts)
        else " ".join(parts)
    )
    assert [text[start:end] for start, end in sentences(text)] == parts
