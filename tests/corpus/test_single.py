import pytest

from corpus.document import Document
from corpus.editions import identify
from corpus.layouts import single
from corpus.model import Correction, Edition, Fault, Kind, Role
from corpus.read import read

PAGE = """Würfel, Würfelwurf

Ein Würfel zeigt eine Zahl.

  • Gewürfelt wird in den folgenden Fällen:

    • beim Start
    • Glück“-Proben

    Danach ist der Nachbar dran.

  • Die höchste Zahl gewinnt.

Doppelter Wurf

Wer doppelt wirft, geht so vor:

  1. Den ersten Wurf merken
  2. Zauber“-Karten ablegen
  3. Noch einmal werfen

Siehe auch: Glück, Zahl
"""


def edition(language="de", *corrections):
    return Edition("a", "g", language, "1", "T", "single", corrections)


def parse(text, *corrections, language="de"):
    return read(Document.from_bytes("x.txt", text.encode()), edition(language, *corrections))


def texts(book, heading):
    entry = next(e for e in book.entries if e.heading == heading)
    return [p.text for p in book.passages if p.entry == entry.id]


def test_the_page_is_one_term_with_its_named_parts():
    book = parse(PAGE)
    assert [(e.kind, e.heading, tuple(e.lines)) for e in book.entries] == [
        (Kind.TERM, "Würfel, Würfelwurf", (1, 22)),
        (Kind.SUBSECTION, "Doppelter Wurf", (14, 20)),
    ]
    assert book.entries[1].parent == book.entries[0].id
    assert not book.strays


def test_text_after_a_list_inside_a_bullet_stays_with_the_bullet():
    bullets = [t for t in texts(parse(PAGE), "Würfel, Würfelwurf") if t.startswith("•")]
    assert len(bullets) == 2
    assert bullets[0].endswith("Danach ist der Nachbar dran.")


def test_the_list_of_references_belongs_to_the_whole_entry():
    book = parse(PAGE)
    see = [p for p in book.passages if p.role is Role.SEE]
    assert [(p.entry, p.text) for p in see] == [(book.entries[0].id, "Siehe auch: Glück, Zahl")]


def test_a_list_of_references_inside_a_part_stays_there():
    book = parse(PAGE.replace("Wer doppelt", "Siehe auch: Pasch\n\nWer doppelt"))
    see = [p.entry for p in book.passages if p.role is Role.SEE]
    assert see == [book.entries[1].id, book.entries[0].id]


def test_a_short_ordered_list_is_read_out_with_its_sentence():
    book = parse(PAGE)
    assert len(texts(book, "Doppelter Wurf")) == 1
    long = parse(PAGE.replace("Noch einmal werfen", "Noch einmal werfen " * 50))
    assert len(texts(long, "Doppelter Wurf")) == 4


@pytest.mark.parametrize(
    ("printed", "shown", "language"),
    [
        ("Glück“-Proben", "„Glück“-Proben", "de"),
        ("Glück”-Proben", "„Glück”-Proben", "de"),
        ("Fortuna” e altro", "“Fortuna” e altro", "it"),
        ("„Glück“ und „Pech“", "„Glück“ und „Pech“", "de"),
        ("Fortuna “bella” e altro", "Fortuna “bella” e altro", "it"),
        ("Prove “Fortuna”, altre", "Prove “Fortuna”, altre", "it"),
    ],
)
def test_a_lost_opening_quotation_mark_is_shown_and_the_evidence_stays(printed, shown, language):
    book = parse(f"Titel eins\n\nEin Satz.\n\n  • {printed}\n", language=language)
    assert book.passages[-1].text == f"• {printed}"
    assert book.passages[-1].display == f"• {shown}"


def test_marks_are_restored_in_numbered_lists_too():
    assert "2. „Zauber“-Karten ablegen" in parse(PAGE).passages[-2].display


def test_an_entry_that_only_points_elsewhere_is_a_redirect():
    assert parse("Pasch\n\nSiehe: Doppelter Wurf\n").entries[0].kind is Kind.REDIRECT


def test_corrections_make_and_unmake_headings_and_furniture():
    def fix(line, fault, printed):
        return Correction(line, fault, printed, None, "test", line)

    book = parse(
        PAGE,
        fix(14, Fault.NOT_HEADING, "Doppelter"),
        fix(8, Fault.FURNITURE, "Glück"),
        fix(3, Fault.HEADING, "Ein Würfel"),
    )
    assert [e.heading for e in book.entries] == [
        "Würfel, Würfelwurf",
        "Ein Würfel zeigt eine Zahl.",
    ]
    assert len(book.furniture) == 1
    torn = next(p for p in book.passages if "beim Start" in p.text)
    assert len(torn.spans) == 2
    assert "Glück" not in torn.text


def test_an_italian_page_is_read_too():
    book = parse(
        "Dado\n\nUn dado mostra un numero.\n\n  • Vince il numero più alto.\n\nVedi anche: "
        "Fortuna\n",
        language="it",
    )
    assert [p.role for p in book.passages] == [Role.TEXT, Role.TEXT, Role.SEE]


def test_an_unknown_page_gets_an_edition_of_its_own():
    found = identify(Document.from_bytes("x.txt", PAGE.encode()))
    assert found is not None
    assert (found.layout, found.known, found.language) == ("single", False, "de")


@pytest.mark.parametrize(
    "text",
    [
        "ÜBERBLICK\n\nEin Satz.\n\nGLOSSAR\n\nWÜRFEL\n\nEin Würfel zeigt eine Zahl.\n\nSiehe auch: "
        "Zahl\n",
        "# Regeln\n\n## WÜRFEL\n\nEin Würfel.\n\n**Siehe auch:** Zahl\n",
        "Regeln\n\n1.1. Ein Würfel zeigt eine Zahl.\n\n1.2. Die Zahl gilt.\n",
        "Ein Satz ohne alles.\nNoch einer.\n",
        "",
    ],
)
def test_other_layouts_and_plain_text_do_not_look_like_a_page(text):
    raw = text or " x"
    assert single.score(Document.from_bytes("x.txt", raw.encode())) < 0.3
