import pytest

import service

CHEST = "Eine verdeckte Wache kann nicht"
DOUBLE = "Eine Wache mit zwei Marken"
RED = "(3) Die Würfel sind rot."
RAIN = "Con la pioggia si resta a terra."


def ask(indexes, document, question):
    return service.ask(indexes, question, document=document)


@pytest.mark.parametrize(
    ("document", "question", "answer"),
    [
        ("nummern.txt", "4.2a", CHEST),
        ("nummern.txt", "4.2 b", DOUBLE),
        ("nummern.txt", "Was steht in 4.2 B?", DOUBLE),
        ("nummern.txt", "Regel 4.2 Buchstabe b", DOUBLE),
        ("nummern.txt", "Buchst. b von Regel 4.2", DOUBLE),
        ("nummern.txt", "Cosa dice la regola 4.2b?", DOUBLE),
        ("nummern.txt", "What does rule 4.2(b) say?", DOUBLE),
        ("nummern.txt", "Was gilt nach § 4.2?", "Der Verteidiger wählt"),
        ("nummern.txt", "4.10", "Wer doppelt deckt"),
        ("liste.md", "§ 1 (3)", RED),
        ("liste.md", "§ 1 Abs. 3", RED),
        ("liste.md", "Was sagt §1 Abs.3 Satz 1?", RED),
        ("liste.md", "§ 1 (1) 2.", "2. zwei Würfel"),
        ("liste.md", "§ 1 Abs. 1 Nr. 3", "3. ein Brett je Person"),
        ("codice.txt", "Cosa dice l'articolo 4?", "La cassa con il tre"),
        ("codice.txt", "capitolo 2", "I giocatori sono quattro"),
        ("codice.txt", "1.2.1", "Le casse sono quaranta"),
        ("artikel.md", "art. 3", "La gru porta una cassa"),
        ("elf.pdf", "Was gilt nach Regel Nr. 11?", "11."),
        ("kegeln.txt", "Regel 12", "12. Wer die Uhr nimmt"),
        ("ordnung.txt", "Artikel 12", "Der Preis ist eine Torte."),
        ("satzung.md", "Was sagt § 3?", "(1) Es wird ein Beitrag"),
        ("satzung.md", "§ 5 Abs. 2 Satz 1", "(2) Sie wird schriftlich"),
        ("satzung.md", "§ 2 Abs. 1", "Mitglied wird"),
        ("satzung.md", "§ 5 a", "Gewählt wird"),
        ("satzung.md", "§ 4 Abs. 1 lit. b", "b) den Beitrag schuldet"),
        ("statuto.md", "Art. 3 comma 2", RAIN),
        ("statuto.md", "Cosa dice il comma 2 dell'art.3?", RAIN),
        ("statuto.md", "art. 5 bis", "Il premio è una coppa"),
        ("statuto.md", "punto 3 dell'art. 4", "usare fili di ferro"),
        ("statuto.md", "Cosa dice l'articolo 7?", "Il reclamo si presenta"),
        ("bylaws.md", "Article 2(b)", "Children pay nothing."),
        ("bylaws.md", "Art. III", "Kites fly by day."),
        ("turnier.md", "Kapitel 5", "Wer zuerst ankommt"),
        ("satzung.md", "Was sagt der zweite Absatz von § 5?", "(2) Sie wird schriftlich"),
        ("statuto.md", "Cosa dice il secondo comma dell'articolo 3?", RAIN),
        ("statuto.md", "art. 3 comma secondo", RAIN),
        ("kegeln.txt", "Was sagt die zwölfte Regel?", "12. Wer die Uhr nimmt"),
        ("statuto.md", "articolo settimo", "Il reclamo si presenta"),
        ("boje.md", "Mitgliedschaft, 4.", "4. Der Austritt wird schriftlich"),
        ("boje.md", "Was steht unter Beiträge Nr. 2?", "2. Wer das Boot nicht putzt"),
        ("boje.md", "Was sagt Punkt 3 b der Mitgliedschaft?", "b) durch Ausschluss."),
        ("boje.md", "der zweite Punkt der Beiträge", "2. Wer das Boot nicht putzt"),
        ("boje.md", "Ablegen Schritt 2", "2. Die Ruder einlegen."),
        ("boje.md", "Was sagt Ziffer 4?", "4. Der Austritt wird schriftlich"),
    ],
)
def test_what_has_the_number_is_the_answer(small_documents, document, question, answer):
    found = ask(small_documents, document, question)
    assert answer in found.passages[0].display
    assert (found.settled, found.notes) == ("settled", [])


@pytest.mark.parametrize(
    ("document", "question", "nearest"),
    [
        ("nummern.txt", "4.9z", ["4.9"]),
        ("nummern.txt", "4.2c", ["4.2", "4.2a", "4.2b"]),
        ("nummern.txt", "Regel 4.2 Buchstabe c", ["4.2", "4.2a", "4.2b"]),
        ("liste.md", "§ 1 (7)", ["§ 1 (3)", "§ 1 (2)"]),
        ("elf.pdf", "Regel 12", ["11", "10"]),
        ("satzung.md", "§ 4 Abs. 1 lit. d", ["§ 4 (1)", "§ 4 (1) c)"]),
        ("statuto.md", "art. 5 ter", ["Art. 5", "Art. 5 bis"]),
        ("bylaws.md", "Article 9", ["Article 4"]),
    ],
)
def test_what_no_rule_has_is_open_and_the_nearest_are_shown(
    small_documents, document, question, nearest
):
    found = ask(small_documents, document, question)
    assert (found.settled, [note.code for note in found.notes]) == ("open", ["no-such-rule"])
    shown = [each.citation.number for each in found.passages]
    assert set(nearest) <= set(shown[:3])
    assert shown[0] == nearest[0]


def test_all_of_a_rule_is_shown_in_order(small_documents):
    found = ask(small_documents, "satzung.md", "§§ 3 bis 5")
    numbers = [each.citation.number for each in found.passages]
    assert numbers[:3] == ["§ 3 (1)", "§ 4 (1)", "§ 5 (1)"]
    whole = [each.citation.number for each in ask(small_documents, "liste.md", "§ 1").passages]
    assert whole[:4] == ["§ 1 (1)", "§ 1 (1) 1.", "§ 1 (1) 2.", "§ 1 (1) 3."]


@pytest.mark.parametrize(
    "question", ["Wie schwer ist 2.5 kg?", "Wir teilen 3 Karten aus", "Was ist neu in Version 2.1?"]
)
def test_other_numbers_are_no_rules(small_documents, question):
    assert ask(small_documents, "nummern.txt", question).notes == []


@pytest.mark.parametrize(
    ("question", "number"),
    [("Was steht unter Mitgliedschaft Nr. 3 b?", "3. b)"), ("Ablegen, 2.", "2")],
)
def test_an_item_of_a_list_is_cited_with_its_number(small_documents, question, number):
    citation = ask(small_documents, "boje.md", question).passages[0].citation
    assert citation.number == number
    assert f"{citation.heading}, {number.removesuffix('.')}" in citation.label


@pytest.mark.parametrize("question", ["Was sagt § 2 BGB?", "Was gilt nach § 5 Abs. 2 BGB?"])
def test_a_number_of_a_law_is_none_of_the_rulebook(small_documents, question):
    found = ask(small_documents, "satzung.md", question)
    assert found.settled == "open"
    assert ask(small_documents, "satzung.md", question.replace("BGB", "der Satzung")).answered
