import pytest

from corpus.document import Document
from corpus.layouts import dashed
from corpus.layouts.dashed import headings as dashed_headings
from corpus.layouts.dashed.headings import Form
from corpus.model import Edition, Fault, Kind, Role
from corpus.read import read
from tests.corpus.reading import correct

FRONT = """Startseite

Das Imker-FAQ

Grundlagen:
Schwarm
Stock


"""


def faq(body, *corrections, front=FRONT):
    """An FAQ with ``body`` under the contents, read with ``corrections``."""
    edition = Edition(
        "imker-de", "imker", "de", "", "Das Imker-FAQ", "dashed", corrections=corrections
    )
    return read(Document.from_bytes("faq.txt", (front + body).encode()), edition)


def section(text, title="Schwarm"):
    return f"---------------{title}---------------\n\n{text}\n\n!!wieder hoch!!\n\n"


def tree(book):
    """Headings below the terms, indented by depth."""
    parents = {e.id: e.parent for e in book.entries}

    def depth(entry):
        return 0 if entry is None else 1 + depth(parents[entry])

    return ["  " * (depth(e.parent) - 1) + e.heading for e in book.entries if e.parent]


def texts(book, role=Role.TEXT):
    return [p.text for p in book.passages if p.role is role]


# Examples, lead-ins, steps, rows of tables, data of cards, quotations and warnings, all of which
# may look like heads.


# Heads
# ---------------------------------------------------------------------------------------------------------------


def found(text):
    document = Document.from_bytes("x", text.encode())
    head = dashed_headings.find_subheading(document.line(1))
    return (head.form, head.text) if head else None


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("II. Ausflug", Form.ROMAN),
        ("III.Heimkehr:", Form.ROMAN),
        ("b.) Honig ernten", Form.LETTER),
        ("c)Wachs", Form.LETTER),
        ("Ausflug mit mehreren Bienen:", Form.COLON),
        ("Ei, Larve / Puppe + Königin:", Form.COLON),
        ('Ablauf beim "Schwärmen":', Form.COLON),
        ("Exkurs:", Form.COLON),
        ("SONDERFALL!", Form.COLON),
        ('Sonderfall "Regen"', Form.ASIDE),
        ('Exkurs "Wer hat das gesagt?":', Form.ASIDE),
    ],
)
def test_a_head_on_its_own_line_is_found_in_every_form(text, form):
    assert found(text) == (form, text)


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("Wirkung: Der Stock bekommt zwei Waben dazu.", "Wirkung:"),
        ('Drohne "die Dicke": Sie fliegt nie als erste aus.', 'Drohne "die Dicke":'),
        (
            'Sonderfall "Das war nichts!": Der Schwarm kehrt sofort um.',
            'Sonderfall "Das war nichts!":',
        ),
    ],
)
def test_a_head_may_begin_a_paragraph(text, heading):
    assert found(text) == (Form.RUN_IN, heading)


@pytest.mark.parametrize(
    "text",
    [
        "Ein Beispiel:",
        "Beispiele:",
        "Beispiel: Die Biene fliegt dreimal um den Stock.",
        "Die Bienen sind:",
        "Also :",
        "Das bedeutet:",
        "Imkerin A kontrolliert:",
        "Gezogen werden folgende Karten:",
        "Achtung: Die Biene sticht auch nachts.",
        "Werte: 4/3/4 = 8",
        "Drohnen : höchstens 4/4/4 Mut 3",
        "Bienen: Honig",
        "Probe 4+: Der Stock wird um eine Wabe größer.",
        "Waben (B/D), GW 4, 1*1, Fund: Nimm zwei Waben aus dem Vorrat.",
        "1. Ausflug: Zuerst fliegt die älteste Biene aus dem Stock.",
        "- Honig:",
        "I.) Ausflug",
        "Ein ganzer Satz, der mit einem Punkt endet.",
        "Bisheriger Text:",
        "a.) Die Biene fliegt aus.",
    ],
)
def test_examples_lead_ins_tables_and_warnings_are_no_heads(text):
    assert found(text) is None


