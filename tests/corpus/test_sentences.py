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
        "Das kostet lt. Tabelle Nr.\u00a03 ca. 5 Öl bzw. Tran oder ggf. Salz, d.\u00a0h. Ladung.",
        "Wie auf S. 12 gesagt, gilt § 5 Abs. 2 Satz 1, vgl. Art. 7.",
        "Am 1. März lost der 2. Spieler mit J. R. Kahn.",
        "Ai sensi degli artt. 3 e 4 (vedi pag. 12 e n. 5) si paga, p. es. Olio, legno, ecc.",
        "Ad es. Un giocatore pesca.",
        "Coins count, e.g. Gold, see No. 5 and Sec. III of it.",
        "Voir art. 5, p. ex. Bois; véase núm. 7, p. ej. Madera.",
        "Beim Ruf „Halt! Wer da?“ bleiben alle stehen.",
        "Beim Ruf „Halt! Wer\nda? Ich!“ bleiben alle stehen.",
        "„Halt! Wer da?“ ruft der Lotse.",
        "»Halt! Wer da?« ruft der Lotse.",
        "«Scacco! Matto!» dice chi vince.",
        '"Scacco! Matto!" dice chi vince.',
    ],
)
def test_a_sentence_is_not_divided(text):
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
        ["Es gibt Öl, Tran usw.", "Der Lotse wählt."],
        ["Si usano legno, ferro, ecc.", "Il pilota sceglie."],
        ["Er gehört zur Mannschaft S.", "Die Mannschaft rudert zuerst."],
        ["Spielt auf diese Art.", "Karten bleiben liegen."],
        ["Er nimmt es.", "Karten bleiben liegen."],
        ["No.", "The pilot may not row."],
        ["Er hat 5.", "Dann zieht er."],
        ["Er ruft „Halt!“", "Die Möwen fliehen."],
        ["Wähle eines:", "- Laterne", "- Mond"],
        ["Wähle eines:", "1. Laterne", "2. Mond"],
        ["Wähle eines:", "a) Laterne", "b) Mond"],
        ["Der Lotse mischt", "Beispiel: Die Möwe zieht."],
        ['Ein " allein.', "Noch ein Satz."],
    ],
)
def test_sentences_and_items_are_told_apart(parts):
    text = (
        "\n".join(parts)
        if any(part[:2] in ("- ", "1.", "a)", "Be") for part in parts)
        else " ".join(parts)
    )
    assert [text[start:end] for start, end in sentences(text)] == parts
