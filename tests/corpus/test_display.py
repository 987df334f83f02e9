import pytest

from corpus.display import display, readable


@pytest.mark.parametrize(
    ("evidence", "seen"),
    [
        ("Der Kahn wird ver-\nsenkt.", "Der Kahn wird versenkt."),
        ("mehr Ja-\nStimmen als Nein-Stimmen", "mehr Ja-Stimmen als Nein-Stimmen"),
        ("Kahn-\nund Bootskarten", "Kahn- und Bootskarten"),
        ("Der **Kahn** sinkt, *wenn* er leckt.", "Der Kahn sinkt, wenn er leckt."),
        (
            "Jede*r *darf* zwei Spieler*innen und 3 * 4 Karten wählen.",
            "Jede*r darf zwei Spieler*innen und 3 * 4 Karten wählen.",
        ),
        (r"Z\u00e4h bleibt z\u00e4h", "Zäh bleibt zäh"),
        (
            r"Erschöpfe diese Karte $\rightarrow$ ziehe 1 Karte",
            "Erschöpfe diese Karte → ziehe 1 Karte",
        ),
        (r"Karte \rightarrow ziehe", "Karte → ziehe"),
        (r"lautet: $,\dots \to \text{ziehe}$ 1 Karte", "lautet: ,… → ziehe 1 Karte"),
        ("Anker\n– Er hält das Boot.", "Anker – Er hält das Boot."),
        (r"[Entfernen \(1.9\)](#)", "Entfernen (1.9)"),
        (
            'Ein <b>Kahn</b> mit <a name="bug"></a>Bug<br/>• Heck <!-- neu -->',
            "Ein Kahn mit Bug\n• Heck",
        ),
        ("Stärke < 3 und b > a", "Stärke < 3 und b > a"),
        ('<ol class="r">\n<li>Ein <p>Kahn</p></li>\n</ol>', "Ein Kahn"),
        (
            "Es gilt `das Buch\n<https://a.example/b>`__ mit ``kahn.txt``.",
            "Es gilt das Buch mit kahn.txt.",
        ),
        ("Es gilt :doc:`der Hafen <hafen>` und :ref:`kahn`.", "Es gilt der Hafen und kahn."),
        ("### TITEL\nText", "TITEL\nText"),
        ("- Erster\n  - Zweiter", "• Erster\n  • Zweiter"),
        ("- Erster\n\n  - Zweiter", "• Erster\n  • Zweiter"),
        ("Der Kahn\nsinkt sofort.", "Der Kahn sinkt sofort."),
        ("Ein Satz.\nNoch einer.", "Ein Satz.\nNoch einer."),
    ],
)
def test_traces_of_printing_are_gone_and_words_stay(evidence, seen):
    assert display(evidence) == seen


def test_a_passage_torn_before_a_noun_goes_on_in_the_same_line():
    text = "Der Lotse hält die\n\n42\n\nLaterne hoch."
    assert readable(text, [(0, 18), (24, len(text))], {}) == "Der Lotse hält die Laterne hoch."


def test_a_lost_list_number_is_restored_for_readers():
    text = "Öl bezahlen.\nKarte spielen."
    assert (
        readable(text, [(0, len(text))], {0: "1. ", 13: "2. "})
        == "1. Öl bezahlen.\n2. Karte spielen."
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Jede Mannschaft muss nach dem Spiel dafür sorgen, dass die ganze", "Bahn gefegt ist."),
        ("Chi perde paga la somma che il consiglio ha fissato prima delle", "18 di ogni venerdì."),
        ("The keeper who was named by the players of both sides, except", "   Orla, may speak."),
    ],
)
def test_a_line_that_was_full_goes_on_with_a_noun_a_number_or_a_name(first, second):
    assert display(f"{first}\n{second}") == f"{first} {second.strip()}"


@pytest.mark.parametrize(
    "lines",
    [
        (
            "3.1 Vorteil einer Mannschaft ohne Boote in einem anderen Hafen",
            "Wenn sie " + "führt " * 20,
        ),
        ("Marta Kahn, Lotsin des östlichen Hafens, drei, vier, Stärke zwei", "Fähigkeit: Bund"),
        ("Rückzug, Nachschub und alle zerstörten Boote", "Sicht"),
        ("Boot           Größe           Ladung           Mannschaft", "Kahn    1    2    3"),
        ("Zum Hafen gehören der Steg und der Turm und die Mole und der Kran", "2. Der Kahn"),
    ],
)
def test_lines_that_were_not_full_and_items_stay_lines(lines):
    assert display("\n".join(lines)).count("\n") == 1


@pytest.mark.parametrize("indent", ["", "    "])
def test_a_quotation_of_several_lines_is_a_paragraph(indent):
    lines = [
        "Beispiel: Lotte legt ihre Laterne gleich neben den",
        "Leuchtturm und darf deshalb schon am Abend in den Hafen.",
        "Abfahren darf sie dort erst am Morgen.",
    ]
    quoted = "\n".join(f"{indent}> {line}" for line in lines)
    assert display(quoted) == " ".join(lines)
    listed = display(f"{quoted}\n{indent}> - Lampe\n{indent}> - Docht")
    assert listed.split("\n")[1:] == ["• Lampe", "• Docht"]


def test_marks_of_a_list_of_short_lines_are_bullets():
    assert display("> Laternen\n> Kähne\n> Würfel") == "• Laternen\n• Kähne\n• Würfel"


def test_an_indented_line_of_an_item_goes_on_with_a_noun():
    item = "6.  Lotsen von Verbänden können an jeder\n    Versammlung teilnehmen."
    assert "\n" in display(item)
    item = "6.  Die Lotsen des großen Verbandes können an jeder\n    Versammlung teilnehmen."
    assert display(item).endswith("an jeder Versammlung teilnehmen.")
