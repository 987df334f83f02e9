"""What became of a passage that was cited: it stands as it did, elsewhere, under another number, in other words, or is gone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise

from rapidfuzz.distance import Indel, LCSseq

from corpus.model import Edition, Entry, Lines, Passage, Role, Span
from corpus.versions import id_without_version, is_numbered, version_key
from glossary.comparison.passage_changes import MIN_ELSEWHERE, MIN_REWORDED, word_similarity
from glossary.phrasings.wording import without_numbers
from index.building.former_stage import QUOTABLE
from index.layers.model import Layer
from index.layers.passages import card_passages, ruling_passages
from index.library.former_words import FormerPassage, FormerWords, quotation_hash
from index.library.library import Library
from index.model import CardTextHit, Hit, RulingHit
from service.core.snapshot import Snapshot
from service.editions.sheets.sheet_links import PassageKey
from service.schemas.sheets import SheetChange

MIN_CONTAINED = 0.9  # of an old passage that a longer one has to have to be taken for what it became
MIN_NEAREST = 0.25  # likeness of a passage whose entry is named where the cited one is gone
_FEW = 6  # words; a shorter passage is not looked for under other entries
_SAME_ENTRY = 0.05  # of likeness that standing under the same heading is worth
_NEAR = 0.02  # of likeness that standing at the same line is worth: it decides between twins
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class NewerVersion:
    """A newer version of the rulebook of a passage, loaded beside it, and what the passage is there: ``now`` is empty where it is gone."""

    edition: Edition
    change: SheetChange
    now: tuple[Hit, ...]


@dataclass(frozen=True)
class PassageHistory:
    """What became of the passage ``key``. ``now`` is what stands there, several passages where it was divided, none where it is gone.

    ``former`` are the words cited and where they stood, None where they stand there still, or are not known. ``replaced`` is the edition
    that is loaded instead of the one cited. ``nearest`` is the entry most like it where it is gone.
    """

    key: PassageKey
    change: SheetChange
    now: tuple[Hit, ...]
    former: FormerPassage | None = None
    replaced: Edition | None = None
    nearest: Entry | None = None
    newer: NewerVersion | None = None

    @property
    def changed(self) -> bool:
        """Whether anything is other than it was."""
        return self.change is not SheetChange.UNCHANGED or self.replaced is not None


def find_cited(snapshot: Snapshot, id: str) -> Hit | None:
    """Return the passage, the ruling or the text of a card that is called ``id``; None where there is none, or nothing to quote."""
    layer, _, _ = id.partition("/")
    entry, _, ordinal = id.rpartition("#")
    if not ordinal.isdecimal():
        return None
    if layer in snapshot.library.edition:
        return next((_hit(p) for p in snapshot.library.passages_of.get(entry, ()) if p.id == id and p.role in QUOTABLE), None)
    game, _, name = entry.partition("/")[2].partition("/")
    if layer == Layer.RULINGS and (ruling := snapshot.index.rulings.get(f"{game}/{name}")):
        settles = ruling.authority.official and not ruling.superseded_by
        return next(
            (
                RulingHit(passage=each, score=1.0, highlights=(), behind=0, ruling=ruling, settles=settles, older=False)
                for each in ruling_passages(ruling)
                if each.id == id
            ),
            None,
        )
    if layer == Layer.CARDS and (card := snapshot.index.cards.get(game, name)):
        texts = ((text, text.passage) for text in card_passages(card))
        return next((CardTextHit(passage=p, score=1.0, highlights=(), behind=0, quoted=text) for text, p in texts if p.id == id), None)
    return None


def trace_passage(snapshot: Snapshot, key: PassageKey) -> PassageHistory:
    """Return what became of the passage ``key`` in ``snapshot``; worked out once."""
    return snapshot.cache.get(("cited passage", *key), lambda: _trace(snapshot, key), most=256)


def _trace(snapshot: Snapshot, key: PassageKey) -> PassageHistory:
    library = snapshot.library
    here = find_cited(snapshot, key.id)
    if here is not None and quotation_hash(here.passage.display) == key.hash:
        return PassageHistory(key, SheetChange.UNCHANGED, (here,), newer=_newer(library, here))
    former = FormerWords(snapshot.folder.parent).find(*key) if snapshot.folder else None
    if key.id.partition("/")[0] in (Layer.RULINGS, Layer.CARDS):
        return _trace_layer(snapshot, key, here, former)
    found = _trace_printed(library, key, here, former)
    return replace(found, newer=_newer(library, found.now[0])) if found.now and found.replaced is None else found


def _trace_layer(snapshot: Snapshot, key: PassageKey, here: Hit | None, former: FormerPassage | None) -> PassageHistory:
    """The same of a ruling or of a text of a card, whose texts have no order that anybody sees."""
    entry = key.id.rpartition("#")[0]
    others = (find_cited(snapshot, f"{entry}#{ordinal}") for ordinal in range(2 if here is None else 40))
    same = next((hit for hit in others if hit and quotation_hash(hit.passage.display) == key.hash), None)
    if same is not None:
        return PassageHistory(key, SheetChange.UNCHANGED, (same,))
    if former is None:
        return PassageHistory(key, SheetChange.UNKNOWN, (here,) if here else ())
    if here is None:
        return PassageHistory(key, SheetChange.GONE, (), former)
    return PassageHistory(key, SheetChange.REWORDED, (here,), former)


def _trace_printed(library: Library, key: PassageKey, here: Hit | None, former: FormerPassage | None) -> PassageHistory:
    edition = key.id.partition("/")[0]
    rest: PassageHistory | None = None
    for candidate in [library.edition[edition]] if edition in library.edition else _versions_like(library, edition):
        replaced = None if candidate.id == edition else candidate
        same = _same_words(library, candidate, key)
        if same is not None:
            return PassageHistory(key, _place_change(same, key), (_hit(same),), former, replaced)
        if former is not None and rest is None:
            found = _became(library, candidate, former)
            if found.now:
                return replace(found, key=key, replaced=replaced)
            rest = replace(found, key=key, replaced=replaced)
    if former is None:
        return PassageHistory(key, SheetChange.UNKNOWN, (here,) if here else ())
    return rest or PassageHistory(key, SheetChange.GONE, (), former)


def _place_change(same: Passage, key: PassageKey) -> SheetChange:
    """Whether ``same``, which has the words of ``key``, stands under the heading that they had; which passage there is nobody's matter."""
    return SheetChange.UNCHANGED if _within(same.entry) == _within(key.id.rpartition("#")[0]) else SheetChange.MOVED


