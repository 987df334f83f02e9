import pytest

from corpus.document import Document
from corpus.editions import identify
from corpus.layouts import capitals
from corpus.model import Correction, Edition, Fault, Kind, Role
from corpus.read import read

GLOSSARY = "HEFT\n\nGLOSSAR\n\n{}\n\nZIEL\n\nEin Feld.\n"
FAQ = "GLOSSAR\n\nZIEL\n\nEin Feld.\n\nANHANG I: FAQ\n\n{}\n"
ERRATA = "GLOSSAR\n\nZIEL\n\nEin Feld.\n\nANHANG II. ERRATA\n\n{}\n"


def book(text, *corrections):
    edition = Edition("probe-de-1", "probe", "de", "1", "Probe", "capitals", tuple(corrections))
    found = read(Document.from_bytes("probe.txt", text.encode()), edition)
    assert found.strays == ()
    assert found.unfit == ()
    return found


def entries(rulebook):
    return [(e.kind.value, e.heading, e.lines.first, e.lines.last) for e in rulebook.entries]


def below(rulebook, heading):
    found = next(e for e in rulebook.entries if e.heading == heading)
    return [p for p in rulebook.passages if p.entry == found.id]


def term(body, *corrections):
    """The passages of a glossary entry that begins on line 5 of a small rulebook."""
    return below(book(GLOSSARY.format(f"ANKER\n\n{body}"), *corrections), "ANKER")


WHOLE = """NEBELFAHRT
VERSION 2.0

ZU DIESEM HEFT

Lest es am Ofen.

GLOSSAR

Von A bis Z.

A

ANKER (♦)

Er hält das Boot.

Siehe auch: Boot

BOOT, KAHN

Siehe: Anker

ANHANG A - FRAGEN UND ANTWORTEN

ALLGEMEINE FRAGEN

F: Wer beginnt?

A: Der Älteste.

KÜSTENSPIEL

MÖWE (7)

F: Fliegt sie?
A: Ja.
F: Immer?
A: Nein.

WETTER

F: Gibt es Sturm?

A: Nie.

ANHANG B: ERRATA

KÜSTENSPIEL

MÖWE (7)

Bisheriger Text: Sie fliegt.

Sie fliegt nie.

INDEX

A

Anker (♦) 3 Anker lichten
(auf See) 4, 5

B

Boot 4
"""


def test_a_rulebook_of_another_game_needs_no_description_of_its_own():
    rulebook = book(WHOLE)
    assert entries(rulebook) == [
        ("section", "NEBELFAHRT", 1, 1),
        ("section", "ZU DIESEM HEFT", 4, 6),
        ("section", "GLOSSAR", 8, 22),
        ("term", "ANKER (♦)", 14, 18),
        ("redirect", "BOOT, KAHN", 20, 22),
        ("section", "ANHANG A - FRAGEN UND ANTWORTEN", 24, 45),
        ("section", "ALLGEMEINE FRAGEN", 26, 30),
        ("ruling", "ALLGEMEINE FRAGEN", 28, 30),
        ("section", "KÜSTENSPIEL", 32, 45),
        ("ruling", "MÖWE", 34, 37),
        ("ruling", "MÖWE", 38, 39),
        ("ruling", "WETTER", 41, 45),
        ("section", "ANHANG B: ERRATA", 47, 55),
        ("section", "KÜSTENSPIEL", 49, 55),
        ("erratum", "MÖWE", 51, 55),
        ("section", "INDEX", 57, 66),
    ]
    assert [
        (e.card, e.number, e.product)
        for e in rulebook.entries
        if e.kind in (Kind.RULING, Kind.ERRATUM)
    ] == [
        (None, None, None),
        ("MÖWE", "7", "KÜSTENSPIEL"),
        ("MÖWE", "7", "KÜSTENSPIEL"),
        (None, None, "KÜSTENSPIEL"),
        ("MÖWE", "7", "KÜSTENSPIEL"),
    ]
    assert [(i.line, i.name, i.pages) for i in rulebook.index_items] == [
        (61, "Anker (♦)", (3,)),
        (61, "Anker lichten (auf See)", (4, 5)),
        (66, "Boot", (4,)),
    ]


def test_wording_that_is_printed_only_to_be_replaced_is_void():
    found = [p for p in book(WHOLE).passages if 53 <= p.lines.first <= 55]
    assert [(p.role, p.lines.first) for p in found] == [(Role.VOID, 53), (Role.TEXT, 55)]


def test_the_layout_is_recognised_without_its_edition():
    document = Document.from_bytes("probe.txt", WHOLE.encode())
    assert identify(document).layout == "capitals"


