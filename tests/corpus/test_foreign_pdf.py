import io

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas

from corpus import Kind
from corpus.formats.pdf import PDF
from tests.corpus.reading import book


def test_ligatures_and_accents_of_their_own_are_letters():
    pdfmetrics.registerFont(TTFont("ligatures", "Vera.ttf"))
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=(420, 300), invariant=1)
    page.setFont("ligatures", 11)
    page.drawString(40, 250, "Every of\ufb01cer \ufb01nds the \ufb02ag within \ufb01ve \ufb02ares.")
    page.setFont("Times-Roman", 12)
    text = page.beginText(40, 220)
    text.textOut("Nessuno pu")
    at = text.getX()
    text.textOut("`")
    text.setTextOrigin(at + 0.3, 220)  # the letter is printed below its accent
    text.textOut("o passare il molo.")
    page.drawText(text)
    page.setFont("Times-Roman", 12)
    page.drawString(40, 190, "E vietato.")
    page.drawString(41.5, 193, "`")
    page.save()
    text_of = PDF.extract(file.getvalue()).text
    assert "Every officer finds the flag within five flares." in text_of
    assert "Nessuno può passare il molo." in text_of
    assert "È vietato." in text_of


def test_running_heads_that_change_with_the_chapter_are_no_text():
    file = io.BytesIO()
    pages = canvas.Canvas(file, pagesize=(420, 595), invariant=1)
    names = ["Groynes", "Spades", "Channels", "Dunes", "Tides", "Shells"]
    for at, name in enumerate(names, 1):
        pages.setFont("Times-Roman", 9)
        pages.drawString(
            40, 560, f"{at} CHAPTER {at}. {name.upper()}" if at % 2 == 0 else f"{at}.1. {name} {at}"
        )
        pages.setFont("Helvetica-Bold", 16)
        pages.drawString(40, 520, f"{at}.1 {name}")
        pages.setFont("Times-Roman", 11)
        for line in range(6):
            pages.drawString(
                40,
                490 - 14 * line,
                f"Line {line} of the rules of {name.lower()} says what to dig on the shore.",
            )
        pages.showPage()
    pages.save()
    extracted = PDF.extract(file.getvalue())
    assert "CHAPTER" not in extracted.text[: extracted.body]
    assert [
        line for line in extracted.text[: extracted.body].split("\n\n") if "Spades" in line
    ] == ["2.1 Spades"]
    assert extracted.text[extracted.body :].count("CHAPTER") == 3


def test_numbers_that_begin_with_a_letter_begin_paragraphs():
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=(420, 595), invariant=1)
    page.setFont("Times-Roman", 11)
    for at, number in enumerate(
        ["A.1.1)", "A.1.1.a)", "A.1.1.b)", "A.1.2)", "4.1.1.a)", "4.1.1.b)"]
    ):
        page.drawString(
            40, 560 - 13 * at, f"{number} Nobody digs channels on {at + 3} shores at once"
        )
    page.save()
    assert [text.split()[0] for text in PDF.extract(file.getvalue()).text.split("\n\n")] == [
        "A.1.1)", "A.1.1.a)", "A.1.1.b)", "A.1.2)", "4.1.1.a)", "4.1.1.b)",
    ]  # fmt: skip


class Shore:
    """A rulebook in the fonts that its lines are given in, each line below the one before it."""

    def __init__(self):
        self._file = io.BytesIO()
        self._canvas = canvas.Canvas(self._file, pagesize=(420, 595), invariant=1)
        self._y, self._page = 540.0, 1

    def line(
        self,
        text,
        size=10.0,
        font="Times-Roman",
        left=40.0,
        gap=10.0,
    ):
        self._y -= gap + 1.2 * size
        self._canvas.setFont(font, size)
        self._canvas.drawString(left, self._y, text)
        return self

    def text(self):
        self.line("Every player digs one channel, and then the water rises by one step until it")
        return self.line(
            "reaches the dune; nobody digs twice, and nobody digs behind the line.", gap=0.0
        )

    def page(self):
        self._canvas.showPage()
        self._y, self._page = 540.0, self._page + 1
        return self

    def bookmark(self, title, level):
        self._canvas.bookmarkPage(f"{title}{self._y}")
        self._canvas.addOutlineEntry(title, f"{title}{self._y}", level=level)
        return self

    def read(self):
        self._canvas.save()
        return book("shore.pdf", self._file.getvalue())


def outline(book):
    """The sections of ``book``: depth, title and page."""
    depth: dict[str | None, int] = {None: -1}
    found = []
    for entry in book.entries:
        depth[entry.id] = depth[entry.parent] + 1
        if entry.heading_spans and book.document.pages:
            found.append(
                (
                    depth[entry.id],
                    entry.title,
                    book.document.pages.page_at(entry.heading_spans[0].start),
                )
            )
    return found


