from dataclasses import replace
from pathlib import Path

import pytest

from corpus import Document, Edition, Kind, Rulebook, Span, identify, read
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.layouts import LAYOUTS, MIN_SCORE, Layout, ReferenceStyle
from corpus.model import Corrections, Fault, Furniture, Role
from corpus.paragraphs import paragraph_lines
from glossary.check import check_rulebook
from glossary.references import FINDERS, find
from index.building.build import build
from index.building.snapshots import Snapshots
from index.model import Query
from index.search import Index

UNSEEN = Path(__file__).parent / "unseen"
TEXT = """== Leuchtturm-Regeln ==

== Laterne ==
Eine Laterne beleuchtet zwei benachbarte Felder, solange Öl in ihr ist.
Siehe auch: Öl, Docht

== Öl ==
Jede Laterne verbraucht am Ende der Runde ein Öl. Ohne Öl erlischt sie.
Siehe auch: Laterne
"""


def _score(document: Document) -> float:
    headings = sum(line.text.startswith("== ") for line in paragraph_lines(document))
    return 1.0 if headings > 1 else 0.0


def _read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    rulebook = DraftRulebook()
    for line in paragraph_lines(document):
        span = Span(line.start, line.end)
        if not line.text.strip():
            continue
        if corrections.at(line.number, Fault.FURNITURE):
            rulebook.furniture.append(Furniture(span, "correction"))
        elif line.text.startswith("== ") and not corrections.at(line.number, Fault.NOT_HEADING):
            rulebook.entries.append(DraftEntry(Kind.TERM, line.text.strip("= "), [span]))
        else:
            if not rulebook.entries:  # text above the first heading
                rulebook.entries.append(DraftEntry(Kind.SECTION, edition.title))
            role = Role.SEE if line.text.startswith("Siehe") else Role.TEXT
            rulebook.entries[-1].passages.append(DraftPassage([span], role))
    return rulebook


@pytest.fixture
def document(monkeypatch) -> Document:
    """A document in a layout that is registered for one test."""
    monkeypatch.setitem(LAYOUTS, "wiki", Layout(name="wiki", score=_score, read=_read))
    return Document.from_bytes("leuchtturm.txt", TEXT.encode())


@pytest.fixture
def rulebook(document) -> Rulebook:
    edition = identify(document)
    assert edition is not None
    assert edition.layout == "wiki"
    return read(document, edition)


def test_a_document_in_it_is_recognised_and_read(rulebook):
    assert [(e.kind, e.heading) for e in rulebook.entries] == [
        (Kind.TERM, "Leuchtturm-Regeln"),
        (Kind.TERM, "Laterne"),
        (Kind.TERM, "Öl"),
    ]
    assert rulebook.strays == ()


def test_an_edition_file_may_name_it(document, tmp_path):
    described = (
        "id: leuchtturm-de-1\ngame: leuchtturm\nlanguage: de\nversion: '1'\ntitle: "
        "Leuchtturm\nlayout: wiki\n"
    )
    (tmp_path / "leuchtturm-de-1.yaml").write_text(
        f"{described}recognise: [Leuchtturm-Regeln]\n".replace("[", "['== ").replace("]", " ==']")
    )
    edition = identify(document, tmp_path)
    assert edition is not None
    assert (edition.id, edition.layout) == ("leuchtturm-de-1", "wiki")


def test_its_lists_of_references_are_resolved_without_a_finder_of_its_own(rulebook):
    titles = {entry.id: entry.title for entry in rulebook.entries}
    found = [(r.raw, titles.get(r.target or ""), r.problem) for r in find(rulebook, [rulebook])]
    assert found == [("Öl", "Öl", None), ("Docht", None, "missing"), ("Laterne", "Laterne", None)]


def test_its_rulebooks_are_checked(rulebook):
    findings = check_rulebook(rulebook, [rulebook], find(rulebook, [rulebook]))
    assert "Docht" in [finding.printed for finding in findings]


@pytest.mark.acceptance
def test_its_passages_can_be_searched(document, tmp_path):
    folder = tmp_path / "rulebooks"
    folder.mkdir()
    (folder / document.file).write_text(document.text, encoding="utf-8")
    snapshots = Snapshots(tmp_path / "snapshots")
    built = build(folder, snapshots)
    hits = Index.load(snapshots.path(built.id)).search(Query("Wann erlischt eine Laterne?")).hits
    assert "erlischt" in hits[0].passage.text


def test_every_reference_style_has_a_finder():
    assert set(FINDERS) == set(ReferenceStyle)


@pytest.mark.parametrize("path", sorted(UNSEEN.glob("*.txt")), ids=lambda path: path.stem)
def test_what_recognition_has_read_is_not_read_again(path, monkeypatch, tmp_path):
    done: list[str] = []

    def counted(layout):
        def reading(*given):
            done.append(layout.name)
            return layout.read(*given)

        return replace(layout, read=reading)

    document = Document.from_bytes(path.name, path.read_bytes())
    wanted = read(document, identify(document, tmp_path))
    for layout in list(LAYOUTS.values()):
        monkeypatch.setitem(LAYOUTS, layout.name, counted(layout))
    document = Document.from_bytes(path.name, path.read_bytes())
    assert read(document, identify(document, tmp_path)) == wanted
    assert len(done) == len(set(done))
    assert "outline" not in done, "it is built of the evidence that is there"
    done.clear()
    assert read(document, wanted.edition) == wanted
    assert done == [wanted.edition.layout], "a draft is used once"


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_plain_text_looks_like_no_layout(layout):
    text = (
        "Ein Absatz ohne Überschrift, der von nichts Besonderem handelt und mit einem Punkt "
        "endet.\n" * 40
    )
    assert layout.score(Document.from_bytes("x.txt", text.encode())) < MIN_SCORE


@pytest.mark.parametrize(
    "text", ["<br>\n", "12\n", "# FAQ\n", "## ERRATA\n\nText.\n", "---\n", "*"]
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_documents_of_a_line_or_two_are_read(layout, text):
    document = Document.from_bytes("x.txt", text.encode())
    book = read(document, Edition("a", "g", "de", "1", "T", layout))
    assert identify(document).effective == ""
    assert not book.strays
