from corpus import Document, identify, read
from glossary.check import Certainty, FindingKind, check_rulebook
from glossary.references import find
from service.editions.findings import finding_out
from service.editions.recognition_screen import gaps
from tests.corpus.test_pdf_boards import LETTERS, printed

STEPS = """# Laternenspiel

## 1. Aufbau
Alle Laternen stehen am Ufer.

## 2. Zug
Wer am Zug ist, zündet eine an.

## 4. Wertung
Jede Laterne zählt einen Punkt.

## 5. Ende
Das Spiel endet mit der letzten Laterne.
"""


def checked(name, raw):
    document = Document.from_bytes(name, raw)
    rulebook = read(document, identify(document))
    found = check_rulebook(rulebook, [rulebook], find(rulebook, [rulebook]))
    if name.endswith(".md"):
        assert list(gaps(rulebook)) == ["3 is missing between 2 and 4 (line 9)"]
    return list(found)


def test_a_page_with_a_board_is_found():
    raw = printed(lambda row, column: LETTERS[8 * row + column])
    (finding,) = [each for each in checked("a.pdf", raw) if each.kind is FindingKind.UNREAD]
    told = finding_out(finding)
    assert (told.sort, told.certainty, told.origin) == ("unread", "possible", "extraction")
    assert told.line == 1
    assert told.why == "page 1: letters or numbers in a grid, as of a board, were left out"


def test_numbers_that_are_missing_between_headings_are_found():
    found = checked("a.md", STEPS.encode())
    (gap,) = [each for each in found if each.kind is FindingKind.NUMBER_GAP]
    assert (gap.printed, gap.meant, gap.line) == ("4", "3", 9)
    assert gap.certainty is Certainty.POSSIBLE
