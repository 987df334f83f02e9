import pytest

from corpus import Document
from corpus.blocks import Bookmark
from corpus.layouts.outline.contents import find_bookmarked
from corpus.layouts.outline.printed_numbers import parse_number
from corpus.layouts.outline.units import make_units
from tests.corpus.pdf_maker import BOLD, PrintedRulebook
from tests.corpus.reading import book, numbers, outline

TEXT = "Wer am Tisch sitzt, nimmt drei Muscheln und legt sie offen vor sich hin."
ITALIAN = "Chi siede al tavolo prende tre conchiglie e le mette davanti a sé."
ENGLISH = "Whoever sits at the table takes three shells and puts them in front of them."
FRENCH = "La personne qui est assise à la table prend trois coquillages et les pose devant elle."
SPANISH = "Quien se sienta a la mesa toma tres conchas y las pone delante de sí mismo."


@pytest.mark.parametrize("between", ["\n", "\n\n"])
@pytest.mark.parametrize(
    ("label", "titles"),
    [
        ("§ %d", ["Geltungsbereich", "Name und Sitz", "Mitglieder", "Auflösung"]),
        ("Artikel %d", ["Allgemeines", "Anmeldung", "Mitgliedschaft", "Ende"]),
        ("ART. %d", ["(Denominazione e sede)", "(Scopi)", "(Soci)", "(Durata)."]),
        ("Art %d", ["Denominazione e sede", "Scopi", "Soci", "Durata"]),
        ("🎲 **Capitolo %d**", ["**Iscrizione**", "**Partite**", "**Arbitri**", "**Premi**"]),
    ],
)
@pytest.mark.parametrize("suffix", ["txt", "md"])
def test_a_label_takes_its_title_from_the_next_line(suffix, label, titles, between):
    text = TEXT if label[:2] in ("§ ", "Ar") else ITALIAN
    parts = [f"{label % n}{between}{title}\n\n{text}" for n, title in enumerate(titles, 1)]
    rulebook = book(f"a.{suffix}", "\n\n".join(["# Satzung", *parts]))
    plain = label.strip("🎲 *")
    assert [row.strip() for row in outline(rulebook)] == [
        f"{plain % n} | {title.strip('().*')}" for n, title in enumerate(titles, 1)
    ]
    assert {p.display for p in rulebook.passages} == {text}


@pytest.mark.parametrize("styles", ["plain plain", "bold plain", "plain bold", "bold bold"])
def test_a_label_takes_its_title_from_the_next_line_on_a_page(styles):
    printed = PrintedRulebook()
    printed.heading("Satzung des Vereins", 20)
    for number, title in enumerate(["Name und Sitz", "Zweck", "Mitglieder", "Auflösung"], 1):
        for style, line in zip(styles.split(), [f"§ {number}", title], strict=True):
            if style == "bold":
                printed.paragraph(line, BOLD, 10)
            else:
                printed.paragraph(line)
        printed.paragraph(f"{TEXT} " * 3)
    assert [row.strip() for row in outline(book("a.pdf", printed.printed()))] == [
        "§ 1 | Name und Sitz",
        "§ 2 | Zweck",
        "§ 3 | Mitglieder",
        "§ 4 | Auflösung",
    ]


def test_a_label_above_a_sentence_is_a_heading_without_a_title():
    parts = [f"### Articolo {n}\n\n1. {ITALIAN}\n2. {ITALIAN}" for n in range(1, 4)]
    rulebook = book("a.md", "\n\n".join(["# Statuto", *parts]))
    assert outline(rulebook)[:3] == [
        "Articolo 1 | Articolo 1",
        "  Articolo 1 1. | Articolo 1 1.",
        "  Articolo 1 2. | Articolo 1 2.",
    ]
    assert not [p for p in rulebook.passages if p.display.startswith("Articolo")]
    sentences = "\n\n".join(f"§ {n}\n\nDer Verein {n} sitzt in Kiel." for n in range(1, 4))
    rulebook = book("a.txt", f"Satzung\n\n{sentences}\n")
    assert outline(rulebook) == ["§ 1 | § 1", "§ 2 | § 2", "§ 3 | § 3"]