# Sections
# ------------------------------------------------------------------------------------------------------------


def test_roman_heads_without_colon_hold_heads_with_one():
    book = faq(
        section(
            "I. Ausflug\nMit Karte.\n\nAblauf:\na.)Start\nLos.\n\nb.)Flug\nWeit.\n\nII. "
            "Heimkehr\nOhne Karte.\n\nWetter:\nNie bei Regen."
        )
    )
    assert tree(book) == [
        "I. Ausflug",
        "  Ablauf:",
        "    a.)Start",
        "    b.)Flug",
        "II. Heimkehr",
        "  Wetter:",
    ]


def test_roman_heads_with_colon_stand_beside_other_heads():
    book = faq(
        section(
            "I. Ausflug:\nMit Karte.\n\nII. Folgen\nKeine.\n\nIII. Heimkehr:\na.) "
            "Landung\nSanft.\n\nWetter:\nNie bei Regen."
        )
    )
    assert tree(book) == ["I. Ausflug:", "II. Folgen", "III. Heimkehr:", "  a.) Landung", "Wetter:"]


def test_the_first_of_two_heads_in_a_row_holds_those_after_it():
    book = faq(
        section(
            "Start:\nLos.\n\nArten:\n\nDrohnen:\nSie ruhen.\n\nBienen:\nSie fliegen.\n\nDrohne "
            "Karl: Er fliegt doch ein wenig."
        )
    )
    assert tree(book) == ["Start:", "Arten:", "  Drohnen:", "  Bienen:", "    Drohne Karl:"]


def test_a_remark_on_everything_stands_beside_the_head_above_it():
    book = faq(
        section(
            "Bienen:\nSie fliegen.\n\nAnmerkung: Was für Bienen gilt, gilt auch für "
            "Hummeln.\n\nExkurs:\nHummeln sind dick."
        )
    )
    assert tree(book) == ["Bienen:", "Anmerkung:", "Exkurs:"]


def test_a_remark_on_one_thing_stands_inside_the_head_above_it():
    book = faq(
        section(
            'Bienen:\nSie fliegen.\n- Anna\n- Berta\n\nSonderfall "Anna": Sie fliegt nur bei Regen.'
        )
    )
    assert tree(book) == ["Bienen:", '  Sonderfall "Anna":']


def test_changed_cards_void_their_old_text_only():
    book = faq(
        section(
            'Rauch:\nBisheriger Text:\n"Drei Waben."\nNeuer Text:\n"Zwei Waben."\nÄnderung:\nEine '
            "Wabe weniger."
        )
    )
    (erratum,) = [e for e in book.entries if e.kind is Kind.ERRATUM]
    assert (erratum.heading, erratum.card) == ("Rauch:", "Rauch")
    assert texts(book, Role.VOID) == ['Bisheriger Text:\n"Drei Waben."']
    assert texts(book) == ['Neuer Text:\n"Zwei Waben."\nÄnderung:\nEine Wabe weniger.']


def test_a_misprinted_card_is_void_and_the_text_after_it_is_not():
    body = section(
        "Alter Korb (B/D)\nGW 2 1*1\nNimm drei Waben.\n\nRichtig sind zwei Waben.", "Druckfehler"
    )
    book = faq(body)
    (erratum,) = [e for e in book.entries if e.kind is Kind.ERRATUM]
    assert (erratum.heading, erratum.card) == ("Alter Korb (B/D)", "Alter Korb")
    assert texts(book, Role.VOID) == ["GW 2 1*1\nNimm drei Waben."]
    assert texts(book) == ["Richtig sind zwei Waben."]
    assert [
        e for e in faq(body.replace("Druckfehler", "Schwarm")).entries if e.kind is Kind.ERRATUM
    ] == []


def test_data_of_a_card_are_no_heads():
    book = faq(
        section(
            "Drohnen\nGW 1\n1*3\nFund: Nimm eine Wabe aus dem Vorrat.\n\nWirkung: Die Wabe kommt "
            "auf die Hand."
        )
    )
    assert tree(book) == ["Wirkung:"]
    assert texts(book)[0].startswith("Drohnen\n")