@pytest.mark.parametrize(
    "text",
    [
        "# ZIEL\n\nEin Feld.\n\n# ZONE\n\nEin Ort.\n\n# ZUG\n\nEine Runde.\n",
        "Ziel\n\nEin Feld.\n\nZone\n\nEin Ort.\n",
        "1.1. Ziele\n\n1.1.1. Ein Feld.\n\nABC\n",
    ],
)
def test_other_layouts_are_not_taken_for_this_one(text):
    assert capitals.score(Document.from_bytes("probe.txt", text.encode())) < 0.3


@pytest.mark.parametrize(
    ("body", "lines", "display"),
    [
        ("Er liegt im Ha-\n\nfen.", [(7, 9)], "Er liegt im Hafen."),
        (
            "- Er liegt dort\n\n- und rostet.\n- Er bleibt.",
            [(7, 9), (10, 10)],
            "• Er liegt dort und rostet.",
        ),
        (
            "Er liegt f\nür immer da.\n\nDas gilt für alle.",
            [(7, 8), (10, 10)],
            "Er liegt für immer da.",
        ),
        ("- Er ist\n schwer und\n rostig.", [(7, 9)], "• Er ist schwer und rostig."),
        ("- Er ist schwer.\n Er rostet.", [(7, 7), (8, 8)], "• Er ist schwer."),
        ("Er ist schwer.\n\n12\n\nEr rostet.", [(7, 7), (11, 11)], "Er ist schwer."),
        ("Er ist schwer\n\nEr rostet.", [(7, 7), (9, 9)], "Er ist schwer"),
        ("Er hält.\n\nBeispiel: Bei Ebbe.", [(7, 9)], "Er hält.\nBeispiel: Bei Ebbe."),
        ("So geht es:\n\n- Tau\n- Kette", [(7, 10)], "So geht es:\n• Tau\n• Kette"),
        ("So geht es:\n\n- Wirf ihn.\n- Zieh.", [(7, 7), (9, 9), (10, 10)], "So geht es:"),
        ("- Eins geht.\n - ➤ Immer.\n- Zwei auch.", [(7, 8), (9, 9)], "• Eins geht.\n • Immer."),
        (
            "- Eins geht.\n - a. Hier.\n\n- b. Dort.\n- Zwei.",
            [(7, 10), (11, 11)],
            "• Eins geht.\n • a. Hier.\n • b. Dort.",
        ),
    ],
)
def test_lines_become_passages_that_can_be_read_out(body, lines, display):
    found = term(body)
    assert [tuple(p.lines) for p in found] == lines
    assert found[0].display == display


def test_a_sentence_goes_on_below_the_caption_of_a_figure():
    rulebook = book(GLOSSARY.format("ANKER\n\nEr liegt im\n\n\n\nANKER\n\nnassen Sand."))
    assert [e.heading for e in rulebook.entries if e.kind is Kind.TERM] == ["ANKER", "ZIEL"]
    assert below(rulebook, "ANKER")[0].display == "Er liegt im nassen Sand."


def test_the_label_of_a_figure_is_no_section():
    rulebook = book(
        "HEFT\n\nGLOSSAR\n\nZIEL\n\nEin Feld.\n\nANHANG I: KARTEN\n\nEine "
        "Karte.\n\n\n\nZIEL\n\n\n\nAUFBAU\n\nZwei Felder.\n"
    )
    assert [e.heading for e in rulebook.entries] == [
        "HEFT",
        "GLOSSAR",
        "ZIEL",
        "ANHANG I: KARTEN",
        "AUFBAU",
    ]


@pytest.mark.parametrize(
    ("marks", "numbers"),
    [
        (["", "2. ", "3. "], ["1.", "2.", "3."]),
        (["1. ", "", "3. ", ""], ["1.", "2.", "3.", None]),
        (["", "", "**3.** "], ["1.", "2.", "3."]),
        (["", "3. "], [None, "3."]),
        (["1. ", "", "4. "], ["1.", None, "4."]),
        (["", ""], [None, None]),
    ],
)
def test_only_numbers_that_are_certain_are_put_back(marks, numbers):
    found = term("\n".join(f"- {mark}Wirf ihn aus." for mark in marks))
    assert [
        first if (first := p.display.split()[1]).endswith(".") else None for p in found
    ] == numbers


def test_a_list_of_references_alone_makes_a_redirect():
    rulebook = book(
        GLOSSARY.format("ANKER\n\n**Siehe auch:** Boot,\nZiel\n\nBOOT\n\nEs schwimmt.\nSiehe: Ziel")
    )
    kinds = {e.heading: e.kind for e in rulebook.entries}
    assert (kinds["ANKER"], kinds["BOOT"]) == (Kind.REDIRECT, Kind.TERM)
    assert [p.role for p in below(rulebook, "BOOT")] == [Role.TEXT, Role.SEE]


