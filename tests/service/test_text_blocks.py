from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.display import display, readable
from corpus.document import Document
from corpus.editions import identify
from corpus.model import Lines, Passage, Role, Span
from corpus.read import read
from service.browse.text_blocks import AnnotatedPassage, TextLink, text_blocks
from service.core.displayed import display_spans, text_span


def passage(text, shown_as=None, depth=0):
    return Passage(
        "g/e#0",
        "g/e",
        0,
        Role.TEXT,
        depth,
        (Span(0, len(text)),),
        Lines(1, 1),
        text,
        display(text) if shown_as is None else shown_as,
    )


@pytest.mark.parametrize(
    ("text", "marked", "expected"),
    [
        ("Eins. Zwei drei. Vier.", "Zwei drei.", "Zwei drei."),
        ("Eins. **Zwei** drei. Vier.", "**Zwei** drei.", "Zwei drei."),
        (
            "Ein Schiff kann an-\nkern. Es sinkt.",
            "Ein Schiff kann an-\nkern.",
            "Ein Schiff kann ankern.",
        ),
        ("Ja. \\u00c4nderungen gelten. Nein.", "\\u00c4nderungen gelten.", "Änderungen gelten."),
        ("- Erstens.\n - Zweitens.", " - Zweitens.", "• Zweitens."),
        ("Siehe [hier](#oben) und dort.", "[hier](#oben)", "hier"),
        ("Nimm zwei\nMünzen. Nimm drei.", "Nimm zwei\nMünzen.", "Nimm zwei\nMünzen."),
    ],
)
def test_marks_cover_the_same_words_in_the_display(text, marked, expected):
    at = text.index(marked)
    quoted = passage(text)
    assert [quoted.display[a:b] for a, b in display_spans(quoted, [(at, at + len(marked))])] == [
        expected
    ]


def test_a_restored_number_does_not_move_the_mark():
    text = "Erst ziehen. Dann legen."
    quoted = passage(text, readable(text, [(0, len(text))], {0: "5. ", 13: "6. "}))
    assert [quoted.display[a:b] for a, b in display_spans(quoted, [(13, 24)])] == ["Dann legen."]


def test_a_mark_on_nothing_that_is_shown_is_left_out():
    assert display_spans(passage("**Ja** nein"), [(0, 2)]) == []


@given(
    st.text("ab Ä.,*-\n\\u04[]()", max_size=80),
    st.lists(st.tuples(st.integers(-5, 90), st.integers(-5, 90)), max_size=4),
)
def test_marks_always_lie_within_the_display(text, spans):
    quoted = passage(text)
    for a, b in display_spans(quoted, spans):
        assert 0 <= a < b <= len(quoted.display)
        assert not quoted.display[a].isspace()
        assert not quoted.display[b - 1].isspace()


def test_a_place_in_the_document_is_found_in_a_torn_passage():
    document = "Der Hafen ist\n- 7 -\ngeschlossen heute"
    spans = (Span(0, 13), Span(20, 37))
    text = "\n".join(document[a:b] for a, b in spans)
    torn = Passage("g/e#0", "g/e", 0, Role.TEXT, 0, spans, Lines(1, 3), text, display(text))
    start = document.index("geschlossen")
    place = text_span(torn, Span(start, start + 11))
    assert place is not None
    assert text[slice(*place)] == "geschlossen"
    assert text_span(torn, Span(14, 19)) is None


def outline(found):
    return [
        (
            ("• " if b.bullet else "") + b.number + "".join(r.text for r in b.runs),
            outline(b.children),
        )
        for b in found
    ]


def test_bullets_stand_under_the_bullets_they_belong_to():
    found = text_blocks(
        AnnotatedPassage(p)
        for p in (
            passage("Vorweg."),
            passage("- Eins.\n  - Eins a.\n    - Ganz tief.\n  - Eins b.", depth=1),
            passage("- Unter eins.", depth=2),
            passage("Zwei ohne Zeichen.", depth=1),
            passage("Danach."),
        )
    )
    deep: tuple[str, list[Any]] = ("• Ganz tief.", [])
    assert outline(found) == [
        ("Vorweg.", []),
        ("• Eins.", [("• Eins a.", [deep]), ("• Eins b.", []), ("• Unter eins.", [])]),
        ("• Zwei ohne Zeichen.", []),
        ("Danach.", []),
    ]


def test_counted_lines_keep_their_numbers():
    found = text_blocks([AnnotatedPassage(passage("So geht es:\n1. Ziehen.\n2. Legen."))])
    assert [(b.number, b.runs[0].text) for b in found] == [
        ("", "So geht es:"),
        ("1.", "Ziehen."),
        ("2.", "Legen."),
    ]


def test_marks_and_links_may_overlap_without_losing_a_letter():
    quoted = passage("Ein Schiff ankert im Hafen.")
    links = [
        TextLink(Span(4, 10), "/schiff"),
        TextLink(Span(8, 17), "/quer"),
        TextLink(Span(21, 26), "/hafen"),
    ]
    runs = text_blocks([AnnotatedPassage(quoted, [Span(0, 17)], links)])[0].runs
    assert "".join(r.text for r in runs) == quoted.display
    assert [(r.text, r.mark, r.link.url if r.link else None) for r in runs] == [
        ("Ein ", True, None),
        ("Schiff", True, "/schiff"),
        (" ankert", True, None),
        (" im ", False, None),
        ("Hafen", False, "/hafen"),
        (".", False, None),
    ]


def test_rows_stand_in_a_table_below_their_header():
    text = "# Waren\n\n| Ware | Kahn | Kran |\n|--|--|--|\n| Hering | 2 | siehe 1 |\n| Öl | | 3 |\n\nEnde.\n"
    document = Document.from_bytes("waren.md", text.encode())
    passages = read(document, identify(document, None)).passages
    link = TextLink(Span(*passages[1].row.cells[2]) if passages[1].row else Span(0, 1), "/e/1")
    table, end = text_blocks(
        AnnotatedPassage(each, links=[link] if each is passages[1] else ()) for each in passages
    )

    def cells(line):
        return ["".join(run.text for run in cell.runs) for cell in line.cells]

    assert [cells(line) for line in table.header] == [["Ware", "Kahn", "Kran"]]
    assert [cells(line) for line in table.rows] == [["Hering", "2", "siehe 1"], ["Öl", "", "3"]]
    assert table.rows[0].cells[2].runs[0].link == link
    assert end.runs[0].text == "Ende."
    (alone,) = text_blocks([AnnotatedPassage(passages[2])])
    assert alone.runs[0].text == "Öl: Kran 3"
