"""Index all printed words, to find where quotations are printed."""

from __future__ import annotations

import copy
import html
import io
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from corpus.model import Edition, Lines, Passage, Role, Span, version_key
from index.library.library import Library

CUT = "[…]"  # the token for a sign of omission, however it is written

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u180e\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff]"
)  # without marks of writing direction
_ENTITY = r"&(?:#[0-9]{1,6}|#[xX][0-9a-fA-F]{1,5}|[A-Za-z]{2,8});"
_LIGATURES = "\ufb00-\ufb06"  # "fi" and others as one character, as PDFs have them
_LIGATURE_CHARACTERS = frozenset(map(chr, range(0xFB00, 0xFB07)))
_TO_CLEAN = re.compile(rf"{_INVISIBLE.pattern}|[{_LIGATURES}]|{_ENTITY}")
_PIECE = re.compile(rf"{_ENTITY}|(?s:.)[\u0300-\u036f]*")
_TOKEN = re.compile(
    r"(?P<cut>\\?[\[({<]\s*(?:[…⋯‥]|\.{2,}|\.(?:[ \u00a0]\.){2})\s*\\?[\])}>])"
    r"|(?P<begin>(?m:^)[ \t\u00a0]*(?:(?:>|[-+*•➤▶✦»]|\\[-+])[ \t\u00a0]+|>|\#{1,6}[ \t])+)"
    r"|(?P<word>[^\W_]+)"
    r"|(?P<apostrophe>(?<=[^\W_])['’‘´ʼ＇](?=[^\W_]))"
    # Tags and signs that strike words out are not ignored as markup
    r"|(?P<markup>\\(?=[!-/:-@\[-`{-~])|[*_`]|</?(?:b|i|em|strong|u|br|p|mark|small)\s*/?>)"
    r"|(?P<mark></?q(?:\s[^<>]*)?>)"
    r"|(?P<sign>\.{3,}|\.(?:[ \u00a0]\.){2,}|[…⋯‥]+|\S)"
)
_NORMALIZED = {"apostrophe": "'", "cut": CUT, "mark": '"'}
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("„“”‟\"«»‚‘’‛'‹›＂＇「」『』〝〞〟❝❞″´《》〈〉", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)
_ELLIPSIS = re.compile(r"[.…⋯‥][.…⋯‥ \u00a0]*[.…⋯‥]|[…⋯‥]")


