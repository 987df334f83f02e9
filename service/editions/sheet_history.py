"""The permanent link of a ruling sheet, and the later history of the passages that it cites."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple
from urllib.parse import urlencode

import segno
from rapidfuzz.distance import Indel, LCSseq

from corpus.model import Edition, Entry, Passage, Span, id_without_version, is_numbered, version_key
from glossary.comparison.passage_matches import MIN_ELSEWHERE, MIN_REWORDED
from glossary.query_variants.wording import without_numbers
from index.building.former_stage import QUOTABLE, former_passage
from index.layers.passages import Layer, card_passages, ruling_passages
from index.library.former_words import FormerPassage, FormerWords, quotation_hash
from index.library.library import Library
from index.model import CardTextHit, Hit, RulingHit
from service.core.snapshot import Snapshot
from service.schemas.sheets import SheetChange

# The filters of a question.
FILTERS = ("edition", "game", "document", "language", "layers", "as_of", "context")
# Bytes of an address: a QR code of more has modules too small for a telephone on 30 mm of paper.
MOST_BYTES = 700
_QUIET = 4  # modules of white around the code, as ISO/IEC 18004 wants
_HASH = re.compile(r"[0-9a-f]{12}")
_LONGEST_ID = 500
# Share of an old passage that a longer one must contain to count as its successor.
MIN_CONTAINED = 0.9
MIN_NEAREST = 0.25  # similarity from which an entry is named for a cited passage that is gone
_FEW = 6  # words; a shorter passage is not looked for under other entries
_SAME_ENTRY = 0.05  # similarity added for the same heading
_NEAR = 0.02  # similarity added for the same line: it decides between identical passages
_WORD = re.compile(r"\S+")


class PassageKey(NamedTuple):
    """The id of a passage and the `quotation_hash` of the words cited; "" for the present words."""

    id: str
    hash: str = ""

    @classmethod
    def parse(cls, text: str) -> PassageKey:
        """Return the key of ``text``, which `written` returned."""
        id, _, hash = text.rpartition("~")
        if id and _HASH.fullmatch(hash):
            return cls(id[:_LONGEST_ID], hash)
        return cls(text[:_LONGEST_ID])

    def written(self) -> str:
        """Return id and hash in the form of a link:
        "pegelwacht-de-1.1/pegelflut#0~3f9a0c12d4e5".
        """
        return f"{self.id}~{self.hash}" if self.hash else self.id


@dataclass(frozen=True)
class SheetLink:
    """The content of a link: the question, the `FILTERS` it was asked with, the passages, and the
    day it was created (ISO 8601).
    """

    question: str
    filters: Mapping[str, str]
    passages: tuple[PassageKey, ...]
    made: str = ""

    def address(self) -> str:
        """Return the address of the sheet."""
        named = [("q", self.question), *((name, self.filters.get(name, "")) for name in FILTERS)]
        named += [("passage", key.written()) for key in self.passages]
        told = [(name, value) for name, value in (*named, ("made", self.made)) if value]
        return f"/sheet?{urlencode(told, safe='/~,')}"

    def qr_svg(self, base: str) -> str:
        """Return the QR code of the link on the service at ``base`` as an SVG element that takes
        the size of its container; if the address is too long, the link has only the passages.
        """
        address = f"{base.rstrip('/')}{self.address()}"
        if len(address) > MOST_BYTES:
            address = f"{base.rstrip('/')}{SheetLink('', {}, self.passages, self.made).address()}"
        code = segno.make(address, error="l", micro=False)
        return code.svg_inline(
            omitsize=True, border=_QUIET, light="#ffffff", svgclass="qr", lineclass=None
        )


@dataclass(frozen=True)
class TracedPassage:
    """A passage in the later ``edition``: ``now`` is None if it is gone; then ``nearest`` is the
    most similar entry.
    """

    edition: Edition
    change: SheetChange
    now: Hit | None = None
    nearest: Entry | None = None


@dataclass(frozen=True)
class PassageHistory:
    """The history of the passage ``key``.

    Attributes:
        now: The passage as it is now, None if it is gone.
        former: The words cited, None if they are unchanged or unknown.
        replaced: The edition loaded instead of the one cited.
        nearest: The entry most similar to a passage that is gone.
        newer: The passage in a newer version that is loaded too.
    """

    key: PassageKey
    change: SheetChange
    now: Hit | None
    former: FormerPassage | None = None
    replaced: Edition | None = None
    nearest: Entry | None = None
    newer: TracedPassage | None = None

    @property
    def changed(self) -> bool:
        """Whether the passage or its edition has changed."""
        return self.change is not SheetChange.UNCHANGED or self.replaced is not None


def find_cited(snapshot: Snapshot, id: str) -> Hit | None:
    """Return the passage, the ruling or the text of a card with the ``id``; None if there is none,
    or nothing to quote.
    """
    layer, _, place = id.partition("/")
    entry, _, ordinal = id.rpartition("#")
    if not ordinal.isdecimal():
        return None
    hits: Iterator[Hit] = iter(())
    game, _, name = place.rpartition("#")[0].partition("/")
    if layer in snapshot.library.edition:
        passages = snapshot.library.passages_of.get(entry, ())
        hits = (Hit(each, 0.0, ()) for each in passages if each.role in QUOTABLE)
    elif layer == Layer.RULINGS and (ruling := snapshot.index.rulings.get(f"{game}/{name}")):
        settles = ruling.authority.official and not ruling.superseded_by
        hits = (
            RulingHit(each, 1.0, (), behind=0, ruling=ruling, settles=settles, older=False)
            for each in ruling_passages(ruling)
        )
    elif layer == Layer.CARDS and (card := snapshot.index.cards.get(game, name)):
        hits = (
            CardTextHit(text.passage, 1.0, (), behind=0, quoted=text)
            for text in card_passages(card)
        )
    return next((hit for hit in hits if hit.passage.id == id), None)


def former_words(snapshot: Snapshot, key: PassageKey) -> FormerPassage | None:
    """Return the words of the passage ``key`` (without a hash, the latest ones) if they are kept
    from an earlier index.
    """
    return FormerWords(snapshot.folder.parent).find(*key) if snapshot.folder else None


def trace_passage(snapshot: Snapshot, key: PassageKey) -> PassageHistory:
    """Return what became of the passage ``key`` in ``snapshot``: moved, reworded, gone, …"""
    library = snapshot.library
    here = find_cited(snapshot, key.id)
    if here is not None and quotation_hash(here.passage.display) == key.hash:
        return PassageHistory(key, SheetChange.UNCHANGED, here, newer=_newer(library, here.passage))
    former = former_words(snapshot, key)
    edition = key.id.partition("/")[0]
    if edition in (Layer.RULINGS, Layer.CARDS):
        # Readers see no order among the texts of a ruling or a card.
        entry = key.id.rpartition("#")[0]
        for ordinal in range(2 if here is None else 40):
            hit = find_cited(snapshot, f"{entry}#{ordinal}")
            if hit and quotation_hash(hit.passage.display) == key.hash:
                return PassageHistory(key, SheetChange.UNCHANGED, hit)
        if former is None:
            return PassageHistory(key, SheetChange.UNKNOWN, here)
        change = SheetChange.GONE if here is None else SheetChange.REWORDED
        return PassageHistory(key, change, here, former)
    candidates = _versions_like(library, edition)
    if edition in library.edition:
        candidates = [library.edition[edition]]
    tried = [_find(library, each, key, former) for each in candidates]
    found = next((each for each in tried if each.now), tried[0] if tried and former else None)
    if found is None:
        newer = _newer(library, here.passage) if here else None
        change = SheetChange.UNKNOWN if former is None else SheetChange.GONE
        return PassageHistory(key, change, here, former, newer=newer)
    replaced = found.edition if found.edition.id != edition else None
    newer = _newer(library, found.now.passage) if found.now and replaced is None else None
    return PassageHistory(key, found.change, found.now, former, replaced, found.nearest, newer)


def _newer(library: Library, passage: Passage) -> TracedPassage | None:
    """Return ``passage`` as it is in the newest loaded version of its rulebook; None if it is
    from that version.
    """
    edition = library.edition.get(passage.entry.partition("/")[0])
    if edition is None or not is_numbered(edition.version):
        return None
    newest = next(iter(_versions_like(library, edition.id)), None)
    if newest is None or version_key(newest.version) <= version_key(edition.version):
        return None
    key = PassageKey(passage.id, quotation_hash(passage.display))
    return _find(library, newest, key, former_passage(library, passage, ""))


def _versions_like(library: Library, edition: str) -> list[Edition]:
    """Return the loaded versions of the rulebook of which ``edition`` is or was a version, the
    newest first.
    """

    def differs_in_version_alone(other: Edition) -> bool:
        stem = id_without_version(other.id, other.version) if is_numbered(other.version) else ""
        behind = edition.removeprefix(stem)[:1]
        return bool(stem) and edition.startswith(stem) and behind.isdecimal()

    found = (
        each
        for each in library.editions
        if each.succeeds == edition or differs_in_version_alone(each)
    )
    return sorted(found, key=lambda each: version_key(each.version), reverse=True)


def _find(
    library: Library, edition: Edition, key: PassageKey, old: FormerPassage | None
) -> TracedPassage:
    """Find the passage of ``edition`` with the words of ``key``, else what ``old`` became."""
    passages = [passage for passage in library.passages_in(edition.id) if passage.role in QUOTABLE]
    within, entry = _within(key.id), _within(key.id.rpartition("#")[0])
    same = [p for p in passages if quotation_hash(p.display) == key.hash]
    if same:  # prefer the same place, then the same entry, then the first
        first = min(same, key=lambda p: (_within(p.id) != within, _within(p.entry) != entry))
        at_home = _within(first.entry) == entry
        change = SheetChange.UNCHANGED if at_home else SheetChange.MOVED
        return TracedPassage(edition, change, Hit(first, 0.0, ()))
    if old is None:
        return TracedPassage(edition, SheetChange.GONE)
    best, nearest = _most_like(library, passages, old)
    if best is None and any(map(str.isalpha, entry)):  # the same number may have any content
        home = [p for p in passages if _within(p.entry) == entry]
        best, nearest = home[0] if len(home) == 1 else None, home[0] if home else nearest
    if best is None:
        around = library.entry[nearest.entry] if nearest else None
        return TracedPassage(edition, SheetChange.GONE, nearest=around)
    alone = without_numbers(old.display) == without_numbers(best.display)
    change = SheetChange.RENUMBERED if alone else SheetChange.REWORDED
    return TracedPassage(edition, change, Hit(best, 0.0, ()))


def _most_like(
    library: Library, passages: list[Passage], old: FormerPassage
) -> tuple[Passage | None, Passage | None]:
    """Return the probable successor of ``old`` in ``passages``, and the passage most similar to it;
    each None if there is none.
    """
    sought = without_numbers(old.display)
    words, entry = _words(sought), _within(old.id.rpartition("#")[0])
    counted = Counter(words)
    ranked = []  # similarity with bonus for the place, similarity, whether that is enough
    for passage in passages:
        found = without_numbers(passage.display)
        others = _words(found)
        common = (counted & Counter(others)).total()
        whole = common >= MIN_CONTAINED * len(words)
        if not whole and 2 * common < MIN_NEAREST * (len(words) + len(others)):
            continue
        same_title = library.entry[passage.entry].title == old.title
        at_home = _within(passage.entry) == entry or same_title
        alike = 2.0 if found == sought else float(Indel.normalized_similarity(words, others))
        if whole and LCSseq.similarity(words, others) >= MIN_CONTAINED * len(words):
            alike = max(alike, MIN_ELSEWHERE)  # it is now part of a longer one
        near = _NEAR / (1 + abs(passage.lines.first - old.lines.first))
        known = found == sought or at_home or len(words) >= _FEW
        enough = known and alike >= (MIN_REWORDED if at_home else MIN_ELSEWHERE)
        ranked.append((alike + _SAME_ENTRY * at_home + near, alike, enough, passage))
    ranked.sort(key=lambda each: each[0], reverse=True)
    best = next((passage for _, _, enough, passage in ranked if enough), None)
    return best, next((passage for _, alike, _, passage in ranked if alike >= MIN_NEAREST), None)


def changed_spans(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """Return the spans of differing words in each text; line breaks do not count."""
    places = [[m.span() for m in _WORD.finditer(text)] for text in (old, new)]
    words = [[text[a:b] for a, b in spans] for text, spans in zip((old, new), places, strict=True)]
    found: tuple[list[Span], list[Span]] = ([], [])
    for kind, a, b, c, d in SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes():
        for side, (start, end) in enumerate(((a, b), (c, d))):
            if kind != "equal" and start < end:
                found[side].append(Span(places[side][start][0], places[side][end - 1][1]))
    return found


def _within(id: str) -> str:
    """Return an id without that of the edition: "rules-de-1.0/draw#2" → "draw#2"."""
    return id.partition("/")[2]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
