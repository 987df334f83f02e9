import pytest

from corpus.document import Document
from corpus.layouts import markdown
from corpus.model import Correction, Edition, Fault, Kind, Role
from corpus.read import read
from tests.corpus.reading import book, shown


def parse(text, *corrections):
    edition = Edition("boote-de", "boote", "de", "1", "Boote", "markdown", corrections)
    return read(Document.from_bytes("boote.txt", text.encode()), edition)


def outline(book):
    return [(entry.kind.value, entry.heading) for entry in book.entries]


def term(body, *corrections):
    """Passages of a glossary's only term; its body begins at line 5."""
    book = parse(f"## GLOSSAR\n\n### BOOT\n\n{body}\n", *corrections)
    assert book.strays == ()
    assert book.unfit == ()
    return shown(book, "BOOT")


# What a heading is


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        (
            ("GLOSSARIO", "APPENDICE I: BARCHE", "APPENDICE II: DOMANDE RICORRENTI", "ERRATA"),
            ("Vedi anche", "D", "R"),
        ),
        (
            ("Glossar", "Anhang A – Boote", "Häufige Fragen", "Anhang C: Korrekturen"),
            ("Siehe auch", "F", "A"),
        ),
        (("GLOSSARY", "APPENDIX 1: BOATS", "FAQ", "Errata"), ("See also", "Q", "A")),
    ],
)
def test_sections_are_told_by_their_words_in_every_language(words, kinds):
    glossary, appendix, questions, errata = words
    see, question, answer = kinds
    book = parse(
        f"# {glossary}\n\n## ANKER\n\nHält.\n\n# BOOT\n\n**{see}:** Anker\n\n### {appendix}\n\n# "
        "GROSSE\n\nSind groß.\n\n"
        f"## {questions}\n\n### HORN (MEER, 3)\n\n**{question}: Laut?**\n\n{answer}: Sehr.\n\n"
        f"#### {errata}\n\n## HORN (MEER, 3)\n\nEs ist leise.\n"
    )
    assert [kind for kind, _ in outline(book)] == [
        "section", "term", "redirect", "section", "subsection", "section", "ruling", "section", "erratum",
    ]  # fmt: skip
    assert book.strays == ()


def test_the_level_of_a_heading_means_nothing_inside_the_glossary():
    book = parse(
        "## GLOSSAR\n\n### ANKER\n\nHält.\n\n## BOOT\n\nSchwimmt.\n\n# E\n\nEin Wort.\n\n## "
        "Anhang\n\nSteht hinten.\n"
    )
    assert outline(book)[1:] == [
        ("term", "ANKER"),
        ("term", "BOOT"),
        ("term", "E"),
        ("term", "Anhang"),
    ]


def test_where_every_term_is_lower_a_higher_heading_ends_the_glossary():
    terms = "".join(f"### WORT {n}\n\nText.\n\n" for n in range(20))
    book = parse(f"## GLOSSAR\n\n{terms}## AUFBAU\n\nZuerst die Boote.\n")
    assert outline(book)[-1] == ("section", "AUFBAU")


def test_a_title_page_torn_into_headings_is_no_entry():
    book = parse(
        "# STURM\n\n# FLUT\n\nEIN SPIEL\n\n**VERSION 2**\n\n## ZIEL\n\nWer zuletzt schwimmt, "
        "gewinnt.\n"
    )
    assert outline(book) == [("section", "ZIEL")]
    assert {f.why for f in book.furniture} == {"title page"}


def test_captions_of_pictures_are_no_entries_and_stay_with_the_section():
    book = parse(
        "# ANHANG I: KARTEN\n\n## LEGENDE\n\n- Oben steht der Name.\n\n#### BOOT\n\n## ANKER\n\n## "
        "16 STURM\n\n## RÜCKSEITE\n\nBlau.\n"
    )
    assert outline(book) == [
        ("section", "ANHANG I: KARTEN"),
        ("subsection", "LEGENDE"),
        ("subsection", "RÜCKSEITE"),
    ]
    captions = [(p.role, p.entry, len(p.spans)) for p in book.passages if "ANKER" in p.text]
    assert captions == [(Role.LISTING, book.entries[0].id, 3)]
    assert tuple(book.entries[1].lines) == (3, 5)


