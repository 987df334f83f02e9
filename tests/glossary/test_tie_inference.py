import pytest

from corpus.model import Rulebook
from glossary.comparison.concept_proposals import (
    infer_ties,
    known_translations,
    propose_concepts,
)
from glossary.concepts import load_concepts, tie_entries
from glossary.matching.tie_proposals import KINDS
from glossary.references import find
from tests.conftest import rulebook_of


@pytest.fixture(scope="module")
def pair(sample) -> tuple[Rulebook, Rulebook]:
    left, right = (rulebook_of(sample, f"pegelwacht-{e}") for e in ("de-1.1", "it-1.1"))
    return left, right


def test_of_a_game_that_nobody_described_most_ties_are_found_and_hardly_a_wrong_one(pair):
    left, right = pair
    own = {(c.name("de"), c.name("it")) for c in load_concepts("pegelwacht")}
    taught = [each for each in known_translations("de", "it") if each not in own]
    truth = tie_entries(load_concepts("pegelwacht"), pair).by_entry
    found = infer_ties(left, right, [*find(left, pair), *find(right, pair)], {}, [], taught)
    right_ones = [
        tie
        for tie in found
        if tie.entry.id in truth and truth[tie.entry.id] == truth.get(tie.other.id)
    ]
    both = [
        {truth[e.id] for e in book.entries if e.id in truth and e.kind in KINDS} for book in pair
    ]
    assert len(right_ones) >= 0.95 * len(found)
    assert len(right_ones) >= 0.8 * len(both[0] & both[1])
    assert (
        len({tie.entry.id for tie in found}) == len({tie.other.id for tie in found}) == len(found)
    )


def test_what_is_confirmed_is_not_proposed_and_teaches_the_rest(pair):
    left, right = pair
    known = load_concepts("pegelwacht")
    truth = tie_entries(known, pair).by_entry
    references = [*find(left, pair), *find(right, pair)]
    gone = sorted(set(truth.values()))[::4]
    tied = {entry: concept for entry, concept in truth.items() if concept not in gone}
    found = infer_ties(left, right, references, tied, [c for c in known if c.id not in gone])
    assert found
    assert not {tie.entry.id for tie in found} & tied.keys()
    assert sum(
        truth.get(tie.entry.id) == truth.get(tie.other.id, "") for tie in found
    ) >= 0.95 * len(found)


def test_a_game_in_one_language_has_nothing_to_propose(sample):
    duel = [book for book in sample.rulebooks if book.edition.game == "pegelduell"]
    assert propose_concepts(duel, {}, print) == []
