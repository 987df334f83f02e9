from io import BytesIO

from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

from corpus.document import Document
from corpus.model import Edition
from corpus.read import read
from glossary.references import find


def _read(raw, file="harbour.md", language="en"):
    return read(
        Document.from_bytes(file, raw),
        Edition("harbour", "harbour", language, "1", "Harbour", "outline"),
    )


def _found(rulebook):
    """What each reference is printed as, and the number or title of what it leads to."""
    names = {entry.id: entry.number or entry.title for entry in rulebook.entries}
    return [(reference.raw, names.get(reference.target or "")) for reference in find(rulebook)]


def _text(text, language="en"):
    return _found(_read(text.encode(), language=language))


def test_an_anchor_in_a_rule_leads_to_that_rule():
    text = (
        "# Harbour\n\n## 1. Boats\n\n1.1. Tie up as told in [`2.2`](#ropes).\n\n1.2. Boats "
        "float.\n\n## 2. Ropes\n\n"
    )
    text += '2.1. A rope is long.\n\n2.2. <a name="ropes"></a>A rope is wet.\n\n2.3. A rope is old, [see there](#ropes).\n'
    assert _text(text) == [("2.2", "2.2"), ("see there", "2.2")]


def test_an_address_of_the_authors_own_leads_where_its_number_says():
    text = (
        "# Harbour\n\n1a) A boat floats.\n\n1b) A boat sinks ([Regulation "
        "1a](rules:regulation:1a)).\n\n"
    )
    text += "1c) A boat rests, see [the notes](notes:top).\n"
    assert _text(text) == [("Regulation 1a", "1a")]


def test_an_address_of_the_authors_own_may_end_with_a_letter():
    text = (
        "# Harbour\n\n# Article A: Boats\n\nA boat floats.\n\n# Article B: Quays\n\nFor boats see "
        "[A](rules:article:A).\n"
    )
    assert _text(text)[:1] == [("A", "Article A")]


def test_what_a_link_names_leads_on_where_its_anchor_is_gone():
    text = (
        "# Tide\n\nIt rises (see [“Boats” in appendix II](#gone)), see [Appendix I](#gone-too).\n\n"
    )
    text += "# Appendix I: Lanterns\n\nA lantern shines.\n\n# Appendix II: Quays\n\nA quay is long.\n\n## Boats\n\nA boat floats.\n"
    assert _text(text) == [("“Boats” in appendix II", "Boats"), ("Appendix I", "Appendix I")]


def test_a_stub_does_not_refer_to_itself():
    text = "# Glossary\n\n## Fog phase\n\nSee “III. Fog phase”.\n\n# Phases\n\n"
    text += "## I. Tide phase\n\nThe tide rises.\n\n## II. Boat phase\n\nBoats move.\n\n## III. Fog phase\n\nFog lifts.\n"
    found = find(_read(text.encode()))
    assert [reference.raw for reference in found] == ["III. Fog phase"]
    assert found[0].target != found[0].entry
    assert found[0].problem is None


def test_a_link_in_a_pdf_leads_to_the_heading_at_its_place():
    file = BytesIO()
    canvas = Canvas(file, pagesize=A5, pageCompression=0)

    def line(text, size, y):
        canvas.setFont("Helvetica-Bold" if size > 10 else "Helvetica", size)
        canvas.drawString(50, y, text)

    line("Harbour Rules", 20, 540)
    line("Fog hides boats, and the pilot decides there.", 10, 500)
    canvas.linkRect("", "masts", (150, 495, 270, 512), relative=1)
    canvas.showPage()
    for name, y in (("Boats", 540), ("Ropes", 440), ("Masts", 340), ("Quays", 240)):
        line(name, 15, y)
        if name == "Masts":
            canvas.bookmarkPage("masts", fit="XYZ", left=50, top=y + 15)
        for number in range(3):
            line(
                f"{name} are kept in good order by their keepers, rule {number}.",
                10,
                y - 20 - 12 * number,
            )
    canvas.save()
    assert [target for _, target in _found(_read(file.getvalue(), "harbour.pdf"))] == ["Masts"]


def test_addresses_and_figures_are_no_references():
    text = (
        "# Harbour\n\n## 1. Boats\n\n1.1. Look at https://example.org/1.2/a or "
        "[it](https://example.org/v1.2.1).\n\n"
    )
    text += "1.2. Boats float, see figure 1.\n\n1.2.1. Boats rest, as <a href='#x1.2.1'>here</a>.\n"
    assert _text(text) == [("here", None)]