def test_a_section_without_text_is_still_an_entry():
    book = faq(section("", "Stock") + section("Ein Schwarm zieht weiter."))
    assert [(e.heading, tuple(e.lines)) for e in book.entries if e.kind is Kind.TERM] == [
        ("Stock", (10, 10)),
        ("Schwarm", (16, 18)),
    ]


def test_a_section_line_may_close_with_fewer_dashes():
    book = faq("---------------Stock-----------\n\nEr steht.\n")
    assert [e.heading for e in book.entries if e.kind is Kind.TERM] == ["Stock"]


def test_any_line_that_ends_most_sections_is_navigation():
    body = "".join(section(f"Satz {n}.", f"Teil {n}") for n in range(4)).replace(
        "!!wieder hoch!!", "[Seitenanfang]"
    )
    book = faq(body)
    assert texts(book) == [f"Satz {n}." for n in range(4)]
    assert sum(f.why == "navigation" for f in book.furniture) == 4


def test_the_contents_are_one_section_under_the_title():
    book = faq(section("Text.") + section("Text.", "Der Stock"))
    first = book.entries[0]
    assert (first.kind, first.heading, tuple(first.lines)) == (
        Kind.SECTION,
        "Das Imker-FAQ",
        (3, 7),
    )
    assert texts(book, Role.LISTING) == ["Grundlagen:\nSchwarm\nStock"]
    assert [f.why for f in book.furniture if f.span.start == 0] == ["page label"]


def test_a_note_between_title_and_contents_is_text():
    front = "Das Imker-FAQ\n\nStand: heute\n\nSchwarm\nStock\n\n"
    book = faq(section("Text.") + section("Text.", "Stock"), front=front)
    assert book.entries[0].heading == "Das Imker-FAQ"
    assert texts(book)[0] == "Stand: heute"


# Passages
# ------------------------------------------------------------------------------------------------------------

PARAGRAPH = "Die Biene fliegt über die Wiese und sammelt dabei Nektar von allen Blüten. "
LONG = PARAGRAPH * 6


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("Erlaubt sind:\n- Honig\n- Wachs", ["Erlaubt sind:\n- Honig\n- Wachs"]),
        ("Erlaubt sind:\n\n- Honig\n\n- Wachs", ["Erlaubt sind:\n\n- Honig\n\n- Wachs"]),
        (
            f"- {PARAGRAPH * 2}\n- {PARAGRAPH * 3}",
            [f"- {PARAGRAPH * 2}".strip(), f"- {PARAGRAPH * 3}".strip()],
        ),
        ("Ein Satz, der für sich allein steht und lang genug ist.\n\nNun ja.", None),
        ("Beispiel:\n\nAnna fliegt.\n\nBerta bleibt.", None),
        (
            "Waben (B), GW 4, 1*1, Fund: Nimm zwei Waben.\n\nEs dürfen auch zwei Waben von "
            "verschiedenen Stöcken sein.",
            None,
        ),
        (f"{LONG}\n{LONG}", [LONG.strip()] * 2),
        (
            f"{LONG}das gilt bis\n- zum Abend\n{LONG}",
            [f"{LONG}das gilt bis\n- zum Abend", LONG.strip()],
        ),
    ],
)
def test_passages_hold_what_is_read_out_together(body, wanted):
    assert texts(faq(section(body))) == ([body] if wanted is None else wanted)


def test_cards_quoted_one_after_another_are_passages_of_their_own():
    quotes = [
        f"{name} (B/D): GW 4, 1*1, Fund: Nimm zwei Waben aus dem Vorrat und lege sie zu den "
        "anderen."
        for name in ("Korb", "Rahmen")
    ]
    assert texts(faq(section("\n\n".join(quotes)))) == quotes


