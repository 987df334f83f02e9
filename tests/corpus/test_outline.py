from dataclasses import replace

import pytest

from corpus import Document, Kind, identify, read
from corpus.blocks import Block, BlockKind, Bookmark, ExtractedText, Span
from corpus.layouts import LAYOUTS
from corpus.model import Correction, Corrections, Edition, Fault, Role
from tests.timing import assert_in_proportion

EDITION = Edition("buhne-en", "buhne", "en", "1", "Groyne", "outline")


def text_book(text):
    return read(Document.from_bytes("a.txt", text.encode()), EDITION)


def blocks_book(*blocks, bookmarks=()):
    """A document of the texts of ``blocks``, each with what its front end says of it (spans are
    filled in).
    """
    text, made = "", []
    for content, block in blocks:
        made.append(
            Block(
                Span(len(text), len(text) + len(content)),
                **{
                    name: getattr(block, name)
                    for name in ("kind", "level", "page", "size", "bold", "indent")
                },
            )
        )
        text += content + "\n\n"
    extracted = ExtractedText(text, tuple(made), len(text), bookmarks)
    return read(Document("a.pdf", "0" * 64, text, extracted), EDITION)


def tree(book):
    """Every entry as its depth, its heading and its number."""
    depth: dict[str | None, int] = {None: -1}
    rows = []
    for entry in book.entries:
        depth[entry.id] = depth[entry.parent] + 1
        rows.append((depth[entry.id], entry.heading, entry.number))
    return rows


def heading(level=0, **more):
    return Block(Span(0, 0), BlockKind.HEADING, level=level, **more)


def styled(size, bold=False, page=1):
    return Block(Span(0, 0), size=size, bold=bold, page=page)


BODY = ("Every player digs one channel, and then the water rises by one step. " * 3, styled(10))


def test_every_printed_number_is_an_entry_inside_the_number_around_it():
    book = text_book(
        "1. The Shore\n\n1.1. Each player digs.\n\n1.1a Nobody digs twice.\n\n1.1b A wet spade "
        "does not dig.\n\n"
        "1.2. Choose one:\n\n(a) dig again;\n\n(b) rest.\n\n2. The Water\n\n2.1. The water rises.\n"
    )
    assert tree(book) == [
        (0, "1. The Shore", "1"), (1, "1.1", "1.1"), (2, "1.1a", "1.1a"), (2, "1.1b", "1.1b"),
        (1, "1.2", "1.2"), (2, "1.2a", "1.2a"), (2, "1.2b", "1.2b"),
        (0, "2. The Water", "2"), (1, "2.1", "2.1"),
    ]  # fmt: skip


def test_numbers_that_begin_with_those_around_them_are_nested():
    rules = [f"{chapter}{rule}" for chapter in "12" for rule in ("", "1", "11", "12", "2", "21")]
    book = text_book(
        "\n".join(
            f"{'  ' * len(number)}{number}. Rule {number} says what to do." for number in rules
        )
    )
    assert [(depth, number) for depth, _, number in tree(book)] == [
        (len(number) - 1, number) for number in rules
    ]


def test_a_list_of_ten_items_is_no_numbering_of_the_document():
    steps = "\n".join(f"{n}. Take {n} shells from the beach and keep them." for n in range(1, 13))
    book = text_book(
        f"# Groyne\n\n## Setup\n\nDo this:\n\n{steps}\n\n## Play\n\nDig.\n\n## End\n\nCount.\n"
    )
    assert [row[1] for row in tree(book)] == ["Groyne", "Setup", "Play", "End"]
    passages = [p for p in book.passages if p.depth]
    assert len(passages) == 12
    assert {
        book.document.text[p.context.start : p.context.end] if p.context else "" for p in passages
    } == {"Do this:"}


def test_what_follows_an_appendix_of_the_same_level_is_not_in_it():
    book = text_book(
        "# Groyne\n\n## Appendix\n\nA table.\n\n## Water\n\nIt rises.\n\n### Flood\n\nIt rises "
        "twice.\n"
    )
    assert [row[:2] for row in tree(book)] == [
        (0, "Groyne"),
        (1, "Appendix"),
        (1, "Water"),
        (2, "Flood"),
    ]


def test_headings_in_the_order_of_the_alphabet_are_terms():
    names = [
        "Abfluss",
        "Ärmel",
        "Boje",
        "Der Deich",
        "Ebbe",
        "Flut",
        "Graben",
        "Hafen",
        "Insel",
        "Kanal",
        "Leuchtturm",
        "Öl",
        "Pegel",
        "Watt",
    ]
    body = "\n\n".join(f"## {name}\n\nDas ist {name}." for name in names)
    book = text_book(f"# Buhne\n\n{body}\n\n### Im Watt\n\nNass.\n\n## Anhang\n\nEine Karte.\n")
    kinds = {entry.heading: entry.kind for entry in book.entries}
    assert {kinds[name] for name in names} == {Kind.TERM}
    assert kinds["Im Watt"] is Kind.SUBSECTION
    assert kinds["Anhang"] is Kind.SECTION