@pytest.mark.parametrize("heading", ["ANHANG", "ERRATA", "REGISTER"])
def test_a_glossary_may_explain_words_that_head_chapters_elsewhere(heading):
    rulebook = book(GLOSSARY.format(f"{heading}\n\nEin Wort wie andere."))
    assert {e.heading: e.kind for e in rulebook.entries}[heading] is Kind.TERM


def test_questions_without_products_belong_to_their_cards():
    rulebook = book(FAQ.format("MÖWE\n\nF: Fliegt sie?\n\nA: Ja.\n\nBOOT\n\nF: Sinkt es?\n\nNein."))
    assert [(e.heading, e.card, e.product) for e in rulebook.entries if e.kind is Kind.RULING] == [
        ("MÖWE", "MÖWE", None),
        ("BOOT", "BOOT", None),
    ]


@pytest.mark.parametrize(
    ("printed", "name", "number", "product"),
    [
        ("MÖWE (7)", "MÖWE", "7", "KÜSTE"),
        ("MÖWE (7A-7C)", "MÖWE", "7A-7C", "KÜSTE"),
        ("MÖWE (HAFEN, 12B)", "MÖWE (HAFEN, 12B)", "12B", "HAFEN"),
        ("LAGE #2 - EBBE", "LAGE #2 - EBBE", None, "KÜSTE"),
        ('"MÖWE!" (7)', '"MÖWE!"', "7", "KÜSTE"),
    ],
)
def test_the_number_in_brackets_is_a_field_of_a_correction(printed, name, number, product):
    rulebook = book(ERRATA.format(f"KÜSTE\n\nFELS (1)\n\nEr ist nass.\n\n{printed}\n\nSie fliegt."))
    assert [(e.heading, e.number, e.product) for e in rulebook.entries if e.kind is Kind.ERRATUM][
        1:
    ] == [(name, number, product)]


def test_corrections_decide_what_the_signs_do_not():
    body = "ANKER\n\n- Er hält.\n- Das Boot.\n\nHALT\n\nSo ruft man.\n\nRand\n\nEin Ende.\n\nBILD 3"
    rulebook = book(
        GLOSSARY.format(body),
        Correction(7, Fault.NUMBER, "Er hält", 1, "lost", 7),
        Correction(8, Fault.TORN, "Das Boot", 7, "torn", 8),
        Correction(10, Fault.NOT_HEADING, "HALT", None, "a cry", 10),
        Correction(14, Fault.HEADING, "Rand", "term", "not in capitals", 14),
        Correction(18, Fault.FURNITURE, "BILD", None, "caption", 18),
    )
    assert [e.heading for e in rulebook.entries] == ["HEFT", "GLOSSAR", "ANKER", "Rand", "ZIEL"]
    assert [p.display for p in below(rulebook, "ANKER")] == [
        "• 1. Er hält.\n • Das Boot.",
        "HALT",
        "So ruft man.",
    ]
    assert [f.why for f in rulebook.furniture] == ["caption"]


TRICKS = """\
SPIELABLAUF

Jede Person bekommt zehn Karten, und wer links vom Geber sitzt, spielt aus.

//RANG DER KARTEN//

Die Reihenfolge der Karten lautet wie folgt:

    BUBE
    ASS
    ZEHN
    KÖNIG (vier)
    DAME (drei)

Der höchste Trumpf gewinnt den Stich.
"""


def test_an_indented_list_in_capitals_is_no_heading_and_frames_are_not_shown():
    rulebook = book(TRICKS)
    assert [entry.title for entry in rulebook.entries] == ["Spielablauf", "Rang der Karten"]
    assert rulebook.entries[1].heading == "//RANG DER KARTEN//"
    assert rulebook.passages[-1].entry == rulebook.entries[1].id


def test_headings_between_ruled_lines_are_the_parents_of_those_behind_them():
    rule = "=" * 40
    games = [
        f"{rule}\n\n{name}\n\n{rule}\n\nDEAL\n\nTen cards.\n\nSCORE\n\nA point.\n\n"
        for name in ("SKAT", "RUMMY")
    ]
    rulebook = book(f"HOUSE RULES\n\nFor all games.\n\n{''.join(games)}")
    parents = {entry.id: entry for entry in rulebook.entries}
    shown = [
        (entry.title, entry.parent and parents[entry.parent].title) for entry in rulebook.entries
    ]
    assert shown == [
        ("House Rules", None),
        ("Skat", None), ("Deal", "Skat"), ("Score", "Skat"),
        ("Rummy", None), ("Deal", "Rummy"), ("Score", "Rummy"),
    ]  # fmt: skip