@pytest.mark.parametrize(
    ("first", "second", "article", "sentence"),
    [
        ("Erster Abschnitt", "Zweiter Abschnitt", "§ %d", TEXT),
        ("ERSTER TEIL", "ZWEITER TEIL", "§ %d", TEXT),
        ("1. Abschnitt", "2. Abschnitt", "§ %d", TEXT),
        ("Parte prima", "Parte seconda", "Art. %d", ITALIAN),
        ("Parte prima", "Parte seconda", "Art %d", ITALIAN),
        ("Capo primo", "Capo secondo", "Art. %d", ITALIAN),
        ("Titolo I", "Titolo II", "Art. %d", ITALIAN),
        ("Chapter One", "Chapter Two", "Rule %d", ENGLISH),
        ("Première partie", "Deuxième partie", "Article %d", FRENCH),
        ("Título primero", "Título segundo", "Artículo %d", SPANISH),
    ],
)
@pytest.mark.parametrize("signs", ["", "## "])
def test_articles_run_on_through_chapters_counted_in_words(first, second, article, sentence, signs):
    def articles(*found):
        return "\n\n".join(f"{signs}{article % n} Boot {n}\n\n{sentence}" for n in found)

    text = (
        f"# Statut\n\n{signs}{first}\n\n{signs}Allgemeines\n\n{articles(1, 2)}\n\n"
        f"{signs}{second}\n\n{signs}Besonderes\n\n{articles(3, 4)}\n"
    )
    rulebook = book("a.md" if signs else "a.txt", text)
    assert [row.partition(" |")[0] for row in outline(rulebook)] == [
        first,
        f"  {article % 1}",
        f"  {article % 2}",
        second,
        f"  {article % 3}",
        f"  {article % 4}",
    ]
    chapters = [e.title for e in rulebook.entries if e.number in (first, second)]
    assert chapters == ["Allgemeines", "Besonderes"]


@pytest.mark.parametrize(
    "text",
    ["Erster Spieler", "Zwei Teile", "Prima parte del turno", "1. Artikel 3 gilt auch hier", "1"],
)
def test_ordinal_words_in_a_sentence_count_no_chapter(text):
    number = parse_number(text)
    assert number is None or not number.is_chapter


@pytest.mark.parametrize("sign", ["%d)", "%d.", "%d -", "%d –", "%d"])
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_numbers_with_a_title_above_the_text_are_entries(sign, between):
    if sign == "%d" and between == "\n":
        return  # not told from the lines of a list
    names = ["Allgemeines", "Aufbau", "Zug", "Ende"]
    parts = [f"{sign % n} {name}{between}{TEXT}" for n, name in enumerate(names, 1)]
    rulebook = book("a.txt", "\n\n".join(["Spielregeln", *parts]))
    assert outline(rulebook) == [f"{n} | {sign % n} {name}" for n, name in enumerate(names, 1)]
    assert {p.display for p in rulebook.passages} == {TEXT}
    steps = "\n".join(f"{sign % n} Karte {n} auf den Tisch legen" for n in range(1, 5))
    setup = f"Spiel\n\nAUFBAU\n\nSo geht es:\n{steps}\n\nZUG\n\n{TEXT}\n\n{TEXT}\n"
    assert outline(book("a.txt", setup)) == []


def test_letters_from_a_to_o_and_what_is_numbered_in_them_are_entries():
    letters = "ABCDEFGHIJKLMNO"
    parts = [f"{letter}. Boote der Klasse {letter}\n{TEXT}" for letter in letters]
    parts[3] = "D. Anker\n1. Der Anker bleibt oben.\n2. Der Anker ist rot."
    assert numbers(book("a.txt", "\n\n".join(["Hafenordnung", *parts]))) == [
        *"ABCD",
        "  D.1",
        "  D.2",
        *"EFGHIJKLMNO",
    ]