def _newer(library: Library, hit: Hit) -> NewerVersion | None:
    """What the passage of ``hit`` is in the newest version of its rulebook that is loaded; None where its own is that."""
    edition = library.edition.get(hit.passage.entry.partition("/")[0])
    if edition is None or not is_numbered(edition.version):
        return None
    newest = next(iter(_versions_like(library, edition.id)), None)
    if newest is None or version_key(newest.version) <= version_key(edition.version):
        return None
    key = PassageKey(hit.passage.id, quotation_hash(hit.passage.display))
    if (same := _same_words(library, newest, key)) is not None:
        return NewerVersion(newest, _place_change(same, key), (_hit(same),))
    entry = library.entry[hit.passage.entry]
    found = _became(library, newest, _Sought(hit.passage, entry.title))
    return NewerVersion(newest, found.change, found.now)


@dataclass(frozen=True)
class _Sought:
    """A passage to be found in another version."""

    passage: Passage
    title: str

    @property
    def id(self) -> str:
        return self.passage.id

    @property
    def display(self) -> str:
        return self.passage.display

    @property
    def lines(self) -> Lines:
        return self.passage.lines


def _versions_like(library: Library, edition: str) -> list[Edition]:
    """The loaded versions of the rulebook whose edition is, or was, called ``edition``, the newest first."""
    found = [each for each in library.editions if each.succeeds == edition or _is_version_like(each, edition)]
    return sorted(found, key=lambda each: version_key(each.version), reverse=True)


def _is_version_like(other: Edition, edition: str) -> bool:
    """Whether the ids of both differ in nothing but a numbered version."""
    stem = id_without_version(other.id, other.version) if is_numbered(other.version) else ""
    return bool(stem) and edition.startswith(stem) and edition[len(stem) : len(stem) + 1].isdecimal()


def _same_words(library: Library, edition: Edition, key: PassageKey) -> Passage | None:
    """The passage of ``edition`` with the words of ``key``; of several the one at its place, else under its heading, else the first."""
    same = [p for p in _quotable(library, edition) if quotation_hash(p.display) == key.hash]
    within, entry = _within(key.id), _within(key.id.rpartition("#")[0])
    return min(same, key=lambda p: (_within(p.id) != within, _within(p.entry) != entry), default=None)


def _became(library: Library, edition: Edition, old: FormerPassage | _Sought) -> PassageHistory:
    """What the ``old`` words, which ``edition`` does not have, became there."""
    key = PassageKey(old.id)
    former = old if isinstance(old, FormerPassage) else None
    passages = list(_quotable(library, edition))
    best, nearest = _most_like(library, passages, old)
    if best is None:
        home = _under_its_heading(library, passages, old)
        best, nearest = home[0] if len(home) == 1 else None, home[0] if home else nearest
    if best is None:
        return PassageHistory(key, SheetChange.GONE, (), former, nearest=library.entry[nearest.entry] if nearest else None)
    now = _with_parts(passages, best, old.display)
    alone = without_numbers(old.display) == without_numbers("\n".join(p.display for p in now))
    change = SheetChange.RENUMBERED if alone else SheetChange.REWORDED
    return PassageHistory(key, change, tuple(map(_hit, now)), former)