def test_a_heading_over_lower_headings_is_no_caption():
    book = parse("# ANHANG I: KARTEN\n\n## VORNE\n\n### NAME\n\nSteht oben.\n")
    assert ("subsection", "VORNE") in outline(book)


def test_a_heading_on_two_lines_is_one_and_bold_is_taken_off():
    book = parse(
        "# ERRATA\n\n### **GROSSES HORN**\n\n#### **(WEITES MEER, 3A)**\n\nEs ist leise.\n\n## "
        "KLEINES (WEITES\n\n## MEER, 4)\n\nNichts.\n"
    )
    assert outline(book)[1:] == [
        ("erratum", "GROSSES HORN (WEITES MEER, 3A)"),
        ("erratum", "KLEINES (WEITES MEER, 4)"),
    ]
    assert len(book.entries[1].heading_spans) == 2


def test_corrections_say_what_a_heading_is_where_nothing_else_does():
    text = (
        "## GLOSSAR\n\n## BOOT\n\nSchwimmt.\n\n## BUG\n\nVorn.\n\n## AUFBAU\n\nZuerst.\n\n## 2 "
        "BOOTE\n\nFahren.\n\n**HECK**\n\nHinten.\n"
    )
    book = parse(
        text,
        Correction(7, Fault.HEADING, "BUG", "subsection", "part of a boat", 7),
        Correction(11, Fault.HEADING, "AUFBAU", "section", "the glossary ends above", 11),
        Correction(15, Fault.NOT_HEADING, "2 BOOTE", None, "an item", 15),
        Correction(19, Fault.HEADING, "HECK", "subsection", "printed in bold only", 19),
    )
    assert outline(book)[1:] == [
        ("term", "BOOT"),
        ("subsection", "BUG"),
        ("section", "AUFBAU"),
        ("subsection", "HECK"),
    ]
    assert "## 2 BOOTE" in [p.text for p in book.passages]


def test_page_numbers_rules_pictures_and_the_colophon_belong_to_no_entry():
    book = parse(
        "## GLOSSAR\n\n## BOOT\n\nSchwimmt.\n\n12\n\n---\n\n![Boot](b.png)\n\n© 2026 Niemand.\n"
    )
    assert [p.text for p in book.passages] == ["Schwimmt."]
    assert [f.why for f in book.furniture] == ["page number", "rule", "picture", "colophon"]


# Bodies


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("- Erstes.\n  - Teil.\n- Zweites.", ["• Erstes.\n  • Teil.", "• Zweites."]),
        ("- Erstes.\n  - ✦ Teil.\n- ✦ Zweiter Teil.\n\n✦ "
         "Dritter.", ["• Erstes.\n  • Teil.\n  • Zweiter Teil.\n  • Dritter."]),
        (
            "1. Eins.\n2. Zwei:\n  - a. Links.\n\nb. Rechts.\n\n**c. Mitte.**",
            ["1. Eins.", "2. Zwei:\n  • a. Links.\n  • b. Rechts.\n  • c. Mitte."],
        ),
        ("1. Eins.\n  2. Zwei.\n\n- 3. Drei.", ["1. Eins.", "2. Zwei.", "• 3. Drei."]),
        ("- Der Reihe nach:\n\n1. Eins.\n  2. Zwei.\n- "
         "Ende.", ["• Der Reihe nach:\n  1. Eins.\n  2. Zwei.", "• Ende."]),
        ("Ein Boot fährt\n\n\n\nnur bei Flut.", ["Ein Boot fährt nur bei Flut."]),
        ("Ein Boot fährt bei der\n\nFlut.", ["Ein Boot fährt bei der Flut."]),
        ('Es heißt "Das Boot\n\nBleibt".', ['Es heißt "Das Boot Bleibt".']),
        ("Ein Boot fährt.\n\nEs hält.", ["Ein Boot fährt.", "Es hält."]),
        ("**Anker**\n\n– Er hält das Boot.", ["Anker – Er hält das Boot."]),
        ("Ein Boot ist:\n\n- Holz\n- Teer", ["Ein Boot ist:\n• Holz\n• Teer"]),
        ("Ein Boot ist:\n\n- Holz\n\n\n\n- Teer", ["Ein Boot ist:\n• Holz\n• Teer"]),
        ("- Es hält.\n- Zum Beispiel bei Flut.", ["• Es hält.\n  • Zum Beispiel bei Flut."]),
    ],
)  # fmt: skip
def test_lists_and_sentences_are_whole_again(body, wanted):
    assert term(body) == wanted


