import io
import random
import re

import pypdfium2 as pdfium
import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen import canvas

from corpus.blocks import BlockKind
from corpus.display import display
from corpus.document import Document, UnreadableDocument
from corpus.formats import UnreadableFile
from corpus.formats.pdf import PDF
from tests.corpus.pdf_maker import HEIGHT, PrintedRulebook, private_font

LANTERNS = [
    "Every keeper lights one lantern before the harbour opens, and nobody may move a barge "
    "while a lantern is dark.",
    "A barge that carries sandstone counts as heavy; heavy barges leave the canal only after "
    "the harbourmaster has inspected them.",
    "Whoever extinguishes a foreign lantern pays three kopeks to the watchtower, unless the "
    "fog marker is lying on that quarter.",
    "Between two rounds the navigators compare their instruments, and the navigator with the "
    "brightest lantern becomes harbourmaster.",
    "Unloading is compulsory: goods that remain aboard after sunset are considered contraband "
    "and belong to the customs officer.",
]


def text_of(extracted, block):
    return extracted.text[block.span.start : block.span.end]


def texts(extracted, kind=None):
    return [
        display(text_of(extracted, block))
        for block in extracted.blocks
        if kind in (None, block.kind)
    ]


def body(extracted):
    return " ".join(display(extracted.text[: extracted.body]).split())


def chapters(columns, count=6):
    """A rulebook of several pages with running heads and page numbers."""
    book = PrintedRulebook(columns, head="The Lantern Harbour – Rules")
    for number in range(1, count + 1):
        book.heading(f"Chapter of the {number * 7}th lantern")
        for at, sentence in enumerate(LANTERNS):
            book.paragraph(
                " ".join([sentence, LANTERNS[(at + number) % 5], LANTERNS[(at + 2 * number) % 5]])
            )
    return book


def printed_words(count=6):
    words = []
    for number in range(1, count + 1):
        words.append(f"Chapter of the {number * 7}th lantern")
        words += [
            " ".join([s, LANTERNS[(at + number) % 5], LANTERNS[(at + 2 * number) % 5]])
            for at, s in enumerate(LANTERNS)
        ]
    return " ".join(words)


@pytest.mark.parametrize("columns", [1, 2])
def test_columns_are_read_one_after_the_other_without_running_heads_and_page_numbers(columns):
    extracted = PDF.extract(chapters(columns).printed())
    assert body(extracted) == printed_words()
    furniture = texts(extracted, BlockKind.FURNITURE)
    assert (
        furniture.count("The Lantern Harbour – Rules") == len(extracted.pages.sizes)
        if extracted.pages
        else False
    )
    assert "– 2 –" in furniture
    assert len(texts(extracted)) == 6 * 6 + len(
        furniture
    )  # a paragraph over two columns or pages is one


def test_a_word_that_is_hyphenated_at_a_line_end_stays_as_printed():
    extracted = PDF.extract(chapters(2).printed())
    assert re.search(r"harb-\nour|sand-\nstone|navi-\ngator", extracted.text)


def test_headings_have_their_size_and_weight_and_the_bookmarks_their_pages():
    extracted = PDF.extract(chapters(1).printed())
    headings = [block for block in extracted.blocks if block.bold]
    assert [text_of(extracted, block) for block in headings] == [
        f"Chapter of the {n * 7}th lantern" for n in range(1, 7)
    ]
    assert {block.size for block in headings} == {14.0}
    assert [(b.title, b.page, b.level) for b in extracted.bookmarks] == [
        (text_of(extracted, b), b.page, 1) for b in headings
    ]


def test_items_have_their_marks_and_are_nested_by_indentation():
    book = PrintedRulebook(numbers=False)
    book.paragraph(LANTERNS[0] + " " + LANTERNS[1])
    book.item(
        "•",
        "One lantern for each keeper, and one more for every keeper who has not lit any "
        "lantern in the round before",
    )
    book.item("–", "but never more than four", 2)
    book.item("–", "and none in the fog", 2)
    book.item("•", "Two barges")
    book.item(
        "1.1.",
        "A rule that has a number of its own and runs on in a second line, because it is long "
        "enough for that",
    )
    book.item("1.1.2.", "Another rule")
    extracted = PDF.extract(book.printed())
    items = [
        (block.mark, block.level) for block in extracted.blocks if block.kind is BlockKind.ITEM
    ]
    assert items == [("•", 1), ("–", 2), ("–", 2), ("•", 1), ("1.1.", 1), ("1.1.2.", 1)]
    assert texts(extracted, BlockKind.ITEM)[4].endswith("long enough for that")


