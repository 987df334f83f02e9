"""Every phrasing that speaks for a passage: its own, those of its other versions, and those of its counterparts elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from corpus.workspace import Folders
from glossary.comparison.alignment import align_passages
from glossary.concepts import load_concepts
from glossary.model import RulebookView
from glossary.phrasings import Phrasing, attach_phrasings, load_with_sister_editions


def gather_phrasings(
    rulebooks: Sequence[RulebookView], tied: Mapping[str, str], folders: Folders = None
) -> dict[str, tuple[Phrasing, ...]]:
    """The phrasings of every passage of ``rulebooks`` that has some, by passage id, each in its own language.

    ``tied`` are concept ids by entry id. Entries tied across editions share: what a German player asks about a rule is asked
    of the Italian print of that rule too.
    """
    own: dict[str, tuple[Phrasing, ...]] = {}
    by_game: dict[str, list[RulebookView]] = defaultdict(list)
    for rulebook in rulebooks:
        by_game[rulebook.edition.game].append(rulebook)
        attached = attach_phrasings(load_with_sister_editions(rulebook.edition, folders), rulebook.passages).by_passage
        own.update({id: tuple(phrasings.all(rulebook.edition.language)) for id, phrasings in attached.items()})
    shared = {id: dict.fromkeys(phrasings) for id, phrasings in own.items()}
    for game, here in by_game.items():
        if len(here) > 1 and any(p.id in own for r in here for p in r.passages):
            for pair in align_passages(here, tied, load_concepts(game)):
                for one, other in ((pair.left, pair.right), (pair.right, pair.left)):
                    shared.setdefault(one, {}).update(dict.fromkeys(own.get(other, ())))
    return {id: tuple(phrasings) for id, phrasings in shared.items() if phrasings}