def test_a_long_list_is_read_out_item_by_item():
    items = "\n".join(f"- {'Wort ' * 40}{n}." for n in range(3))
    assert len(term(f"Ein Boot ist:\n\n{items}")) == 4


def test_a_list_of_references_ends_nothing_and_is_no_rule():
    book = parse(
        "## GLOSSAR\n\n## BOOT\n\nSchwimmt.\n\n**Siehe auch:** Anker\n\nHält bei Sturm. "
        "(**Siehe:** Sturm)\n"
    )
    assert [(p.role, p.text) for p in book.passages] == [
        (Role.TEXT, "Schwimmt."),
        (Role.SEE, "**Siehe auch:** Anker"),
        (Role.TEXT, "Hält bei Sturm. (**Siehe:** Sturm)"),
    ]


def test_corrections_mend_what_print_does_not_show():
    torn = Correction(7, Fault.TORN, "Sonst", 5, "speaks of the item above", 7)
    assert term("- Es fährt.\n- Es hält.\n- Sonst sinkt es.", torn) == [
        "• Es fährt.\n  • Sonst sinkt es.",
        "• Es hält.",
    ]
    numbers = Correction(5, Fault.NUMBER, "Name", 1, "circled numbers lost", 6)
    assert term("- Name. Steht oben.\n- Wert. Steht unten.", numbers) == [
        "• 1. Name. Steht oben.",
        "• 2. Wert. Steht unten.",
    ]


# Cards


def test_every_question_is_a_ruling_of_its_own_under_the_heading_of_its_card():
    book = parse(
        "## FAQ\n\nEinleitung.\n\n"
        "### HORN (MEER; 3B)\n\n**F:** Laut?\n\n**A:** Ja:\n\n- bei Tag,\n- bei Nacht.\n\n**F: "
        "Rot?**\nA: Nein.\n\n"
        "Niemals.\n\n### ALLGEMEINES\n\nF: Wer beginnt?\n\nA: Niemand.\n",
        Correction(5, Fault.TITLE, "HORN", "Nebelhorn (Meer, 3B)", "word misread", 5),
    )
    assert [(e.heading, tuple(e.lines)) for e in book.entries[1:]] == [
        ("HORN (MEER; 3B)", (5, 12)),
        ("HORN (MEER; 3B)", (14, 17)),
        ("ALLGEMEINES", (19, 23)),
    ]
    assert [(e.card, e.number, e.product) for e in book.entries[2:]] == [
        ("HORN", "3B", "MEER"),
        (None, None, None),
    ]
    assert [e.title for e in book.entries[1:3]] == ["Nebelhorn (Meer, 3B)"] * 2
    assert [len(shown(book, h)) for h in ("HORN (MEER; 3B)", "ALLGEMEINES")] == [2, 1]


def test_cards_stand_under_the_product_that_a_higher_heading_names():
    book = parse(
        "# FAQ\n\n## NEBELPACK\n\n### HORN (3)\n\nF: Laut?\nA: Ja.\n\n## MEER\n\n### BOOT "
        "(4)\n\nF: Nass?\nA: Ja.\n"
    )
    rulings = [e for e in book.entries if e.kind is Kind.RULING]
    assert [(e.card, e.number, e.product) for e in rulings] == [
        ("HORN", "3", "NEBELPACK"),
        ("BOOT", "4", "MEER"),
    ]