def test_a_number_at_the_beginning_of_a_line_begins_no_item():
    book = PrintedRulebook()
    sentence = (
        "The harbourmaster may at any time announce a storm, which lasts until every "
        "barge has moved at least once and rule"
    )
    for length in range(60):  # in one of these, the number stands first in a line
        book.paragraph(f"{'i' * length} {sentence} 12. is not touched by it, nor is anything else.")
    assert texts(PDF.extract(book.printed()), BlockKind.ITEM) == []


@pytest.mark.parametrize("head", ["Agreed: 04.06.2014", "Stand 5/2020"])
def test_a_date_above_the_second_page_stands_in_no_sentence(head):
    book = PrintedRulebook(numbers=False)
    for _ in range(4):
        book.paragraph(" ".join(LANTERNS))
    last = " ".join(LANTERNS * 2)
    while book.page == 1:
        book.paragraph(last)
    head_above = PrintedRulebook(numbers=False)
    head_above.on_second_page = head
    for _ in range(4):
        head_above.paragraph(" ".join(LANTERNS))
    while head_above.page == 1:
        head_above.paragraph(last)
    extracted = PDF.extract(head_above.printed())
    assert body(extracted) == body(PDF.extract(book.printed()))
    assert head in extracted.text[extracted.body :]


@pytest.mark.parametrize("leading", [1.6, 1.8, 2.0])
def test_paragraphs_in_wider_spacing_than_other_parts_are_whole(leading):
    book = PrintedRulebook()
    book.leading = leading
    told = [" ".join(LANTERNS[first : first + 3]) for first in range(3)]
    for paragraph in told:
        book.item("•", paragraph)
    book.leading = 1.2
    for at in range(1, 6):
        book.item("+", f"{at} for a lantern of the {at}th quarter")
    items = texts(PDF.extract(book.printed()), BlockKind.ITEM)
    assert [item.replace("-", "") for item in items[:3]] == [
        f"• {paragraph}".replace("-", "") for paragraph in told
    ]


def test_lines_of_contents_are_told_by_the_dots_that_lead_to_a_page():
    book = PrintedRulebook()
    book.heading("Contents")
    for page, title in enumerate(("Lanterns", "Barges and tugs", "The customs officer"), 2):
        book.contents(title, page)
    book.next_page()
    book.paragraph(LANTERNS[0])
    contents = texts(PDF.extract(book.printed()), BlockKind.CONTENTS)
    assert [re.sub(r"[ .]+", " ", line) for line in contents] == [
        "Lanterns 2",
        "Barges and tugs 3",
        "The customs officer 4",
    ]


def test_a_row_of_a_table_is_a_block():
    book = PrintedRulebook()
    book.paragraph(LANTERNS[0])
    for row in (
        ("Goods", "Weight", "Price"),
        ("Sandstone", "heavy", "4 kopeks"),
        ("Amber", "light", "9 kopeks"),
        ("Flax", "light", "2 kopeks"),
    ):
        book.row(row)
    book.paragraph(LANTERNS[1])
    extracted = PDF.extract(book.printed())
    rows = [block for block in extracted.blocks if block.kind is BlockKind.ROW]
    assert [text_of(extracted, row) for row in rows] == [
        "Goods Weight Price",
        "Sandstone heavy 4 kopeks",
        "Amber light 9 kopeks",
        "Flax light 2 kopeks",
    ]
    assert len({row.table for row in rows}) == 1