class TextToken(NamedTuple):
    """A word or a sign in normalised form, and its place in the text."""

    text: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether the token is a word or a number, not a sign."""
        return self.text[0].isalnum()


def tokens(text: str, start: int = 0, end: int | None = None) -> list[TextToken]:
    """Return the words and signs of ``text`` from ``start`` to ``end``, without bullets, block
    quote signs, emphasis and escapes.

    Words keep their case: a capital can distinguish a term from a word. Accents match in any
    encoding.
    """
    end = len(text) if end is None else end
    clean, places = _clean(text[start:end])
    found = []
    for match in _TOKEN.finditer(clean):
        kind = str(match.lastgroup)
        if kind not in ("begin", "markup"):
            a, b = match.span()
            word = _NORMALIZED.get(kind) or match.group()
            if kind == "sign":
                word = "…" if _ELLIPSIS.fullmatch(word) else word.translate(_SIGNS)
            if places is not None:
                a, b = places[a][0], places[b - 1][1]
            found.append(TextToken(word, start + a, start + b))
    return found


def _clean(text: str) -> tuple[str, list[tuple[int, int]] | None]:
    """Return ``text`` in NFC, without HTML entities, ligatures and invisible characters, and the
    original span of each character; None if no place changed.
    """
    if (text.isascii() and "&" not in text) or (
        unicodedata.is_normalized("NFC", text) and not _TO_CLEAN.search(text)
    ):
        return text, None
    clean, places = [], []
    for match in _PIECE.finditer(text):
        piece = match.group()
        if len(piece) > 2 and piece[0] == "&" and piece[-1] == ";":
            piece = html.unescape(piece)
        elif piece[0] in _LIGATURE_CHARACTERS:
            piece = unicodedata.normalize("NFKC", piece)
        for sign in unicodedata.normalize("NFC", _INVISIBLE.sub("", piece)):
            clean.append(sign)
            places.append(match.span())
    return "".join(clean), places


HEADING = -1  # ordinal of a heading in its entry


def heading_passages(library: Library) -> Iterator[Passage]:
    """Yield the heading of every entry as a passage; its display is the title."""
    for entry in library.entries:
        if any(character.isalnum() for character in entry.heading):
            yield Passage(
                id=f"{entry.id}#heading",
                entry=entry.id,
                ordinal=HEADING,
                role=Role.LISTING,
                depth=0,
                spans=entry.heading_spans,
                lines=Lines(entry.lines.first, entry.lines.first),
                text=entry.heading,
                display=entry.title,
            )


def following_headings(library: Library) -> Mapping[str, frozenset[str]]:
    """Return for each entry the entries whose headings may follow it in a table of contents: the
    next entry, and the next with the same parent.
    """
    following: dict[str, set[str]] = {}
    for edition in library.editions:
        last_of: dict[str | None, str] = {}
        before: str | None = None
        for entry in library.entries_of(edition.id):
            for last in (before, last_of.get(entry.parent)):
                if last is not None:
                    following.setdefault(last, set()).add(entry.id)
            before = last_of[entry.parent] = entry.id
    return {entry: frozenset(others) for entry, others in following.items()}


# Least share of the words of a quotation that the nearest printed words have
LEAST_SIMILARITY = 0.6
MOST_OCCURRENCES = 24  # most places returned for the same words

_UNKNOWN = -1  # a word that is printed nowhere
_BETWEEN = -2  # separates texts
_CANDIDATES = 3  # texts that are aligned with a quotation
_MOST_COMMON = 1000  # most places of a pair of words that distinguishes texts
_RAREST = 40  # rarest pairs of words of a quotation, by which texts are found
_SHORT = 6  # most words of a quotation that is also found by single words
_LONGEST = 2000  # most tokens of a quotation that are compared with similar texts


@lru_cache(maxsize=256)
def _tokens(text: str) -> tuple[TextToken, ...]:
    return tuple(tokens(text))


class PassageText(NamedTuple):
    """A passage, in its text or display."""

    passage: Passage
    is_display: bool

    @property
    def text(self) -> str:
        """The characters of this form."""
        return self.passage.display if self.is_display else self.passage.text


class Occurrence(NamedTuple):
    """A run of printed words: tokens ``start`` to ``end`` of ``text``, which has ``length``."""

    text: PassageText
    start: int
    end: int
    length: int

    @property
    def passage(self) -> Passage:
        """The passage that has the words."""
        return self.text.passage

    @property
    def tokens(self) -> tuple[TextToken, ...]:
        """The words of the run with their places in the text."""
        return _tokens(self.text.text)[self.start : self.end]

    @property
    def span(self) -> Span:
        """The span of the run in its text."""
        words = self.tokens
        return Span(words[0].start, words[-1].end)

    @property
    def is_heading(self) -> bool:
        """Whether the run is a whole heading."""
        return self.passage.ordinal == HEADING and (self.start, self.end) == (0, self.length)

    def continues_in(self, other: Occurrence) -> bool:
        """Return whether this run ends a passage and ``other`` begins the next one of the entry."""
        follows = (
            self.passage.entry == other.passage.entry
            and other.passage.ordinal == self.passage.ordinal + 1
        )
        return follows and self.end == self.length and other.start == 0


class NearMatch(NamedTuple):
    """The run of printed words nearest to a quotation; ``similarity`` is the share of the
    quotation's words that are in it.
    """

    occurrence: Occurrence
    similarity: float


@dataclass(frozen=True)
class PrintedWords:
    """The words of passages as numbers, which take the most time to compute for a `TextIndex`.

    ``words`` has the words of all texts as numbers in ``vocabulary``, with `_BETWEEN` around each
    text; the texts begin at ``starts``. ``both`` says for each passage whether its text and its
    display are two texts, with different words.
    """

    vocabulary: Sequence[str]
    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    both: NDArray[np.bool_]

    @classmethod
    def of(cls, passages: Iterable[Passage]) -> PrintedWords:
        """Split ``passages`` into words."""
        numbers: dict[str, int] = {}
        words: list[int] = [_BETWEEN]
        starts: list[int] = []
        both: list[bool] = []
        for passage in passages:
            texts = [[token.text for token in tokens(passage.display)]]
            if passage.text != passage.display:
                written = [token.text for token in tokens(passage.text)]
                texts += [written] if written != texts[0] else []
            both.append(len(texts) > 1)
            for text in texts:
                starts.append(len(words))
                words += [numbers.setdefault(word, len(numbers)) for word in text]
                words.append(_BETWEEN)
        return cls(
            tuple(numbers),
            np.array(words, dtype=np.int32),
            np.array(starts, dtype=np.int64),
            np.array(both, dtype=bool),
        )

    def to_bytes(self) -> bytes:
        """Return the content of a file with the words."""
        file = io.BytesIO()
        vocabulary = "\n".join(self.vocabulary).encode(
            "utf-8", "surrogatepass"
        )  # a word has no line break
        np.savez(
            file,
            vocabulary=np.frombuffer(vocabulary, dtype=np.uint8),
            words=self.words,
            starts=self.starts,
            both=self.both,
        )
        return file.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes) -> PrintedWords:
        """Read the result of `to_bytes`."""
        with np.load(io.BytesIO(raw), allow_pickle=False) as read:
            vocabulary = read["vocabulary"].tobytes().decode("utf-8", "surrogatepass").split("\n")
            return cls(vocabulary, read["words"], read["starts"], read["both"])


def printed_passages(library: Library, beside: Iterable[Passage]) -> Iterator[Passage]:
    """Yield every passage and heading of a ``library``, and the passages ``beside`` it."""
    return chain(library.passages, heading_passages(library), beside)


class TextIndex:
    """The words of all passages and headings of a library and of passages ``beside`` it, in text
    and display if the two differ. Immutable and thread-safe.

    One array has the numbers of all words; sorted arrays find single words and pairs of words. It
    takes 30 bytes per word. ``words`` are the words of `printed_passages`, if already computed.
    """

    def __init__(
        self, library: Library, beside: Iterable[Passage] = (), words: PrintedWords | None = None
    ):
        passages = list(printed_passages(library, beside))
        words = words or PrintedWords.of(passages)
        self._word_ids = {word: number for number, word in enumerate(words.vocabulary)}
        self._words, self._starts = words.words, words.starts
        self._texts: list[PassageText] = []
        for passage, both in zip(passages, words.both.tolist(), strict=True):
            self._texts.append(PassageText(passage, True))
            if both:
                self._texts.append(PassageText(passage, False))
        self._texts_of_passage: dict[str, list[int]] = {}
        self._texts_of_entry: dict[str, list[int]] = {}
        for number, text in enumerate(self._texts):
            self._texts_of_passage.setdefault(text.passage.id, []).append(number)
            self._texts_of_entry.setdefault(text.passage.entry, []).append(number)
        newer_versions = {
            edition.id: _count_newer_versions(library, edition) for edition in library.editions
        }
        self._newer_versions = np.array(
            [
                newer_versions[entry.edition]
                if (entry := library.entry.get(text.passage.entry))
                else 0
                for text in self._texts
            ],
            dtype=np.int64,
        )
        self._superseded = np.array(
            [text.passage.role is not Role.TEXT for text in self._texts], dtype=bool
        )
        self._sources = [_source(library, text.passage.entry) for text in self._texts]
        self._languages = {edition.id: edition.language for edition in library.editions}
        # Mask of the texts to search; None for all
        self._selected: NDArray[np.bool_] | None = None
        self.following_headings = following_headings(library)
        self._singles = _sorted(self._words.astype(np.int64))
        self._pairs = _sorted(self._pair_keys(self._words))

    def within(self, game: str | None, edition: str | None) -> TextIndex:
        """Return this index limited to ``game`` and ``edition``, if not None.

        Rulings and cards of the ``edition``'s game are kept, as in answers.
        """
        games = {g for g, e in self._sources if game in (None, g) and edition in (None, e)}
        only = copy.copy(self)
        only._selected = np.array(
            [g in games and (not e or edition in (None, e)) for g, e in self._sources], dtype=bool
        )
        return only

    def texts_of(self, entry: str) -> list[PassageText]:
        """Return the displays of the passages of an ``entry``, in order, without its heading."""
        found = [self._texts[number] for number in self._texts_of_entry.get(entry, ())]
        return sorted(
            (t for t in found if t.is_display and t.passage.ordinal != HEADING),
            key=lambda text: text.passage.ordinal,
        )

    def language_of(self, passage: Passage) -> str:
        """Return the language of the edition of ``passage``, "" if it is from no edition."""
        return self._languages.get(passage.entry.partition("/")[0], "")

    def _pair_keys(self, ids: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return a key for every pair of adjacent words, negative if one of them is unknown."""
        first, second = ids[:-1].astype(np.int64), ids[1:].astype(np.int64)
        return np.where((first < 0) | (second < 0), -1, first * (len(self._word_ids) + 1) + second)

    def _ids_of(self, words: Sequence[str]) -> NDArray[np.int32]:
        return np.array([self._word_ids.get(word, _UNKNOWN) for word in words], dtype=np.int32)

    def find_exact(
        self, words: Sequence[str], preferred: Collection[str] = (), entries: Collection[str] = ()
    ) -> list[Occurrence]:
        """Return at most `MOST_OCCURRENCES` places where exactly ``words`` are printed, newest
        versions first.

        Passages with one of the ``preferred`` ids come before all others, superseded wording comes
        last. If ``entries`` are given, only places in these are returned.
        """
        ids = self._ids_of(words)
        if not len(ids) or (ids < 0).any():
            return []
        at = self._possible_starts(ids)
        at = at[at + len(ids) <= len(self._words)]
        for offset in range(len(ids)):
            if not len(at):
                return []
            at = at[self._words[at + offset] == ids[offset]]
        texts = np.searchsorted(self._starts, at, side="right") - 1
        if self._selected is not None:
            at, texts = at[self._selected[texts]], texts[self._selected[texts]]
        if entries:
            selected = np.isin(
                texts, [n for entry in entries for n in self._texts_of_entry.get(entry, ())]
            )
            at, texts = at[selected], texts[selected]
        first = np.isin(
            texts, [n for passage in preferred for n in self._texts_of_passage.get(passage, ())]
        )
        ranked = np.lexsort((at, self._newer_versions[texts], self._superseded[texts], ~first))[
            :MOST_OCCURRENCES
        ]
        return [self._occurrence(int(start), int(start) + len(ids)) for start in at[ranked]]

    def _possible_starts(self, ids: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the positions where the words ``ids`` may start, by their rarest pair of words."""
        if len(ids) == 1:
            a, b = _bounds(self._singles, ids)
            return self._singles[1][a[0] : b[0]]
        keys = self._pair_keys(ids)[:_LONGEST]
        firsts, lasts = _bounds(self._pairs, keys)
        offset = int(np.argmin(lasts - firsts))
        begins: NDArray[np.int64] = self._pairs[1][firsts[offset] : lasts[offset]] - offset
        return begins[begins >= 0]

    def _occurrence(self, start: int, end: int) -> Occurrence:
        number = int(np.searchsorted(self._starts, start, side="right")) - 1
        first = int(self._starts[number])
        return Occurrence(
            self._texts[number], start - first, end - first, self._end(number) - first
        )

    def find_nearest(self, words: Sequence[str], preferred: Collection[str]) -> NearMatch | None:
        """Return the run of printed words that differs least from ``words``; None if it has less
        than `LEAST_SIMILARITY` of them.

        Of equally near runs, one in a passage with one of the ``preferred`` ids is returned.
        """
        ids = self._ids_of(words[:_LONGEST])
        found = []
        for number, shift in self._candidates(ids):
            low, high = int(self._starts[number]), self._end(number)
            start, end, changes = _window(ids, self._words[low:high], shift - low)
            if start < end:
                place = self._occurrence(low + start, low + end)
                other = (bool(self._superseded[number]), int(self._newer_versions[number]), number)
                rank = (changes, place.passage.id not in preferred, *other)
                found.append((rank, place, self._words[low + start : low + end].tolist()))
        if not found:
            return None
        _, place, run = min(found, key=lambda each: each[0])
        steps = [step for step in Levenshtein.opcodes(ids.tolist(), run) if step.tag == "equal"]
        same = sum(
            word[0].isalnum() for step in steps for word in words[step.src_start : step.src_end]
        )
        alike = same / max(sum(word[0].isalnum() for word in words), 1)
        return NearMatch(place, alike) if alike >= LEAST_SIMILARITY and same >= 2 else None

    def _end(self, number: int) -> int:
        return (
            int(self._starts[number + 1]) - 1
            if number + 1 < len(self._starts)
            else len(self._words) - 1
        )

    def _candidates(self, ids: NDArray[np.int32]) -> Iterator[tuple[int, int]]:
        """Yield the numbers of the texts that share the most rare words with a quotation, each with
        the position where the quotation would begin.
        """
        at, weights = [], []
        for array, keys in (
            (self._pairs, self._pair_keys(ids)),
            (self._singles, ids[:_SHORT] if len(ids) <= _SHORT else ids[:0]),
        ):
            kinds, offsets = np.unique(keys, return_index=True)
            firsts, lasts = _bounds(array, kinds)
            counts = lasts - firsts
            telling = np.argsort(counts, kind="stable")
            for n in telling[(counts[telling] > 0) & (counts[telling] <= _MOST_COMMON)][:_RAREST]:
                at.append(array[1][firsts[n] : lasts[n]] - offsets[n])
                weights.append(np.full(counts[n], np.log(1 + len(self._starts) / counts[n])))
        if not at:
            return
        begins, weight = np.concatenate(at), np.concatenate(weights)
        texts = np.clip(
            np.searchsorted(self._starts, begins + len(ids) // 2, side="right") - 1, 0, None
        )
        if self._selected is not None:
            begins, weight, texts = (
                begins[self._selected[texts]],
                weight[self._selected[texts]],
                texts[self._selected[texts]],
            )
            if not len(texts):
                return
        # Positions up to eight words apart count together, as words may be inserted or left out.
        bands = begins // 8
        sorting = np.lexsort((bands, texts))
        edges = np.flatnonzero(
            np.diff(texts[sorting], prepend=-1) | np.diff(bands[sorting], prepend=-(1 << 40))
        )
        votes = np.add.reduceat(weight[sorting], edges)
        best = np.argsort(-votes, kind="stable")[:_CANDIDATES]
        for edge in best:
            first = sorting[edges[edge]]
            yield int(texts[first]), int(begins[first])


def _count_newer_versions(library: Library, edition: Edition) -> int:
    """Return the number of newer versions of ``edition`` in its language."""
    sisters = [
        e for e in library.editions if (e.game, e.language) == (edition.game, edition.language)
    ]
    return sum(version_key(sister.version) > version_key(edition.version) for sister in sisters)


def _source(library: Library, entry: str) -> tuple[str, str]:
    """Return game and edition of an ``entry``; the edition of a ruling or card is ""."""
    if (printed := library.entry.get(entry)) is not None:
        return library.edition[printed.edition].game, printed.edition
    return entry.split("/")[1], ""


def _sorted(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the non-negative keys, sorted, and the original position of each."""
    order = np.argsort(keys, kind="stable")
    known = order[keys[order] >= 0]
    return keys[known], known


def _bounds(
    array: tuple[NDArray[np.int64], NDArray[np.int64]], keys: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each key the bounds of its positions in a sorted array, empty if negative."""
    return np.searchsorted(array[0], keys), np.searchsorted(array[0], keys, side="right")


def _window(ids: NDArray[np.int32], text: NDArray[np.int32], shift: int) -> tuple[int, int, int]:
    """Return the run of ``text`` near ``shift`` that differs least from ``ids``: start, end, number
    of changes.
    """
    quoted, whole, length = ids.tolist(), text.tolist(), len(ids)
    reach = min(max(6, length // 8), 30)
    start = min(max(shift, 0), len(whole))
    end = min(max(start + length, 0), len(whole))

    def changes(a: int, b: int) -> tuple[int, int]:
        return Levenshtein.distance(quoted, whole[a:b]), abs(b - a - length)

    for _ in range(2):
        before = start, end
        end = min(
            range(max(end - reach, start), min(end + reach, len(whole)) + 1),
            key=lambda b: changes(start, b),
        )
        start = min(
            range(max(start - reach, 0), min(start + reach, end) + 1), key=lambda a: changes(a, end)
        )
        if before == (start, end):
            break
    return start, end, changes(start, end)[0]
