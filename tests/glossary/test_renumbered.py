"""What was written for a rulebook stays with a version that renumbers every rule and rewords a tenth of the sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpus import RulebookFolder, letter_runs
from corpus.editions import identify
from corpus.model import Kind, Role, Rulebook
from corpus.read import read
from glossary.concepts import load_concepts, tie_entries
from glossary.phrasings import PassagePhrasings, fingerprint
from glossary.phrasings.relocation import SKETCH
from glossary.phrasings.wording import content, wording
from tests.bench.renumbered import keeping
from tests.bench.renumbered.revision import MORE, Changes, revised

SEEDS = range(3)


def edition(folder: RulebookFolder, id: str) -> Rulebook:
    return next(rulebook for rulebook in folder.rulebooks if rulebook.edition.id == id)


def made_up(book: Rulebook) -> list[PassagePhrasings]:
    """Phrasings for every passage of a rulebook that nobody has written any for."""
    texts = {fingerprint(p.text): p for p in book.passages if p.role is Role.TEXT}
    return [
        PassagePhrasings(mark, p.id.partition("/")[2], (f"Frage zu {p.id}",), (), "", (), wording=wording(p.text))
        for mark, p in texts.items()
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_new_version_of_the_glossary_keeps_its_phrasings(sample: RulebookFolder, seed: int) -> None:
    kept = keeping.keep(edition(sample, "pegelwacht-de-1.1"), Changes(), seed)
    assert kept.new == "pegelwacht-de-1.2"  # an edition of its own, that nothing was written for
    assert kept.texts > 1300
    assert kept.lost_share <= 0.02
    assert kept.wrong == 0


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_numbered_rules_keep_theirs(sample: RulebookFolder, monkeypatch: pytest.MonkeyPatch, seed: int, old: bool) -> None:
    book = edition(sample, "pegelduell-de-2.0")
    known = made_up(book)
    if old:  # as files of before have them, where figures count
        texts = {fingerprint(p.text): p.text for p in book.passages}
        known = [replace(each, wording=None, sketch=letter_runs.sketch(texts[each.fingerprint], SKETCH)) for each in known]
    monkeypatch.setattr(keeping, "load_with_sister_editions", lambda edition: known)
    kept = keeping.keep(book, Changes(), seed)
    assert kept.texts > 200
    assert kept.lost_share <= (0.04 if old else 0.02)
    assert kept.wrong_share <= (0.02 if old else 0.005)


@pytest.mark.parametrize("seed", SEEDS)
def test_most_stay_where_passages_also_move_and_come_and_go(sample: RulebookFolder, seed: int) -> None:
    kept = keeping.keep(edition(sample, "pegelwacht-de-1.1"), MORE, seed)
    assert kept.lost_share <= 0.03
    assert kept.wrong_share <= 0.01


def test_every_rule_has_another_number_and_leads_to_its_concept(sample: RulebookFolder) -> None:
    book = edition(sample, "pegelduell-de-2.0")
    document = revised(book, Changes(version=False), 0).document
    new = read(document, identify(document))
    numbers = [{e.number for e in each.entries if e.number} for each in (book, new)]
    assert len(numbers[0]) == len(numbers[1]) > 200
    sections = [{e.heading for e in each.entries if e.number and e.kind is Kind.SECTION} for each in (book, new)]
    assert len(sections[0]) > 30
    assert sections[0].isdisjoint(sections[1])
    concepts = load_concepts("pegelduell")
    before, now = (set(tie_entries(concepts, [each]).by_entry.values()) for each in (book, new))
    assert len(before & now) >= 0.95 * len(before)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("4.2.1. Siehe 4.4 und 7.1.2.", "5.3.2. Siehe 5.5 und 8.2.3.", True),
        ("- **3.** Ziehe 2 Karten.", "4. Ziehe 2 Karten.", True),
        ("4. Ziehe 2 Karten.", "4. Ziehe 3 Karten.", False),
    ],
)
def test_numbers_of_rules_do_not_count_and_others_do(one: str, other: str, same: bool) -> None:
    assert (content(one) == content(other)) is same
