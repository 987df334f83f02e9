"""Whether a draft finds its passage: each text is asked while it, with others, is left out of what is searched and learned from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import yaml

from glossary.phrasings import PassagePhrasings, Phrasing, attach_phrasings
from index.model import Query
from index.search import Index
from service.editions.drafting.file_blocks import PHRASING_FIELDS, text_slots
from service.editions.drafting.trial_index import EditionTexts
from service.editions.drafting.yaml_edits import changed_fields

AMONG = 5  # passages among which a text must find its own
FOLDS = 3  # parts of the texts; one after the other is left out and asked
NOT_FOUND = "does not find its passage"
OTHER = "could be answered by "  # and the title of the entry that is found instead
_LIKE = 0.5  # similarity of a text to a phrasing of another passage that means much the same


@dataclass(frozen=True)
class Asked:
    """A drafted text, what it stands under in the file, and the passages that it should find."""

    fingerprint: str
    phrasing: Phrasing
    passages: frozenset[str]


def check_drafts(
    index: Index, edition: str, own: Sequence[PassagePhrasings], progress: Callable[[int, int], None] = lambda *_: None
) -> dict[str, dict[str, str]]:
    """Ask ``index`` every drafted text of ``own``, the phrasings of ``edition`` in a file; what does not find its passage, with a reason.

    The result is by fingerprint and text; a draft that nobody has to look at has nothing in it. What was reviewed is not asked.
    ``progress`` gets how many texts were asked, and how many there are.
    """
    asked = list(_asked(index, edition, own))
    found: dict[str, dict[str, str]] = {each.fingerprint: {} for each in asked}
    texts = EditionTexts(index, edition)
    done = 0
    for part in filter(None, (asked[fold::FOLDS] for fold in range(FOLDS))):
        trial = texts.index_without({(passage, each.phrasing) for each in part for passage in each.passages})
        for each in part:
            if reason := _fault(trial, edition, each):
                found[each.fingerprint][each.phrasing.text] = reason
            done += 1
            progress(done, len(asked))
    return found


def with_marks(text: str, found: Mapping[str, Mapping[str, str]]) -> str:
    """``text``, the content of the file, with what `check_drafts` ``found`` as `review`.

    What was reviewed meanwhile stays as it is, and so do reasons of others. Raises `service.editions.drafting.yaml_edits.CannotEdit`.
    """
    there = yaml.load(text, Loader=yaml.CSafeLoader) or {}
    changes = {}
    for fingerprint, marks in found.items():
        fields = there.get(fingerprint) or {}
        if fields and not fields.get("reviewed"):
            texts = {slot.text for slot in text_slots(fields, PHRASING_FIELDS)}
            others = {text: why for text, why in (fields.get("review") or {}).items() if not _is_ours(why)}
            changes[fingerprint] = {"review": others | {text: why for text, why in marks.items() if text in texts}}
    return changed_fields(text, changes)


def _is_ours(reason: str) -> bool:
    return reason == NOT_FOUND or reason.startswith(OTHER)


def _asked(index: Index, edition: str, own: Sequence[PassagePhrasings]) -> Iterator[Asked]:
    language = index.library.edition[edition].language
    homes: dict[str, set[str]] = defaultdict(set)
    for passage, phrasings in attach_phrasings(own, index.library.passages_in(edition)).by_passage.items():
        homes[phrasings.fingerprint].add(passage)
    for each in own:
        if each.drafted and not each.reviewed and each.fingerprint in homes:
            for phrasing in dict.fromkeys(each.all(language)):
                yield Asked(each.fingerprint, phrasing, frozenset(homes[each.fingerprint]))


def _fault(index: Index, edition: str, asked: Asked) -> str:
    """Why somebody should look at a text; "" where it finds its passage."""
    query = Query(asked.phrasing.text, edition=edition, language=asked.phrasing.language, k=AMONG)
    if any(passage.id in asked.passages for hit in index.search(query).hits for passage in (hit.passage, *hit.duplicates)):
        return ""
    _, numbers, signals = index.signals(query)
    likest = int(signals["phrasings"].argmax())
    if signals["phrasings"][likest] < _LIKE:
        return NOT_FOUND
    return OTHER + index.library.entry[index.library.searchable[int(numbers[likest])].entry].title