def test_items_that_are_paragraphs_have_the_depth_of_a_bullet():
    book = faq(section(f"- {PARAGRAPH * 2}\n- {PARAGRAPH * 2}"))
    assert [p.depth for p in book.passages if p.role is Role.TEXT] == [1, 1]


def test_a_head_inside_a_paragraph_is_read_out_with_it():
    book = faq(section("Wirkung: Der Stock wird größer, wenn Platz ist."))
    assert texts(book) == ["Wirkung: Der Stock wird größer, wenn Platz ist."]
    assert next(e for e in book.entries if e.heading == "Wirkung:").title == "Wirkung"


# Corrections
# ---------------------------------------------------------------------------------------------------------


def test_a_correction_makes_a_head_of_a_line_without_colon():
    body = section(
        "Arten:\nEs gibt zwei.\n\nFliegende Bienen\nSie fliegen.\n\nRuhende:\nSie ruhen."
    )
    assert tree(faq(body)) == ["Arten:", "Ruhende:"]
    corrected = faq(body, correct(15, Fault.HEADING, "Fliegende Bienen", "subsection"))
    assert tree(corrected) == ["Arten:", "  Fliegende Bienen", "Ruhende:"]


def test_a_correction_makes_a_section_of_a_line_without_dashes():
    body = section("Er fliegt.\n\nStock\n\nEr steht.")
    book = faq(body, correct(14, Fault.HEADING, "Stock", "term"))
    assert [e.heading for e in book.entries if e.kind is Kind.TERM] == ["Schwarm", "Stock"]


def test_a_correction_makes_text_of_a_head():
    body = section("Sieben Waben für Anna:\nDas reicht.")
    assert tree(faq(body)) == ["Sieben Waben für Anna:"]
    assert tree(faq(body, correct(12, Fault.NOT_HEADING, "Sieben"))) == []


def test_text_goes_back_to_the_entry_it_belongs_to():
    body = section(
        "Karl: Er fliegt als einziger auch bei Regen.\n\nAlle Schwärme kehren am Abend in ihren "
        "Stock zurück, ohne Ausnahme."
    )
    book = faq(body, correct(14, Fault.BELONGS, "Alle Schwärme", "Schwarm"))
    lines = {e.heading: tuple(e.lines) for e in book.entries}
    assert lines["Karl:"] == (12, 12)
    assert lines["Schwarm"] == (10, 14)
    homes = {e.id: e.heading for e in book.entries}
    assert homes[book.passages[-1].entry] == "Schwarm"


def test_a_torn_paragraph_is_one_passage_with_two_spans():
    body = section("Die Biene fliegt über\n\nSeite 7\n\ndie Wiese und kommt erst am Abend zurück.")
    book = faq(
        body, correct(14, Fault.FURNITURE, "Seite 7"), correct(16, Fault.TORN, "die Wiese", 12)
    )
    (passage,) = [p for p in book.passages if p.role is Role.TEXT]
    assert passage.text == "Die Biene fliegt über\ndie Wiese und kommt erst am Abend zurück."
    assert len(passage.spans) == 2


def test_a_misprinted_card_name_is_corrected():
    body = section('Ruach:\nBisheriger Text:\n"Drei."\nNeuer Text:\n"Zwei."')
    book = faq(body, correct(12, Fault.CARD, "Ruach", "Rauch"))
    assert [(e.heading, e.card) for e in book.entries if e.kind is Kind.ERRATUM] == [
        ("Ruach:", "Rauch")
    ]


# Whatever comes
# ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        (FRONT + section("Text.") + section("Text.", "Stock"), 0.5, 1.0),
        ("Überschrift\n---\n\nText.\n\n-----\n", 0.0, 0.0),
        ("Nur Text ohne Striche.\n", 0.0, 0.0),
    ],
)
def test_the_layout_is_told_by_its_dashes(text, least, most):
    assert least <= dashed.score(Document.from_bytes("x", text.encode())) <= most


def test_many_heads_in_a_row_do_not_nest_without_end():
    assert max(len(line) - len(line.lstrip()) for line in tree(faq(section("Kopf:\n" * 3000)))) <= 4
