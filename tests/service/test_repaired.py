import pytest

from corpus.data_files import DataFileError
from corpus.document import Document
from corpus.edition_files import described_editions
from corpus.model import Correction, Edition, Fault
from corpus.read import read
from index.library.library import Library, load_library, make_library, save_library
from index.model import Query
from service.answers.answer import answer_out
from service.answers.context import context_out
from service.answers.verify import verification_out
from service.core.displayed import repaired_display
from service.mcp.results import answer_result
from tests.service.harbour import Harbour, german

TEXT = """# Hafenspiel

## Anker

Ein Anker kostet dich 2  weniger, solange er  zeigt, und „, 3  – Wirf ihn.“ kostet 1 .

## Lampe

Zahle Ol (%) für jede *Lampe*. Zahle dann 12  weniger.

## Tau

Ein Tau hat  Kosten.
"""
CORRECTIONS = (
    Correction(9, Fault.CHARACTER, "Ol (%)", "Öl (Tropfen)", "icon misread", 9),
    Correction(9, Fault.CHARACTER, "jede", "jede", "nothing to correct", 9),
    Correction(9, Fault.LOST, "Lampe", None, "nobody knows what is lost", 9),
)
LOST = {"{T}": ("dich N _ weniger", "„_, N", "kostet N _."), "{A}": ("er _ zeigt", "N _ – Wirf")}


@pytest.fixture(scope="module")
def document() -> Document:
    return Document.from_bytes("hafen.md", TEXT.encode())


@pytest.fixture(scope="module")
def library(document) -> Library:
    edition = Edition(
        "hafenspiel-de-1",
        "hafenspiel",
        "de",
        "1",
        "Hafenspiel",
        "outline",
        CORRECTIONS,
        lost_signs=LOST,
    )
    return make_library([read(document, edition), german().rulebook()], (), {}, {})


@pytest.fixture(scope="module")
def index(library) -> Harbour:
    return Harbour(library, id="hafenspiel")


def repaired(library, slug):
    (passage,) = library.passages_of[f"hafenspiel-de-1/{slug}"]
    return repaired_display(library, passage)


def test_lost_signs_stand_where_the_edition_says_and_nowhere_else(library):
    assert repaired(library, "anker") == (
        "Ein Anker kostet dich 2 {T} weniger, solange er {A} zeigt, und „{T}, 3 {A} – Wirf "
        "ihn.“ kostet 1 {T}."
    )
    assert repaired(library, "lampe") == "Zahle Öl (Tropfen) für jede Lampe. Zahle dann 12 weniger."
    assert repaired(library, "tau") is None


def test_the_evidence_and_what_is_quoted_stay_as_printed(index):
    result = index.search(Query("Lampe", edition="hafenspiel-de-1"))
    passage = answer_out(index, result).passages[0]
    assert "Ol (%)" in passage.text
    assert passage.display == "Zahle Ol (%) für jede Lampe. Zahle dann 12 weniger."
    assert passage.repaired == "Zahle Öl (Tropfen) für jede Lampe. Zahle dann 12 weniger."
    quoted = answer_result(index, result).passages[0]
    assert (quoted.words, quoted.repaired) == (passage.display, passage.repaired)
    assert verification_out(index, f"„{passage.display}“").verdict == "exact"
    assert verification_out(index, f"„{passage.repaired}“").verdict != "exact"


def test_a_prompt_has_the_repaired_words_in_brackets_behind_the_quotation(index):
    context = context_out(index, index.search(Query("Lampe", edition="hafenspiel-de-1")))
    assert (
        "> Zahle Ol (%) für jede Lampe. Zahle dann 12 weniger.\n(with what the document has lost"
        in context.prompt
    )
    assert "not to be quoted: Zahle Öl (Tropfen) für jede Lampe." in context.prompt
    assert context.tokens <= context.budget


def test_an_index_keeps_what_is_lost(library, document, tmp_path):
    save_library(library, tmp_path, [document, german().rulebook().document])
    assert load_library(tmp_path).restored == library.restored != {}


def test_a_place_without_a_gap_is_a_fault_of_the_file(tmp_path):
    text = (
        "id: hafenspiel-de-1\ngame: hafenspiel\nlanguage: de\nversion: '1'\n"
        "title: Hafenspiel\nlayout: outline\nrecognise: [Hafenspiel]\n"
    )
    (tmp_path / "hafen-de-1.yaml").write_text(
        text + 'lost_signs:\n  "{T}": [dich N weniger]\n', encoding="utf-8"
    )
    with pytest.raises(DataFileError, match="lost_signs"):
        described_editions((tmp_path,))