def test_links_lead_to_pages_and_addresses():
    book = PrintedRulebook()
    book.link("The rules of the harbour on the net", "https://example.org/harbour")
    book.link("See: Barges", "Barges 2")
    book.next_page()
    book.heading("Barges")
    extracted = PDF.extract(book.printed())
    links = [
        (extracted.text[link.span.start : link.span.end], link.target)
        for block in extracted.blocks
        for link in block.links
    ]
    assert links == [
        ("The rules of the harbour on the net", "https://example.org/harbour"),
        ("See: Barges", "page:2"),
    ]


def test_footnotes_follow_the_paragraph_that_runs_on_over_the_page():
    book = PrintedRulebook(numbers=False)
    for _ in range(7):
        book.paragraph(LANTERNS[1])
    halves = LANTERNS[3][:33], LANTERNS[3][34:]
    book.paragraph(halves[0])
    book.paragraph("1 The harbourmaster is elected.", size=7.0)
    book.next_page()
    book.paragraph(halves[1])
    book.paragraph(LANTERNS[2])
    assert texts(PDF.extract(book.printed()))[-3:] == [
        LANTERNS[3],
        "1 The harbourmaster is elected.",
        LANTERNS[2],
    ]


def test_the_boxes_of_a_block_have_its_text():
    raw = chapters(2).printed()
    extracted, document = PDF.extract(raw), pdfium.PdfDocument(raw)
    assert extracted.pages is not None
    for block in extracted.blocks:
        places = extracted.pages.boxes([block.span])
        assert places[0].page == block.page == extracted.pages.page_at(block.span.start)
        found = ""
        for page, boxes in places:
            shown = document[page - 1].get_textpage()
            found += "".join(
                shown.get_text_bounded(b.left, HEIGHT - b.bottom, b.right, HEIGHT - b.top)
                for b in boxes
            )
        assert re.sub(r"[\W_]", "", found) == re.sub(r"[\W_]", "", text_of(extracted, block))


def test_a_page_that_is_shown_turned_is_read_as_shown():
    book = PrintedRulebook(numbers=False)
    canvas = book._canvas
    canvas.setPageRotation(90)
    canvas.translate(100, 100)
    canvas.rotate(90)
    canvas.drawString(0, 0, "A broadside that lies across the page")
    extracted = PDF.extract(book.printed())
    assert extracted.text == "A broadside that lies across the page"
    assert extracted.pages is not None
    (page,) = extracted.pages.boxes([extracted.blocks[0].span])
    assert extracted.pages.sizes == ((420.0, HEIGHT),)
    box = page.boxes[0]
    assert (round(box.left), round(box.bottom)) == (
        100,
        103,
    )  # the left edge of the sheet is at its top


def test_blanks_are_put_where_the_file_has_none():
    book = PrintedRulebook(numbers=False)
    left = 40.0
    for word in ["Every", "keeper", "lights", "one", "lantern"]:
        book._canvas.drawString(left, 300, word)
        left += book._canvas.stringWidth(word) + 3.2
    assert PDF.extract(book.printed()).text == "Every keeper lights one lantern"


def test_letters_printed_twice_to_make_them_bold_are_read_once():
    book = PrintedRulebook(numbers=False)
    for shift in (0, 0.3, 0.6):
        book._canvas.drawString(40 + shift, 300, "Harbourmaster")
    assert PDF.extract(book.printed()).text == "Harbourmaster"


@pytest.mark.parametrize("share", [1.0, 0.2])
def test_text_in_signs_of_private_use_is_told_as_unreadable(share):
    book, chance = PrintedRulebook(numbers=False), random.Random(1)
    for sentence in LANTERNS:
        book.paragraph(
            "".join(
                chr(0xE000 + ord(c)) if c.isalpha() and chance.random() < share else c
                for c in sentence
            ),
            private_font(),
        )
    with pytest.raises(UnreadableFile, match=r"cannot be read.*OCR"):
        PDF.extract(book.printed())


def test_icons_of_private_use_do_no_harm():
    book = PrintedRulebook()
    for sentence in LANTERNS:
        book.paragraph(sentence.replace("lantern ", "\ue101 "), private_font())
    assert re.search("one [\ue101\ufffd] before", PDF.extract(book.printed()).text)