def test_roman_chapters_contain_their_rules_and_lists():
    text = (
        "Turnierordnung\n\nI. Anmeldung\n\n1) Man meldet sich bis zehn Uhr an.\n"
        "2) Der Beitrag beträgt fünf Euro.\n\nII. Ablauf\n\n1) Es werden fünf Runden gespielt:\n"
        "a) drei am Morgen,\nb) zwei am Abend.\n2) Jede Runde dauert eine Stunde.\n\n"
        "III. Wertung\n\n1) Ein Sieg zählt drei Punkte.\n2) Gleichstand zählt einen Punkt.\n"
    )
    assert numbers(book("a.txt", text)) == [
        "I",
        "  I. 1)",
        "  I. 2)",
        "II",
        "  II. 1)",
        "    II. 1) a)",
        "    II. 1) b)",
        "  II. 2)",
        "III",
        "  III. 1)",
        "  III. 2)",
    ]


@pytest.mark.parametrize(
    ("outer", "first", "second", "full"),
    [
        ("§ %d", "(1)", "(2)", "§ %d %s"),
        ("§%d", "(1)", "(2)", "§%d %s"),
        ("Art. %d", "1.", "2.", "Art. %d %s"),
        ("Art. %d", "a)", "b)", "Art. %d %s"),
        ("5.%d", "(a)", "(b)", "5.%d%s"),
    ],
)
def test_two_numbers_in_one_line_are_two_entries(outer, first, second, full):
    parts = [f"{outer % n} {first} {TEXT}\n{second} {TEXT}" for n in range(1, 4)]
    parts.append(f"{outer % 4} {TEXT}")
    rulebook = book("a.txt", "\n\n".join(["Ordnung", *parts]))
    marks = [mark.strip("()") if "%d%s" in full else mark for mark in (first, second)]
    assert [row.strip() for row in numbers(rulebook)] == [
        *(row for n in range(1, 4) for row in (outer % n, *(full % (n, mark) for mark in marks))),
        outer % 4,
    ]
    shown = [p.display for p in rulebook.passages]
    assert shown == [f"{first} {TEXT}", f"{second} {TEXT}"] * 3 + [f"{outer % 4} {TEXT}"]


def test_a_list_within_an_item_of_the_same_kind_is_told_by_its_indentation():
    text = (
        "# Statuto\n\n## Art. 1 Scopi\n\n1. Il circolo vuole:\n   1. organizzare gare;\n"
        "   2. insegnare il gioco.\n2. Il circolo non ha fini di lucro.\n\n"
        "## Art. 2 Soci\n\n1. I soci pagano la quota.\n2. I soci votano.\n"
    )
    assert numbers(book("a.md", text)) == [
        "Art. 1",
        "  Art. 1 1.",
        "    Art. 1 1. 1.",
        "    Art. 1 1. 2.",
        "  Art. 1 2.",
        "Art. 2",
        "  Art. 2 1.",
        "  Art. 2 2.",
    ]


def test_headings_of_a_size_have_the_number_that_is_printed():
    printed = PrintedRulebook()
    printed.heading("Regelwerk", 20)
    for number, name in enumerate(["Neuauflage", "Ball im Aus", "Toter Ball", "Foulspiel"], 1):
        printed.paragraph(f"{number} {name}", BOLD, 14)
        printed.paragraph(f"{TEXT} " * 3)
    assert numbers(book("a.pdf", printed.printed())) == ["1", "2", "3", "4"]


def test_roman_headings_are_chapters_beside_the_articles_before_them():
    text = (
        f"## I. Verein\n\n### § 1 Name\n\n{TEXT}\n\n### § 2 Sitz\n\n{TEXT}\n\n"
        f"## II. Rat\n\n### § 3 Wahl\n\n{TEXT}\n"
    )
    assert numbers(book("a.md", text)) == ["I", "  § 1", "  § 2", "II", "  § 3"]
    assert numbers(book("a.md", text[text.index("## II") :])) == ["II", "  § 3"]


def test_a_bookmark_names_a_heading_and_no_item_of_a_list_before_it():
    text = f"# § 1 Organe\n\n1. Rat\n2. Vorstand\n\n# § 2 Vorstand\n\n{TEXT}\n"
    units = make_units(Document.from_bytes("a.md", text.encode()))
    named = find_bookmarked([Bookmark("Vorstand", 1)], units, range(len(units)))
    assert [units[at].text for at in named] == ["§ 2 Vorstand"]