@pytest.mark.parametrize(
    ("heading", "fields"),
    [
        ("HORN (MEER, 73/74/75)", ("HORN", "73/74/75", "MEER")),
        ("HORN (MEER / NEBEL, 8)", ("HORN", "8", "MEER / NEBEL")),
        ("HORN (S.O.S. (NEU), 12A)", ("HORN", "12A", "S.O.S. (NEU)")),
        ("HORN (12)", ("HORN", "12", None)),
        ("MEER, SEITE 4", (None, None, "MEER")),
        ("MEER, SZENARIO #2 (FLUT)", (None, None, "MEER")),
        ("HORN)", (None, None, None)),
    ],
)  # fmt: skip
def test_card_number_and_product_are_told_from_the_heading(heading, fields):
    book = parse(f"# ERRATA\n\n## ANKER (MEER, 1)\n\nHält.\n\n## {heading}\n\nNichts.\n")
    entry = book.entries[-1]
    assert (entry.card, entry.number, entry.product) == fields


def test_corrections_of_card_number_and_product_reach_the_fields():
    book = parse(
        "# ERRATA\n\n## H0RN (MER, l2)\n\nHält.\n",
        Correction(3, Fault.CARD, "H0RN", "HORN", "letter misread", 3),
        Correction(3, Fault.NUMBER, "l2", "12", "digit misread", 3),
        Correction(3, Fault.PRODUCT, "MER", "MEER", "letter lost", 3),
    )
    entry = book.entries[-1]
    assert (entry.card, entry.number, entry.product) == ("HORN", "12", "MEER")


@pytest.mark.parametrize(
    ("body", "roles"),
    [
        ('Neu: "Es hält". (bisher: "Es sinkt (bald)") Sofort.', ["text", "void", "text"]),
        ('Neu: "Es hält".  \n*(versione precedente: "Es sinkt")*', ["text", "void"]),
        ("Der Text lautet nun:\n\nEs hält.\n\nBisheriger Text: Es sinkt.", ["text", "void"]),
        ("Am Ende ergänzen,\n\nund zwar\n\nsofort: Es hält.", ["text"]),
        ('Neu: "Es hält". (bisher: "Es\n\nsinkt")', ["text", "void"]),
        ("Neu: es hält (bei Flut).", ["text"]),
    ],
)  # fmt: skip
def test_superseded_wording_is_never_served_with_the_valid_one(body, roles):
    book = parse(f"# ERRATA\n\n## BOOT (MEER, 1)\n\n{body}\n")
    assert [p.role.value for p in book.passages] == roles
    assert not any("sinkt" in p.text for p in book.passages if p.role is Role.TEXT)
    assert book.strays == ()


def test_only_markdown_looks_like_markdown():
    def score(text):
        return markdown.score(Document.from_bytes("x.txt", text.encode()))

    assert score("# A\n\nText.\n\n## B\n\nText.\n\n## C\n\nText.\n") == 1.0
    assert score("A\n\nText. #1\n\n#2 ist eine Nummer\n\n#3\n\n#4\n") == 0.0
    assert score("# A\n\n## B\n\n## C\n" + "\nZeile\n" * 200) < 0.3


def test_a_footnote_belongs_to_the_entry_that_refers_to_it():
    text = (
        "# Bocce\n\n## Gironi\n\nUno contro uno[^1].\n\n## Finale\n\nVince chi ne ha due[^b].\n\n"
    )
    notes = "---\n\n[^1]: Tre manche.\n\n[^b]: Si contano i birilli.\n\n[^9]: Di nessuno.\n"
    read = book("bocce.md", f"{text}## Premio\n\nUna coppa.\n\n{notes}")
    assert shown(read, "Gironi") == ["Uno contro uno¹.", "¹ Tre manche."]
    assert shown(read, "Finale")[1:] == ["[^b]: Si contano i birilli."]
    assert shown(read, "Premio") == ["Una coppa.", "⁹ Di nessuno."]