def _under_its_heading(library: Library, passages: Sequence[Passage], old: FormerPassage | _Sought) -> list[Passage]:
    """Those of ``passages`` under the heading that ``old`` stood under; none where that is a number, which tells nothing."""
    within = _within(old.id.rpartition("#")[0])
    return [p for p in passages if _within(p.entry) == within] if any(map(str.isalpha, within)) else []


def _most_like(library: Library, passages: Sequence[Passage], old: FormerPassage | _Sought) -> tuple[Passage | None, Passage | None]:
    """The one of ``passages`` that ``old`` may have become, None where none is; and the one most like it all the same."""
    sought = without_numbers(old.display)
    words, entry = _words(sought), _within(old.id.rpartition("#")[0])
    counted = Counter(words)
    best: tuple[float, Passage] | None = None
    nearest: tuple[float, Passage] | None = None
    for passage in passages:
        found = without_numbers(passage.display)
        others = _words(found)
        common = sum((counted & Counter(others)).values())
        whole = common >= MIN_CONTAINED * len(words)
        if not whole and 2 * common < MIN_NEAREST * (len(words) + len(others)):
            continue
        at_home = _within(passage.entry) == entry or library.entry[passage.entry].title == old.title
        alike = 2.0 if found == sought else float(Indel.normalized_similarity(words, others))
        if whole and LCSseq.similarity(words, others) >= MIN_CONTAINED * len(words):
            alike = max(alike, MIN_ELSEWHERE)  # it is now part of a longer one
        away = abs(passage.lines.first - old.lines.first)
        value = alike + (_SAME_ENTRY if at_home else 0.0) + _NEAR / (1 + away)
        known = found == sought or at_home or len(words) >= _FEW
        if known and alike >= (MIN_REWORDED if at_home else MIN_ELSEWHERE) and (not best or value > best[0]):
            best = value, passage
        if alike >= MIN_NEAREST and (not nearest or value > nearest[0]):
            nearest = value, passage
    return best[1] if best else None, nearest[1] if nearest else None


def _with_parts(passages: Sequence[Passage], best: Passage, old: str) -> tuple[Passage, ...]:
    """``best`` with the passages beside it that make it more like the ``old`` words: those were divided."""
    first = last = next(at for at, passage in enumerate(passages) if passage.id == best.id)

    def alike(start: int, end: int) -> float:
        return word_similarity(old, " ".join(p.display for p in passages[start : end + 1])) if 0 <= start <= end < len(passages) else 0.0

    value = alike(first, last)
    while last - first < 2:
        wider = max((first, last + 1), (first - 1, last), key=lambda ends: alike(*ends))
        if alike(*wider) <= value:
            break
        (first, last), value = wider, alike(*wider)
    return tuple(passages[first : last + 1])


def joined_display(hits: Iterable[Hit]) -> str:
    """Return what readers see of ``hits``, one below the other."""
    return "\n".join(hit.passage.display for hit in hits)


def changed_spans(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """Return the words of either text that the other does not have in their place, as spans; every sign counts, line breaks do not."""
    places = [[m.span() for m in _WORD.finditer(text)] for text in (old, new)]
    words = [[text[a:b] for a, b in spans] for text, spans in zip((old, new), places, strict=True)]
    found: tuple[list[Span], list[Span]] = ([], [])
    for kind, a, b, c, d in SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes():
        for side, (start, end) in enumerate(((a, b), (c, d))):
            if kind != "equal" and start < end:
                found[side].append(Span(places[side][start][0], places[side][end - 1][1]))
    return found


def split_spans(spans: Sequence[Span], texts: Sequence[str]) -> list[list[Span]]:
    """Return ``spans`` of ``texts`` joined by a line break as spans of each of them."""
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + len(text) + 1)
    return [
        [Span(max(a, start) - start, min(b, end - 1) - start) for a, b in spans if a < end - 1 and start < b]
        for start, end in pairwise(starts)
    ]


def as_passage(former: FormerPassage) -> Passage:
    """Return ``former`` in the shape of a passage, to be shown as one."""
    entry, _, ordinal = former.id.rpartition("#")
    return Passage(
        id=former.id,
        entry=entry,
        ordinal=int(ordinal),
        role=Role.TEXT,
        depth=0,
        spans=(),
        lines=former.lines,
        text=former.text,
        display=former.display,
        lead_in=former.lead_in,
    )


def _quotable(library: Library, edition: Edition) -> Iterator[Passage]:
    return (passage for passage in library.passages_in(edition.id) if passage.role in QUOTABLE)


def _hit(passage: Passage) -> Hit:
    return Hit(passage, 0.0, ())


def _within(id: str) -> str:
    """The id of an entry or a passage without that of its edition."""
    return id.partition("/")[2]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
