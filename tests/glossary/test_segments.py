import hashlib
from collections import Counter
from pathlib import Path

import pytest

from corpus.model import Lines, Passage, Role
from glossary.comparison.model import Agreement, Doubt, EditionComparison, Segment
from glossary.comparison.sentence_alignment import SentenceAligner
from glossary.comparison.sentence_text import SegmentText
from service.editions.comparison import compare_in_library
from service.editions.exports.tmx import memory_units

# All rows ("same", "free": the rule is the same, "differs" in substance), and the sentences that
# differ ("big", "small" for a player, "unrelated") or have nothing beside them ("empty", "half",
# "said" nearby), read by five who did not know what the comparison said.
READ = Path(__file__).parent / "segments" / "differences.tsv"
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
def champions(real_library) -> EditionComparison:
    return compare_in_library(real_library, "marvel-champions-de-1.5", "marvel-champions-it-1.7")


def name_of(texts: tuple[str, str]) -> str:
    """What texts that were read are known by: they belong to their publisher."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


@pytest.fixture(scope="module")
def judged(champions) -> Counter[tuple[str, str]]:
    """Return how many units of the default memory of the real rulebooks were judged by reading, by
    batch and verdict.
    """
    known = {}
    for line in JUDGED.read_text(encoding="utf-8").splitlines():
        name, verdict, batch = line.split("\t")
        known[name] = (batch, verdict)
    units = memory_units(champions)
    assert len(units) > 900
    names = [name_of(unit.texts) for unit in units]
    return Counter(known[name] for name in names if name in known)


def test_of_real_units_judged_by_reading_97_of_100_are_true_translations(judged):
    for batches in (("fitted", "threshold", "held-out"), ("held-out",)):
        true, false = (
            sum(judged[batch, verdict] for batch in batches) for verdict in ("true", "false")
        )
        assert true + false >= 75
        assert true / (true + false) >= 0.97


def test_what_readers_found_to_differ_is_reported(champions):
    known: dict[str, dict[str, str]] = {"row": {}, "sentence": {}}
    for line in READ.read_text(encoding="utf-8").splitlines():
        what, name, verdict = line.split("\t")
        known[what][name] = verdict
    rows = [row for pair in champions.pairs for row in pair.rows if row.left and row.right]
    read = [(row, known["row"].get(name_of(row.texts), "")) for row in rows]
    assert sum(bool(verdict) for _, verdict in read) >= 0.95 * len(rows)
    verdicts = Counter((row.agreement, verdict) for row, verdict in read if verdict)
    found = Counter(
        (known["sentence"].get(name_of(segment.texts)), row.agreement)
        for row in rows
        for segment in row.segments
    )
    for size, least in (("big", 0.65), ("small", 0.55)):
        of_size = sum(count for (each, _), count in found.items() if each == size)
        assert of_size >= 120
        assert found[size, Agreement.DIFFERS] >= least * of_size
    called = {
        agreement: sum(count for (each, _), count in verdicts.items() if each is agreement)
        for agreement in Agreement
    }
    assert verdicts[Agreement.DIFFERS, "differs"] >= 0.68 * called[Agreement.DIFFERS]
    assert verdicts[Agreement.DIFFERS, "same"] <= 0.1 * called[Agreement.DIFFERS]
    assert verdicts[Agreement.SAME, "same"] >= 0.94 * called[Agreement.SAME]
    assert verdicts[Agreement.SAME, "differs"] <= 0.02 * called[Agreement.SAME]
