"""Signs and letters that a document has lost or misread, where the notes on its edition know them:
what is meant in each passage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from corpus.model import Fault, Passage, Rulebook

_GAP = "_"  # stands for the sign in the words around it
_BLANKS = r"[ \t\u00a0]"
_CLOSING = re.compile(r"[.,;:!?)“”\"»]")


class RestoredSign(NamedTuple):
    """What is ``meant`` instead of ``start`` to ``end`` of the text of a passage, which are blanks
    where something is lost.
    """

    start: int
    end: int
    meant: str


def restored_signs(rulebook: Rulebook) -> dict[str, tuple[RestoredSign, ...]]:
    """What is lost or misread in the passages of ``rulebook``, by their ids, in order: by
    corrections of its edition and its lost signs.
    """
    corrected = _corrected(rulebook)
    places = [
        (_pattern(place), sign)
        for sign, places in rulebook.edition.lost_signs.items()
        for place in places
    ]
    found = {}
    for passage in rulebook.passages:
        restored: list[RestoredSign] = []
        for each in sorted((*corrected.get(passage.id, ()), *_lost(passage, places))):
            if not restored or each.start >= restored[-1].end:
                restored.append(each)
        if restored:
            found[passage.id] = tuple(restored)
    return found


def _corrected(rulebook: Rulebook) -> Mapping[str, list[RestoredSign]]:
    """What corrections say of characters that are garbled or lost, by the passage that they stand
    in.
    """
    found: dict[str, list[RestoredSign]] = {}
    for correction in rulebook.edition.corrections:
        if (
            correction.fault not in (Fault.CHARACTER, Fault.LOST)
            or not isinstance(correction.meant, str)
            or correction.settled
        ):
            continue
        if (
            printed := correction.span(rulebook.document)
        ) is None or correction.meant == correction.printed:
            continue
        for passage in rulebook.passages:
            before = 0
            for start, end in passage.spans:
                if start <= printed.start and printed.end <= end:
                    at = before + printed.start - start
                    sign = RestoredSign(at, at + len(correction.printed), correction.meant)
                    found.setdefault(passage.id, []).append(sign)
                before += end - start + 1  # the newline that joins it to the next
    return found


def _lost(passage: Passage, places: list[tuple[re.Pattern[str], str]]) -> Iterator[RestoredSign]:
    """The ``places`` in the text of ``passage`` where a sign is lost; what they cover are the
    blanks in its stead.
    """
    for pattern, sign in places:
        for match in pattern.finditer(passage.text):
            yield RestoredSign(*match.span("gap"), sign)


def _pattern(place: str) -> re.Pattern[str]:
    """The pattern of words around a lost sign: "zahlst du N _ weniger", where ``N`` stands for any
    number.

    Before a word two blanks are left of the sign, before a comma or a full stop one, behind an
    opening quotation mark none.
    """
    before, after = (_words(part.strip()) for part in place.split(_GAP))
    closing = _CLOSING.match(place.partition(_GAP)[2].strip())
    least = (
        0 if place.partition(_GAP)[0].rstrip().endswith(("„", "(", "“")) else 1 if closing else 2
    )
    edge = r"(?<!\w)" if place[:1].isalnum() else ""
    return re.compile(rf"{edge}{before}(?P<gap>{_BLANKS}{{{least},3}}){after}")


def _words(text: str) -> str:
    """``text`` as a pattern, with any number where it has ``N`` and any white space where it has a
    blank.
    """
    return re.sub(r"\bN\b", lambda _: r"[-+]?(?:\d+|N)", re.escape(text)).replace(r"\ ", r"\s+")
