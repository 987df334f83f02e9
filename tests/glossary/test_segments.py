import hashlib
from collections import Counter
from pathlib import Path

import pytest

from corpus.model import Lines, Passage, Role
from glossary.comparison.model import Doubt, Segment
from glossary.comparison.sentence_alignment import SentenceAligner
from glossary.comparison.sentence_text import SegmentText
from service.editions.comparison import compare_in_library
from service.editions.exports.tmx import memory_units

JUDGED = Path(__file__).parent / "segments" / "marvel-champions-de-1.5-it-1.7.tsv"


def passage(display):
    return Passage("ed/anker#0", "ed/anker", 0, Role.TEXT, 0, (), Lines(1, 1), display, display)


def sentences_of(*displays, language="de", number=None):
    passages = [passage(display) for display in displays]
    return [
        s.text
        for s in SegmentText(passages, language).sentences(passages[:1], {"ed/anker": number})
    ]


@pytest.fixture(scope="module")
def segments(sample_library) -> tuple[Segment, ...]:
    comparison = compare_in_library(sample_library, "pegelwacht-de-1.1", "pegelwacht-it-1.1")
    return tuple(comparison.segments)


@pytest.mark.parametrize(
    ("display", "expected"),
    [
        ("• Ein Anker hält. Er rostet nie.", ["Ein Anker hält.", "Er rostet nie."]),
        ("• 3. Anker werfen\n  a) Kette lösen", ["Anker werfen", "Kette lösen"]),
        ("(2) Anker, z. B. aus Eisen, max. 2 Stück.", ["Anker, z. B. aus Eisen, max. 2 Stück."]),
        ("Der\nAnker hält das\nSchiff.", ["Der Anker hält das Schiff."]),
        ("Anker:\n- aus Eisen\n- aus Holz", ["Anker:", "aus Eisen", "aus Holz"]),
        ("2 Anker halten.", ["2 Anker halten."]),
        ("F: Hält er? Ja.", ["Hält er?", "Ja."]),
        ("• …", []),
        ("-- Anker werfen", ["Anker werfen"]),
        ("• ... Ketten, die rosten.", ["Ketten, die rosten."]),
    ],
)
def test_a_sentence_stands_in_one_line_without_what_is_layout(display, expected):
    assert sentences_of(display) == expected


def test_the_number_of_a_rule_is_no_part_of_its_text():
    assert sentences_of("4.1 Anker halten.", number="4.1") == ["Anker halten."]
    assert sentences_of("4.1 Anker halten.", number="4.2") == ["4.1 Anker halten."]


def test_a_word_hyphenated_within_a_line_is_joined_where_the_edition_has_it_whole():
    assert sentences_of("Der Spiel-aufbau beginnt.", "Spielaufbau", "Spielaufbau") == [
        "Der Spielaufbau beginnt."
    ]
    assert sentences_of("Der Spiel-aufbau beginnt.") == ["Der Spiel-aufbau beginnt."]
    assert sentences_of("Spieler- und Ankerkarten", "Spielerund") == ["Spieler- und Ankerkarten"]


def test_sentences_that_one_side_says_in_one_and_those_it_lacks_are_found():
    words = [
        ("Anker", "ancora"),
        ("Kette", "catena"),
        ("Schiff", "nave"),
        ("Segel", "vela"),
        ("Mast", "albero"),
        ("Bug", "prua"),
    ]
    texts = [
        ([f"{a} trifft {b}."], [f"{x} colpisce {y}."]) for a, x in words for b, y in words if a != b
    ]
    texts.append(
        (
            ["Anker trifft Kette.", "Mast trifft Bug.", "Segel trifft Schiff."],
            ["Ancora colpisce catena.", "Vela colpisce nave."],
        )
    )
    texts.append(
        (
            ["Anker trifft Kette, Mast trifft Bug."],
            ["Ancora colpisce catena.", "Albero colpisce prua."],
        )
    )
    found = [
        [(bead.left, bead.right) for bead in beads]
        for beads in SentenceAligner(texts, ("de", "it")).beads()
    ]
    assert found[-2] == [((0, 1), (0, 1)), ((1, 2), (1, 1)), ((2, 3), (1, 2))]
    assert found[-1] == [((0, 1), (0, 2))]


def test_every_sentence_of_both_editions_is_in_one_segment(sample_library, segments):
    assert len({segment.id for segment in segments}) == len(segments)
    comparison = compare_in_library(sample_library, "pegelwacht-de-1.1", "pegelwacht-it-1.1")
    for side in (0, 1):
        places = Counter(
            (s.passage.id, s.paragraph, s.number)
            for segment in segments
            for s in (segment.left, segment.right)[side]
        )
        assert set(places.values()) == {1}
        assert {id for id, _, _ in places} == {
            p.id
            for pair in comparison.pairs
            for row in pair.rows
            for p in (row.left, row.right)[side]
        }
    assert all(Doubt.ONE_SIDED in segment.doubts for segment in segments if not segment.aligned)


@pytest.fixture(scope="module")
def judged(real_library) -> Counter[tuple[str, str]]:
    """Return how many units of the default memory of the real rulebooks were judged by reading, by
    batch and verdict.
    """
    comparison = compare_in_library(
        real_library, "marvel-champions-de-1.5", "marvel-champions-it-1.7"
    )
    known = {}  # batch and verdict by the first 12 digits of a hash of both texts
    for line in JUDGED.read_text(encoding="utf-8").splitlines():
        name, verdict, batch = line.split("\t")
        known[name] = (batch, verdict)
    units = memory_units(comparison)
    assert len(units) > 900
    names = [hashlib.sha256("\0".join(unit.texts).encode()).hexdigest()[:12] for unit in units]
    return Counter(known[name] for name in names if name in known)


def test_of_real_units_judged_by_reading_97_of_100_are_true_translations(judged):
    for batches in (("fitted", "threshold", "held-out"), ("held-out",)):
        true, false = (
            sum(judged[batch, verdict] for batch in batches) for verdict in ("true", "false")
        )
        assert true + false >= 75
        assert true / (true + false) >= 0.97
