import random
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pytest

from corpus.model import Rulebook
from glossary.check import FindingKind, Reason, Why, edition_notes
from glossary.concepts import Concept, load_concepts, tie_entries
from glossary.concepts.product_names import ProductName, ProductNames
from glossary.concepts.product_names import ProductProposal as ProductProposal
from glossary.matching.tie_proposals import EntryComparer, reference_signs
from glossary.model import Reference
from glossary.references import find
from tests.conftest import rulebook_of

Make = Callable[..., Rulebook]


class Game(NamedTuple):
    left: Rulebook
    right: Rulebook
    references: Sequence[Reference]
    concepts: Sequence[Concept]
    tied: Mapping[str, str]

    def both(self):
        """The concepts that have an entry on both sides, sorted."""
        here, there = (
            {self.tied[e.id] for e in b.entries if e.id in self.tied}
            for b in (self.left, self.right)
        )
        return sorted(here & there)

    def without(self, gone):
        """The game as if nobody had ever described some concepts."""
        left = {entry: concept for entry, concept in self.tied.items() if concept not in gone}
        return self._replace(tied=left, concepts=[c for c in self.concepts if c.id not in gone])

    def comparer(self):
        return EntryComparer(self.left, self.right, self.references, self.tied, self.concepts)


@pytest.fixture(scope="module")
def champions(real) -> Game:
    left, right = (rulebook_of(real, f"marvel-champions-{e}") for e in ("de-1.5", "it-1.7"))
    known = load_concepts("marvel-champions")
    references = [*find(left, real.rulebooks), *find(right, real.rulebooks)]
    return Game(left, right, references, known, tie_entries(known, [left, right]).by_entry)


@pytest.mark.parametrize("seed", [100, 101])
def test_ties_taken_away_are_proposed_again_and_hardly_any_other(champions, seed):
    both = champions.both()
    gone = set(random.Random(seed).sample(both, len(both) // 5))
    # What only one edition has is open too, so that it can be proposed wrongly.
    alone = set(champions.tied.values()) - set(both)
    bare = champions.without(gone | alone)
    found = bare.comparer().proposed()
    right = [
        p for p in found if champions.tied.get(p.entry.id) == champions.tied.get(p.other.id) in gone
    ]
    assert len(right) >= 0.9 * len(found)
    assert len(right) >= 0.7 * len(gone)


def test_nothing_is_proposed_where_all_is_confirmed(champions):
    assert champions.comparer().proposed() == []


def test_wrong_ties_are_doubted_and_right_ones_are_not(champions):
    swapped = random.Random(3).sample(champions.both(), 24)
    other = dict(zip(swapped, [*swapped[1:], swapped[0]], strict=True))
    wrong = {
        e.id: other.get(champions.tied[e.id], champions.tied[e.id])
        for e in champions.right.entries
        if e.id in champions.tied
    }
    game = champions.without(set(swapped))._replace(tied={**champions.tied, **wrong})
    doubted = {game.tied[doubt.entry.id] for doubt in game.comparer().doubtful()}
    assert len(doubted & set(swapped)) >= 0.8 * len(swapped)
    assert len(doubted - set(swapped)) <= 5
    doubts = champions.comparer().doubtful()
    assert [champions.tied[doubt.entry.id] for doubt in doubts] == ["get"]


GERMAN = (
    ("term", "BIENE", "Die Biene fliegt mit dem Imker 3 Felder weit.", "Siehe auch: Imker, Stock"),
    ("term", "IMKER", "Der Imker weckt 2 Bienen.", "Siehe auch: Biene"),
    ("term", "STOCK", "Im Stock liegen 12 Waben.", "Siehe auch: Biene, Imker"),
    ("term", "WETTER", "Bei Regen ruht alles."),
)
ITALIAN = (
    ("term", "APE", "L'ape vola con l'apicoltore per 3 caselle.", "Vedi anche: Apicoltore, Arnia"),
    ("term", "APICOLTORE", "L'apicoltore sveglia 2 api.", "Vedi anche: Ape"),
    ("term", "ARNIA", "Nell'arnia ci sono 12 favi.", "Vedi anche: Ape, Apicoltore"),
    ("term", "MIELE", "Il miele è dolce."),
)


def concept(id, german, italian):
    return Concept(id, "spiel", {"de": (german,), "it": (italian,)}, {}, {}, (), False, {})


def test_an_entry_is_proposed_by_its_neighbours_and_what_is_only_on_one_side_is_not(book):
    left, right = book(*GERMAN), book(*ITALIAN, language="it", layout="markdown", edition="gioco-1")
    known = [concept("bee", "Biene", "Ape"), concept("keeper", "Imker", "Apicoltore")]
    tied = {"spiel-1/0": "bee", "gioco-1/0": "bee", "spiel-1/1": "keeper", "gioco-1/1": "keeper"}
    references = [*find(left, [left]), *find(right, [right])]
    comparer = EntryComparer(left, right, references, tied, known)
    (found,) = comparer.proposed()
    assert (found.entry.heading, found.other.heading) == ("STOCK", "ARNIA")
    assert reference_signs(([found.entry], [found.other]), references, tied) > 0
    assert list(comparer.doubtful()) == []


def test_the_report_names_both_entries(sample):
    duel = rulebook_of(sample, "pegelduell-de-2.0")
    proposed = {
        (f.line, f.meant)
        for f in edition_notes.TieChecker(sample.rulebooks).find(duel)
        if f.kind is FindingKind.TIE_PROPOSED
    }
    assert proposed <= {(162, "Das Ende der Partie")}
    for rulebook in sample.rulebooks:
        for finding in edition_notes.TieChecker(sample.rulebooks).find(rulebook):
            assert finding.line is not None
            assert finding.why[0].values["line"]


def test_learned_products_are_shown_until_somebody_confirms_them(real, monkeypatch):
    german = rulebook_of(real, "marvel-champions-de-1.5")
    assert list(edition_notes.unconfirmed_products(german, real.rulebooks)) == []

    class Learned(ProductNames):
        proposals = (
            ProductProposal(ProductName("de", "wasp helden pack"), ProductName("it", "wasp"), 4.0),
        )

        def __init__(self, *_):
            pass

    monkeypatch.setattr(edition_notes, "ProductNames", Learned)
    (found,) = edition_notes.unconfirmed_products(german, real.rulebooks)
    assert found.kind is FindingKind.PRODUCT_PROPOSED
    assert found.why[0] == Reason(Why.SAME_CARDS, {"quoted": "wasp", "language": "it"})
