"""Restores icons and letters that a document has lost or misread, as far as its edition file lists
them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from corpus.model import Fault, Rulebook

_BLANKS = r"[ \t\u00a0]"
_CLOSING = re.compile(r"[.,;:!?)“”\"»]")


class RestoredSign(NamedTuple):
    """The text ``meant`` in place of characters ``start`` to ``end`` of a passage; these are blanks
    if a sign was lost.
    """

    start: int
    end: int
    meant: str


def restored_signs(rulebook: Rulebook) -> dict[str, tuple[RestoredSign, ...]]:
    """Return the lost or misread signs of ``rulebook`` by passage id, in order, from the
    corrections and ``lost_signs`` of its edition.
    """
    found = _corrected(rulebook)
    for sign, places in rulebook.edition.lost_signs.items():
        for pattern in map(_pattern, places):
            for passage in rulebook.passages:
                for match in pattern.finditer(passage.text):
                    found[passage.id].append(RestoredSign(*match.span("gap"), sign))
    restored = {}
    for passage in rulebook.passages:
        kept: list[RestoredSign] = []
        for each in sorted(found.get(passage.id, ())):
            if not kept or each.start >= kept[-1].end:
                kept.append(each)
        if kept:
            restored[passage.id] = tuple(kept)
    return restored


def _corrected(rulebook: Rulebook) -> defaultdict[str, list[RestoredSign]]:
    # From corrections of garbled or lost characters.
    found: defaultdict[str, list[RestoredSign]] = defaultdict(list)
    for correction in rulebook.edition.corrections:
        printed, meant = correction.span(rulebook.document), correction.meant
        if (
            correction.fault not in (Fault.CHARACTER, Fault.LOST)
            or not isinstance(meant, str)
            or correction.settled
            or printed is None
            or meant == correction.printed
        ):
            continue
        for passage in rulebook.passages:
            before = 0
            for start, end in passage.spans:
                if start <= printed.start and printed.end <= end:
                    at = before + printed.start - start
                    sign = RestoredSign(at, at + len(correction.printed), meant)
                    found[passage.id].append(sign)
                before += end - start + 1  # the newline between two spans
    return found


def _pattern(place: str) -> re.Pattern[str]:
    """Return a pattern for a lost sign and the words around it: "zahlst du N _ weniger", where
    ``N`` matches any number and ``_`` the gap.

    A lost sign leaves two blanks before a word, one before a comma or a full stop, and none after
    an opening quotation mark.
    """
    before, _, after = (part.strip() for part in place.partition("_"))
    least = 0 if before.endswith(("„", "(", "“")) else 1 if _CLOSING.match(after) else 2
    edge = r"(?<!\w)" if place[:1].isalnum() else ""
    gap = rf"(?P<gap>{_BLANKS}{{{least},3}})"
    return re.compile(rf"{edge}{_words(before)}{gap}{_words(after)}")


def _words(text: str) -> str:
    # A pattern for ``text`` in which ``N`` matches any number and a blank any white space.
    return re.sub(r"\bN\b", lambda _: r"[-+]?(?:\d+|N)", re.escape(text)).replace(r"\ ", r"\s+")