@pytest.mark.parametrize("mark", ["", "**", "## "])
def test_a_label_before_a_small_letter_goes_on_from_the_last_one(mark):
    end = "**" if mark == "**" else ""
    rules = [
        f"{mark}§ 1 Name{end}\n\n(1) {TEXT}\n(2) {TEXT} Nach\n§ 2 entfällt das.",
        f"{mark}§ 2 ersatzlos gestrichen{end}",
        f"{mark}§ 3 sedes vakanz.{end}\n\n(1) {TEXT}\n(2) {TEXT}",
        f"{mark}§ 4 (weggefallen){end}",
        f"{mark}§ 5 ist aufgehoben.{end}",
        f"{mark}§ 6 Ende{end}\n\n(1) {TEXT}\n(2) § 7 gilt auch hier.\n\n§ 7 gilt für alle.",
    ]
    found = numbers(book("a.md", "\n\n".join(["# Satzung", *rules])))
    assert [each for each in found if "(" not in each] == [f"§ {n}" for n in range(1, 7)]
    assert [each.strip() for each in found if "(" in each] == [
        f"§ {n} ({m})" for n in (1, 3, 6) for m in (1, 2)
    ]


def test_a_cited_label_that_stands_before_its_article_begins_none():
    cited = f"§ 2 wie unten\n(1) {TEXT}\n(2) {TEXT}\n\n{TEXT} Nach\n§ 2 weggefallen."
    text = f"Satzung\n\n§ 1 Name\n\n{cited}\n\n§ 2 Sitz\n\n{TEXT}\n\n§ 3 Ende\n\n{TEXT}\n"
    found = numbers(book("a.txt", text))
    assert [each for each in found if "(" not in each] == ["§ 1", "§ 2", "§ 3"]


def test_a_repealed_article_is_one_in_italian():
    text = f"Art. 1 Sede\n1. {ITALIAN}\n\nArt. 2 abrogato\n\nArt. 3 è soppresso.\n\nArt. 4 Soci"
    found = numbers(book("a.txt", f"Statuto\n\n{text}\n1. {ITALIAN}\n2. {ITALIAN}\n"))
    assert [each for each in found if each[0] == "A"] == [f"Art. {n}" for n in range(1, 5)]


@pytest.mark.parametrize(
    ("heading", "found"),
    [
        ("Die Regeln des Spiels", ["1", "2", "3"]),
        ("Spielregeln", ["1", "2", "3"]),
        ("Was mitkommt", []),
        ("Es gelten diese Regeln:", []),
    ],
)
def test_a_few_plain_rules_below_the_title_rules_are_rules(heading, found):
    rules = "\n".join(f"  {number}. {TEXT}" for number in (1, 2, 3))
    text = f"Spiel der Muscheln\n\n3. Mai 2020\n\nAm Sonntag beginnt es.\n\n{heading}\n\n{rules}\n"
    assert [each.strip() for each in numbers(book("a.txt", text))] == found


def test_a_line_of_contents_may_end_with_a_bracket_before_its_page():
    printed = PrintedRulebook()
    printed.heading("Handbuch", 20)
    titles = ["Erstes Buch", "Wertung", "Ehrung", "Anhang"]
    printed.heading("Inhaltsverzeichnis", 16)
    printed.paragraph("Einführung 2 Muschelgesetz (MuG) 2")
    for title in titles:
        printed.paragraph(f"{title} {'. ' * 20}2")
    for title in ["Einführung", "Muschelgesetz (MuG)", *titles]:
        printed.heading(title, 16)
        printed.paragraph(f"{TEXT} " * 3)
    texts = [p.display for p in book("a.pdf", printed.printed()).passages if p.role == "text"]
    assert not [text for text in texts if "(MuG) 2" in text]


def test_who_made_a_rulebook_heads_nothing():
    printed = PrintedRulebook()
    for title in ("Faktor", "Stufen"):
        printed.paragraph(title, BOLD, 16)
        printed.paragraph(f"{TEXT} " * 3)
    printed.paragraph("Wertung", BOLD, 16)
    printed.paragraph("Herausgegeben von")
    printed.paragraph("Dipl. Muschelwart (FH)", BOLD, 13)
    printed.paragraph("Anna Muschel")
    entries = book("a.pdf", printed.printed()).entries
    assert [entry.title for entry in entries] == ["Faktor", "Stufen", "Wertung"]