def test_bookmarks_and_labels_on_a_line_of_their_own_make_the_outline():
    shore = Shore().line("The Shore", 26).line("Anna Dune", 12, "Helvetica-Bold").page()
    for chapter, (name, games) in enumerate(
        {"Digging": ["Spades", "Channels"], "Water": ["Tides", "Waves and Foam"]}.items(), 1
    ):
        shore.bookmark(name, 0).line(f"Chapter {chapter}", 16, "Helvetica-Bold").line(
            name, 20, "Helvetica-Bold", gap=20
        ).text()
        for at, game in enumerate(games, 1):
            shore.bookmark(game, 1).line(f"{chapter}.{at} {game}", 12, "Helvetica-Bold").text()
            shore.line("Setup", 10, "Helvetica-Bold").text()
        shore.page()
    book = shore.line("The end of the shore.").read()
    assert book.edition.title == "The Shore"
    assert outline(book) == [
        (0, "The Shore", 1),
        (0, "Digging", 2), (1, "1.1 Spades", 2), (2, "Setup", 2), (1, "1.2 Channels", 2), (2,
        "Setup", 2),
        (0, "Water", 3), (1, "2.1 Tides", 3), (2, "Setup", 3), (1, "2.2 Waves and Foam", 3), (2,
        "Setup", 3),
    ]  # fmt: skip
    assert next(entry.number for entry in book.entries if entry.title == "Water") == "Chapter 2"


def test_numbers_without_a_sign_and_contents_without_pages_are_read():
    shore = (
        Shore()
        .line("Dune Rules", 24)
        .line("Effective 06/11/2026", 12)
        .line("Contents", 14, "Helvetica-Bold")
    )
    names = ["Digging", "Water", "Dunes", "Scoring"]
    for at, name in enumerate(names, 1):
        shore.line(f"{at}. {name.upper()}").line(f"{at}.1. {name} by day", left=60)
    shore.page()
    for at, name in enumerate(names, 1):
        shore.line(f"{at} {name}", 14, "Helvetica-Bold").line(
            f"{at}.1 {name} by day.", 11, "Helvetica-Bold"
        ).text()
        shore.line("1. Dig once, says the first player.").line(
            "2. Nobody else digs, says the second."
        )
    book = shore.read()
    assert (book.edition.title, book.edition.version) == ("Dune Rules", "06/11/2026")
    chapters = [
        row
        for at, name in enumerate(names, 1)
        for row in ((1, f"{at} {name}", 2), (2, f"{at}.1 {name} by day.", 2))
    ]
    assert outline(book) == [(0, "Dune Rules", 1), (1, "Contents", 1), *chapters]
    assert [entry.number for entry in book.entries if entry.kind is Kind.RULE][:4] == [
        "1.1.1",
        "1.1.2",
        "2.1.1",
        "2.1.2",
    ]


def test_a_list_gets_no_numbers_that_headings_have():
    shore = Shore().line("Dune Rules", 24)
    for at, name in enumerate(["Digging", "Water"], 1):
        shore.line(f"{at} {name}", 16, "Helvetica-Bold").line(
            f"{at}.1 {name} by day", 14, "Helvetica-Bold"
        ).text()
        shore.line("1. Dig once, says the first player.").line(
            "2. Nobody else digs, says the second."
        )
        shore.line(f"{at}.1.1 {name} at noon", 12, "Helvetica-Bold").text()
    book = shore.read()
    assert [entry.number for entry in book.entries if entry.number] == [
        "1",
        "1.1",
        "1.1.1",
        "2",
        "2.1",
        "2.1.1",
    ]
    assert any("Nobody else digs" in passage.text for passage in book.passages)


def test_headers_of_tables_dashes_and_bold_text_are_no_headings():
    shore = Shore().line("Dunes", 20).text().line("Costs", 12, "Helvetica-Bold").text()
    shore.line("Tool", 10, "Helvetica-Bold", gap=10).line(
        "Price", 10, "Helvetica-Bold", left=240, gap=-12
    )
    shore.line("-Not for children", 10, "Helvetica-Bold").text()
    shore.line("Tide", 12, "Helvetica-Bold").text()
    book = shore.read()
    assert outline(book) == [(0, "Dunes", 1), (1, "Costs", 1), (1, "Tide", 1)]


def test_contents_in_two_columns_above_a_text_in_two_columns_stay_apart():
    parts = ["Anchors", "Buoys", "Crews", "Docks", "Ebb", "Ferries", "Gulls", "Harbours"]
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=(420, 420), invariant=1)
    page.setFont("Times-Roman", 10)
    for at, name in enumerate(parts):
        left, y = (40, 380 - 12 * at) if at < 4 else (230, 380 - 12 * (at - 4))
        page.drawString(left, y, f"{name} {'. ' * 20} {at + 1}")
    text = " ".join(
        f"Rule {at} of the harbour says where boats may wait before dawn." for at in range(12)
    )
    words, lines = text.split(), [""]
    for word in words:
        if pdfmetrics.stringWidth(f"{lines[-1]} {word}", "Times-Roman", 10) > 150:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    for at, line in enumerate(lines):
        half = (len(lines) + 1) // 2
        left, y = (40, 300 - 12 * at) if at < half else (230, 300 - 12 * (at - half))
        page.drawString(left, y, line)
    page.save()
    read_text = " ".join(PDF.extract(file.getvalue()).text.split())
    assert text in read_text
    assert [read_text.index(name) for name in parts] == sorted(map(read_text.index, parts))
    assert read_text.index("Harbours") < read_text.index("Rule 0")
