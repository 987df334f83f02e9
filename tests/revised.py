"""Revise a rulebook as its publisher might: renumber every rule, reword and move sentences, divide,
delete and add passages.

A revised text records the origin of each character, so that alignments of passages can be compared
with the true ones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.document import Document
from corpus.model import Passage, Role, Rulebook
from corpus.sentences import sentences
from glossary.references import find

_WORD = re.compile(r"[^\W\d_]{4,}")
_DOTTED = re.compile(r"(?<![\w.])\d{1,2}(?:\.\d{1,2}){1,4}(?!\w)")
_FRONT = re.compile(r"(?m)^([ \t]*(?:[-•*][ \t]*)?\**)(\d{1,2})(?=[.)]\**[ \t])")
HEAD = 200  # lines in which the version is printed
_NEW = -1  # origin of a character that is not in the old text

Origins = NDArray[np.int32]


@dataclass(frozen=True)
class Changes:
    """The changes to make.

    Attributes:
        reworded: The share of sentences.
        words: The share of words replaced in a reworded sentence, by others of the rulebook.
        moved: The share of passages in which a sentence is moved behind the next one. The
            attributes `divided` to `inserted` are shares of passages too.
        numbers: Whether every rule and every reference to a rule is renumbered.
        version: Whether the next version is printed on the title page.
    """

    reworded: float = 0.1
    words: float = 0.3
    moved: float = 0.0
    divided: float = 0.0
    joined: float = 0.0
    deleted: float = 0.0
    inserted: float = 0.0
    numbers: bool = True
    version: bool = True


MORE = Changes(moved=0.05, divided=0.05, joined=0.03, deleted=0.03, inserted=0.05)


class _Edit(NamedTuple):
    start: int
    end: int
    text: str
    origins: Origins


@dataclass(frozen=True)
class RevisedText:
    """The ``text`` of a revised rulebook; ``origins`` are the positions of its characters in the
    old document, -1 for new ones.
    """

    old: Rulebook
    text: str
    origins: Origins

    @property
    def document(self) -> Document:
        """Return the text as a document with the same file name."""
        return Document.from_bytes(self.old.document.file, self.text.encode())

    def edited(self, edits: Iterable[_Edit]) -> RevisedText:
        """Return the text with ``edits`` applied, except those that begin within another edit."""
        texts, origins, last = [], [], 0
        for edit in sorted(edits, key=lambda e: (e.start, e.end)):
            if edit.start >= last:
                texts += [self.text[last : edit.start], edit.text]
                origins += [self.origins[last : edit.start], edit.origins]
                last = edit.end
        return RevisedText(
            self.old,
            "".join([*texts, self.text[last:]]),
            np.concatenate([*origins, self.origins[last:]]),
        )


def revised(book: Rulebook, changes: Changes, seed: int) -> RevisedText:
    """Return ``book`` with ``changes``, the same ones for the same ``seed``."""
    text = book.document.text
    return _Reviser(book, changes, random.Random(seed)).apply(
        RevisedText(book, text, np.arange(len(text), dtype=np.int32))
    )


class _Reviser:
    """Makes the edits of each kind, on passages without other edits."""

    def __init__(self, book: Rulebook, changes: Changes, chance: random.Random):
        self._book = book
        self._changes = changes
        self._chance = chance
        self._texts = [p for p in book.passages if p.role is Role.TEXT and len(p.spans) == 1]
        self._words = sorted(
            {m.group() for p in self._texts for m in _WORD.finditer(p.text) if m.group().islower()}
        )
        self._identity = np.arange(len(book.document.text), dtype=np.int32)

    def apply(self, copy: RevisedText) -> RevisedText:
        edits = [*self._reworded()]
        touched = [(e.start, e.end) for e in edits]
        for share, edit in (
            (self._changes.moved, self._moved),
            (self._changes.divided, self._divided),
            (self._changes.joined, self._joined),
            (self._changes.deleted, self._deleted),
            (self._changes.inserted, self._inserted),
        ):
            for made in self._some(share, edit):
                if not any(a < e.end and e.start < b for e in made for a, b in touched):
                    edits += made
                    touched += [(e.start, e.end) for e in made]
        copy = copy.edited(edits)
        copy = copy.edited(self._renumbered(copy)) if self._changes.numbers else copy
        return copy.edited(self._newer(copy)) if self._changes.version else copy

    def _some(self, share: float, edit: Callable[[int], Sequence[_Edit]]) -> list[Sequence[_Edit]]:
        chosen = self._chance.sample(range(len(self._texts)), round(share * len(self._texts)))
        return [edit(n) for n in sorted(chosen)]

    def _old(self, start: int, end: int) -> tuple[str, Origins]:
        return self._book.document.text[start:end], self._identity[start:end]

    def _reworded(self) -> list[_Edit]:
        every = [
            (p.spans[0].start + a, p.spans[0].start + b)
            for p in self._texts
            for a, b in sentences(p.text)
        ]
        long = [(a, b) for a, b in every if len(_WORD.findall(self._book.document.text[a:b])) >= 3]
        chosen = self._chance.sample(
            long, min(round(self._changes.reworded * len(every)), len(long))
        )
        return [self._rewording(a, b) for a, b in chosen]

    def _rewording(self, start: int, end: int) -> _Edit:
        """Replace some words of a sentence by others of the rulebook, swap two neighbours, or put
        the last clause first.
        """
        text, origins = self._old(start, end)
        first = _WORD.search(text)
        begin = first.end() if first else 0
        comma = text.rfind(", ")
        if self._chance.random() < 0.4 and begin < comma and "\n" not in text and text[-1:] == ".":
            body, clause = (begin, comma), (comma + 2, len(text) - 1)
            order = [
                slice(0, begin),
                slice(*clause),
                slice(comma, comma + 2),
                slice(*body),
                slice(len(text) - 1, len(text)),
            ]
            text, origins = (
                "".join(text[s] for s in order),
                np.concatenate([origins[s] for s in order]),
            )
        words = [m.span() for m in _WORD.finditer(text) if m.start() >= begin]
        copy = RevisedText(self._book, text, origins)
        count = max(1, round(self._changes.words * (len(words) + 1)))
        edits = [
            self._other_word(copy, a, b)
            for a, b in self._chance.sample(words, min(count, len(words)))
        ]
        copy = copy.edited(edits)
        return _Edit(start, end, copy.text, copy.origins)

    def _other_word(self, copy: RevisedText, start: int, end: int) -> _Edit:
        word = self._chance.choice(self._words)
        word = word.capitalize() if copy.text[start].isupper() else word
        return _Edit(start, end, word, np.full(len(word), copy.origins[start], dtype=np.int32))

    def _moved(self, n: int) -> Sequence[_Edit]:
        """Swap the last two sentences of a passage; nothing where it has only one."""
        passage = self._texts[n]
        start = passage.spans[0].start
        spans = [(start + a, start + b) for a, b in sentences(passage.text)]
        if len(spans) < 2:
            return ()
        one, other = spans[-2:]
        return [_Edit(*one, *self._old(*other)), _Edit(*other, *self._old(*one))]

    def _divided(self, n: int) -> Sequence[_Edit]:
        passage = self._texts[n]
        start = passage.spans[0].start
        spans = sentences(passage.text)
        if len(spans) < 2 or "\n" in passage.text.strip():
            return ()
        cut = start + spans[len(spans) // 2][0]
        return [_Edit(cut, cut, "\n\n", np.full(2, _NEW, dtype=np.int32))]

    def _joined(self, n: int) -> Sequence[_Edit]:
        """Join a passage with the one before it under the same heading."""
        before, passage = self._texts[max(n - 1, 0)], self._texts[n]
        gap = self._book.document.text[before.spans[0].end : passage.spans[0].start]
        if (
            before is passage
            or before.entry != passage.entry
            or gap.strip(" \n-•*")
            or len(before.text) + len(passage.text) > 700
        ):
            return ()
        return [
            _Edit(
                before.spans[0].end, passage.spans[0].start, " ", np.full(1, _NEW, dtype=np.int32)
            )
        ]

    def _whole_lines(self, passage: Passage) -> tuple[int, int] | None:
        """Return where the lines of ``passage`` begin and end; None where they contain other
        text.
        """
        document, (span,) = self._book.document, passage.spans
        start, end = document.line(passage.lines.first).start, document.line(passage.lines.last).end
        rest = document.text[start : span.start] + document.text[span.end : end]
        return None if re.search(r"[^\W\d_]", rest) else (start, end)

    def _deleted(self, n: int) -> Sequence[_Edit]:
        passage = self._texts[n]
        lines = self._whole_lines(passage)
        return [_Edit(*lines, "", self._identity[:0])] if lines and passage.ordinal else ()

    def _inserted(self, n: int) -> Sequence[_Edit]:
        """Insert a new paragraph of the rulebook's words after a passage."""
        passage = self._texts[n]
        lines = self._whole_lines(passage)
        if not lines:
            return ()
        text = (
            "\n\n"
            + " ".join(
                self._chance.choices(self._words, k=self._chance.randint(8, 24))
            ).capitalize()
            + "."
        )
        return [_Edit(lines[1], lines[1], text, np.full(len(text), _NEW, dtype=np.int32))]

    def _renumbered(self, copy: RevisedText) -> list[_Edit]:
        """Renumber all rules and references, as if a chapter, a section and a rule were inserted at
        the beginning.
        """
        book = self._book
        known = {
            e.number for e in book.entries if e.number and re.fullmatch(r"\d+(\.\d+)*", e.number)
        }
        referring = {r.span.start for r in find(book) if r.raw.rstrip(".").isdigit()}
        spans = [m.span() for m in _DOTTED.finditer(copy.text) if m.group() in known]
        spans += [m.span(2) for m in _FRONT.finditer(copy.text)]
        spans += [
            m.span()
            for m in re.finditer(r"\d+", copy.text)
            if int(copy.origins[m.start()]) in referring
        ]
        edits = []
        for start, end in spans:
            number = ".".join(str(int(part) + 1) for part in copy.text[start:end].split("."))
            edits.append(
                _Edit(start, end, number, np.full(len(number), copy.origins[start], dtype=np.int32))
            )
        return edits

    def _newer(self, copy: RevisedText) -> list[_Edit]:
        """Replace the version at the top by the next one."""
        version = self._book.edition.version
        newer = re.sub(r"\d+(?=\D*$)", lambda last: str(int(last.group()) + 1), version)
        head = len("\n".join(copy.text.split("\n")[:HEAD]))
        places = (
            [
                m.start()
                for m in re.finditer(rf"(?<!\w){re.escape(version)}(?![\d.]*\d)", copy.text[:head])
            ]
            if newer != version
            else []
        )
        return [
            _Edit(
                at, at + len(version), newer, np.full(len(newer), copy.origins[at], dtype=np.int32)
            )
            for at in places
        ]
