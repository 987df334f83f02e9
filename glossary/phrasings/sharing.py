"""Every phrasing that speaks for a passage: its own, those of its other versions, and those of its counterparts elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from corpus import editions
from corpus.model import Edition, Rulebook
from glossary.comparison.alignment import counterparts
from glossary.concepts import concepts
from glossary.phrasings import FOLDER, Phrasing, Phrasings, attach, load


def kept(edition: Edition, folder: Path = FOLDER) -> tuple[Phrasings, ...]:
    """The phrasings of ``edition`` first, then those of the other editions of its game in its language, as far as they are known.

    A new version of a rulebook so keeps the phrasings of every passage that it did not change.
    """
    others = [k.edition for k in editions.described_editions() if (k.edition.game, k.edition.language) == (edition.game, edition.language)]
    found: dict[str, Phrasings] = {}
    for id in dict.fromkeys((edition.id, *(e.id for e in others))):
        for phrasings in load(id, folder):
            found.setdefault(phrasings.fingerprint, phrasings)
    return tuple(found.values())


def gather(rulebooks: Sequence[Rulebook], tied: Mapping[str, str], folder: Path = FOLDER) -> dict[str, tuple[Phrasing, ...]]:
    """The phrasings of every passage of ``rulebooks`` that has some, by passage id, each in its own language.

    ``tied`` are concept ids by entry id. Entries tied across editions share: what a German player asks about a rule is asked
    of the Italian print of that rule too.
    """
    own: dict[str, tuple[Phrasing, ...]] = {}
    by_game: dict[str, list[Rulebook]] = defaultdict(list)
    for rulebook in rulebooks:
        by_game[rulebook.edition.game].append(rulebook)
        attached = attach(kept(rulebook.edition, folder), rulebook.passages).by_passage
        own.update({id: tuple(phrasings.all(rulebook.edition.language)) for id, phrasings in attached.items()})
    shared = {id: dict.fromkeys(phrasings) for id, phrasings in own.items()}
    for game, here in by_game.items():
        if len(here) > 1 and any(p.id in own for r in here for p in r.passages):
            for pair in counterparts(here, tied, concepts(game)):
                for one, other in ((pair.left, pair.right), (pair.right, pair.left)):
                    shared.setdefault(one, {}).update(dict.fromkeys(own.get(other, ())))
    return {id: tuple(phrasings) for id, phrasings in shared.items() if phrasings}