def test_letters_that_make_no_words_are_told_as_unreadable():
    book = PrintedRulebook(numbers=False)
    shifted = str.maketrans("abcdefghijklmnopqrstuvwxyz", "qwrtzpsdfghjklxcvbnmbkdfgt")
    for sentence in LANTERNS:
        book.paragraph(sentence.lower().translate(shifted))
    with pytest.raises(UnreadableFile, match="OCR"):
        PDF.extract(book.printed())


def test_pages_that_are_images_need_ocr():
    book = PrintedRulebook(numbers=False)
    book.picture()
    book.next_page()
    book.picture()
    with pytest.raises(UnreadableFile, match="images without text; run OCR"):
        PDF.extract(book.printed())
    book = PrintedRulebook(numbers=False)
    book.picture()
    book.next_page()
    book.paragraph(LANTERNS[0])
    assert "1 of 2 pages have no text" in str(PDF.extract(book.printed()).notes[0])


def test_an_encrypted_file_is_to_be_saved_without_password():
    book = PrintedRulebook(password="barge")
    book.paragraph(LANTERNS[0])
    with pytest.raises(UnreadableDocument, match=r"rules\.pdf: encrypted; .* save it without"):
        Document.from_bytes("rules.pdf", book.printed())


def test_a_damaged_file_is_told_in_one_line():
    with pytest.raises(UnreadableDocument, match=r"^rules\.pdf: the PDF is damaged.*left out$"):
        Document.from_bytes("rules.pdf", b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n")


# Number, its left edge, that of the text, and the widths of its lines, as in a real rulebook.
DEEP_RULES = [
    ("6.1.3.1.2.3", 145, 206, (313, 132)),
    ("6.1.3.1.3", 126, 177, (346, 305)),
    ("6.1.3.1.3.1", 147, 206, (318, 318, 58)),
    ("6.1.3.1.3.2", 145, 206, (318, 318, 108)),
    ("6.1.3.1.4", 125, 177, (346, 56)),
    ("6.1.3.1.4.1", 147, 206, (318, 129)),
    ("6.1.3.2", 104, 149, (89,)),
    ("6.1.3.2.1", 126, 177, (346, 245)),
    ("6.1.3.2.1.1", 147, 206, (318, 226)),
    ("6.1.3.3", 105, 149, (93,)),
    ("6.1.3.3.1", 126, 177, (346, 346, 261)),
    ("6.1.3.3.2", 124, 177, (346, 346, 87)),
    ("6.1.3.3.2.1", 145, 206, (318, 50)),
    ("6.1.3.3.2.2", 143, 206, (318, 318, 318, 158)),
    ("6.1.3.3.3", 124, 177, (346, 346, 185)),
    ("6.1.3.3.3.1", 145, 206, (318, 318, 193)),
    ("6.1.4", 84, 121, (80,)),
    ("6.1.4.1", 106, 149, (375, 266)),
    ("6.1.4.2", 104, 149, (375, 155)),
    ("6.1.4.2.1", 125, 177, (346, 346, 177)),
]


@pytest.mark.parametrize("lettered", [False, True])
def test_numbers_of_rules_stand_before_their_text_whatever_their_depth(lettered):
    drawn = io.BytesIO()
    page = canvas.Canvas(drawn, pagesize=(595, 842))
    page.setFont("Times-Roman", 11)
    page.drawString(50, 796, "The Lantern Harbour 2023")
    page.drawString(413, 796, "Section 6: Lanterns")
    y = 773.0
    rules = []
    for number, left, indent, widths in DEEP_RULES:
        if lettered and left > 120:
            number = number[:-1] + "abcd"[int(number[-1]) - 1]
        page.drawString(left, y, number)
        words = " ".join(LANTERNS * 3).split()
        printed = [number]
        for width in widths:
            line = [words.pop(0)]
            while stringWidth(" ".join([*line, words[0]]), "Times-Roman", 11) <= width:
                line.append(words.pop(0))
            page.drawString(indent, y, " ".join(line))
            printed += line
            y -= 15
        rules.append(" ".join(printed))
    page.save()
    found = " ".join(display(PDF.extract(drawn.getvalue()).text).split())
    assert [rule for rule in rules if rule not in found] == []