def test_lines_of_the_contents_are_no_entries():
    names = ["Digging", "Water", "Wind", "Scoring", "Ties"]
    rules = "\n\n".join(f"{name}\n\nThis is all that the rulebook says of it." for name in names)
    book = text_book("Groyne\n\nContents\n\n" + "\n".join(names) + f"\n\n{rules}\n")
    headings = [entry.heading for entry in book.entries]
    assert [headings.count(name) for name in names] == [1] * 5
    assert [p.entry for p in book.passages if p.role is Role.LISTING] == ["buhne-en/contents"]


def test_size_and_weight_tell_headings_and_their_levels():
    book = blocks_book(
        ("GROYNE", styled(40)), ("Digging", styled(18)), BODY, ("Channels", styled(14)), BODY, ("Spades", styled(10, bold=True)), BODY,
        ("Water", styled(18)), BODY,
    )  # fmt: skip
    assert [row[:2] for row in tree(book)] == [
        (0, "GROYNE"),
        (1, "Digging"),
        (2, "Channels"),
        (3, "Spades"),
        (1, "Water"),
    ]


def test_bookmarks_give_the_level():
    book = blocks_book(
        ("Digging", styled(12)), BODY, ("Spades", styled(12)), BODY, ("Water", styled(12, page=2)), BODY,
        bookmarks=(Bookmark("Digging", 1, 1), Bookmark("Spades", 2, 1), Bookmark("Water", 1, 2)),
    )  # fmt: skip
    assert [row[:2] for row in tree(book)] == [(0, "Digging"), (1, "Spades"), (0, "Water")]


def test_a_question_and_its_answer_are_one_passage():
    book = text_book(
        "# Groyne\n\n## FAQ\n\nQ: May I dig twice?\n\nA: No.\n\nQ: May I rest?\n\nA: Yes.\n"
    )
    assert [p.display for p in book.passages] == [
        "Q: May I dig twice?\nA: No.",
        "Q: May I rest?\nA: Yes.",
    ]


def test_corrections_say_what_is_a_heading_and_what_is_furniture():
    text = "# Groyne\n\n## Water\n\nIt rises.\n\n## Fig. 3\n\nIt falls.\n\n## Wind\n\nIt blows.\n"
    corrections = (
        Correction(7, Fault.FURNITURE, "Fig. 3", None, "caption", 7),
        Correction(11, Fault.NOT_HEADING, "Wind", None, "text", 11),
    )
    book = read(
        Document.from_bytes("a.md", text.encode()), replace(EDITION, corrections=corrections)
    )
    assert [entry.heading for entry in book.entries] == ["Groyne", "Water"]
    assert [book.document.text[a:b] for (a, b), _ in ((f.span, f.why) for f in book.furniture)] == [
        "## Fig. 3"
    ]


def test_plain_text_is_read_and_said_to_be_unsure():
    text = (
        "The tide comes in and takes what it finds on the beach, and nobody can do anything about "
        "it.\n\n" * 20
    )
    document = Document.from_bytes("a.txt", text.encode())
    found = identify(document)
    assert found.layout == "outline"
    assert 0.2 < found.reading_score < 0.6
    assert len(read(document, found).passages) == 20


def test_the_first_heading_is_the_title_of_an_unknown_rulebook(tmp_path):
    rules = "\n\n".join(f"1.{n}. Rule {n} says what to do." for n in range(1, 9))
    edition = identify(
        Document.from_bytes("a.md", f"# Buhne und Watt\n\n## 1. Das Ufer\n\n{rules}\n".encode()),
        tmp_path,
    )
    assert edition.title == "Buhne und Watt"


@pytest.mark.parametrize("repeated", ["1. ", "1.1.\n", "A\n\n", "a) b) ", "Contents\n"])
def test_reading_takes_linear_time(repeated):
    def prepare(times):
        document = Document.from_bytes("a.txt", (repeated * times).encode())
        document.blocks  # noqa: B018 - made by another part
        return lambda: LAYOUTS["outline"].read(document, EDITION, Corrections(document, ()))

    assert_in_proportion(prepare, 8_000)


def test_parts_on_the_cover_are_contents():
    book = blocks_book(
        ("Groyne", styled(30, bold=True)),
        ("PART ONE - RULES", styled(12, bold=True)),
        ("PART TWO - TOURNAMENTS", styled(12, bold=True)),
        ("PART ONE - RULES", styled(16, bold=True, page=2)),
        BODY,
        ("PART TWO - TOURNAMENTS", styled(16, bold=True, page=3)),
        BODY,
    )
    assert [number for _, _, number in tree(book)] == [None, "PART ONE", "PART TWO"]
