from dataclasses import replace

import pytest

from corpus.anchors import anchors, relocate
from corpus.blocks import ExtractedText
from corpus.document import Document
from corpus.model import Correction, Corrections, Fault

TEXT = [
    "HAFEN",
    "",
    "Der Lotse bezahlt im Hafen zwei Fässer Öl, sobald das Boot am Steg festgemacht ist.",
    "",
    "BILD",
    "",
    "- Ein Kahn mit einem Leck sinkt am Ende der Runde,",
    "- wenn ihn niemand vorher geflickt hat.",
    "",
    "BILD",
    "",
    "- Zuerst steigt der Pegel um einen Strich auf der Leiste.",
    "- Danach treiben alle losen Bojen ein Feld weiter.",
    "- Zuletzt zahlt jeder Lotse die Liegegebühr im Hafen.",
    "",
    "Eine Boje (🔔) warnt jedes Boot, das in die Untiefe fahren will; siehe Schleusenregeln.",
]


def document(lines, extracted=True):
    text = "\n".join(lines)
    made = Document.from_bytes("boot.txt", text.encode())
    return replace(made, extracted=ExtractedText(text, (), len(text))) if extracted else made


def anchored(line, printed, fault, meant=None, through=0):
    correction = Correction(line, fault, printed, meant, "invented", through or line)
    return replace(correction, anchor=anchors(document(TEXT, extracted=False), [correction])[0])


def moved(lines, correction):
    return relocate(document(lines), [correction])[0]


def test_a_line_is_found_in_a_paragraph_that_hyphens_divide():
    lines = [
        "Der Lotse be-",
        "zahlt im Ha-",
        "fen zwei Fässer Öl, sobald das Boot am Steg fest-",
        "gemacht ist.",
    ]
    found = moved(
        ["Ein Titel", "", *TEXT[:2], *lines], anchored(3, "Hafen", Fault.REFERENCE, "HAFEN")
    )
    assert (found.line, found.printed) == (6, "Ha-\nfen")


def test_a_line_is_found_in_a_paragraph_that_has_more_than_it():
    lines = ["HAFEN", "", " ".join(TEXT[2:3] + TEXT[6:8])]
    found = moved(lines, anchored(8, "niemand", Fault.CHARACTER, "keiner"))
    assert found.line == 3
    assert found.fits(document(lines))


@pytest.mark.parametrize(("sign", "settled"), [("(\ufffd)", True), ("", True), ("(🔔)", False)])
def test_a_sign_that_only_another_extraction_misread_is_settled(sign, settled):
    lines = [*TEXT[:-1], TEXT[-1].replace("(🔔)", sign)]
    found = moved(lines, anchored(16, "(🔔)", Fault.CHARACTER, "(Glocke)"))
    assert found.settled is settled
    assert Corrections(document(lines), (found,)).unfit == ()
    assert (Corrections(document(lines), (found,)).at(16, Fault.CHARACTER) is None) is settled


def test_a_sentence_that_another_extraction_does_not_tear_is_settled():
    torn = anchored(8, "wenn ihn", Fault.TORN, 7)
    assert moved([*TEXT[:6], " ".join(TEXT[6:8]), *TEXT[8:]], torn).settled
    apart = moved([*TEXT[:7], "", *TEXT[7:]], torn)
    assert (apart.line, apart.meant, apart.settled) == (9, 7, False)


def test_a_label_that_became_a_part_of_a_paragraph_is_no_furniture():
    label = anchored(10, "BILD", Fault.FURNITURE)
    assert moved(["x", *TEXT], label).line == 11
    assert not moved([*TEXT[:4], "BILD " + TEXT[6], *TEXT[7:]], label).placed


def test_numbers_of_a_list_count_its_paragraphs():
    lines = [
        *TEXT[:12],
        "",
        "- Danach treiben alle losen Bo-",
        "jen ein Feld weiter.",
        "",
        TEXT[13],
    ]
    found = moved(lines, anchored(12, "Zuerst", Fault.NUMBER, 1, 14))
    assert (found.line, found.through) == (12, 17)
    corrections = Corrections(document(lines), (found,))
    assert [corrections.ordinal(line, found) for line in (12, 14, 17)] == [0, 1, 2]


def test_what_a_column_parted_from_its_line_is_found_where_it_stands_alone():
    start, end = TEXT[-1].split("das in")
    lines = [
        *TEXT[:-1],
        start,
        "",
        *(word for n in range(20) for word in (f"Fremder Absatz Nummer {n}", "")),
        "das in" + end,
    ]
    assert moved(lines, anchored(16, "Schleusenregeln", Fault.REFERENCE, "HAFEN")).line == len(
        lines
    )


def test_words_that_are_gone_are_not_found():
    assert not moved(TEXT[:11], anchored(13, "losen Bojen", Fault.CHARACTER, "leeren Bojen")).placed


def test_a_reworded_line_of_another_version_is_found_far_away():
    lines = [*(f"Neu {n}" for n in range(100)), *TEXT]
    lines[102] = lines[102].replace("zwei", "drei")
    found = relocate(
        document(lines, extracted=False), [anchored(3, "Fässer", Fault.CHARACTER, "Tonnen")]
    )[0]
    assert found.line == 103


def test_anchors_of_extracted_text_name_its_paragraphs():
    lines = [
        "HAFEN",
        "",
        "Der Lotse bezahlt im Ha-",
        "fen zwei Fässer Öl, sobald das Boot festgemacht ist.",
    ]
    own = Correction(4, Fault.CHARACTER, "Fässer", "Tonnen", why="invented", through=4)
    own = replace(own, anchor=anchors(document(lines), [own])[0])
    assert moved(lines, own) == own
    assert (
        moved(
            [
                "Neu.",
                "",
                *lines[:2],
                "Der Lotse be-",
                "zahlt im Hafen zwei Fässer Öl, sobald das Boot festgemacht ist.",
            ],
            own,
        ).line
        == 6
    )
