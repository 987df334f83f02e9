"""Make altered copies of a rulebook: the changes of a publisher between two versions, applied to
the lines of a document.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from corpus.document import Document
from corpus.model import Entry, Kind, Passage, Role, Rulebook

WORD = "Zweigpegel"  # in no rulebook


@dataclass
class Altered:
    """A copy in progress: pieces of lines to replace, and the changes that a report must
    mention.
    """

    book: Rulebook
    seed: int = 0
    became: dict[str, set[str]] = field(
        default_factory=dict
    )  # by old entry id; new entries by heading
    headless: set[str] = field(
        default_factory=set
    )  # old entries whose heading is gone from the copy without a replacement
    deleted: set[int] = field(
        default_factory=set
    )  # lines of the old document that are gone from the copy
    reworded: list[Passage] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines: list[list[str]] = [
            [line.text] for line in self.book.document.lines
        ]  # what replaces each line
        self.random = random.Random(self.seed)
        corrected = {
            n
            for c in self.book.edition.corrections
            for n in (*range(c.line, c.through + 1), c.meant)
        }
        texts: dict[str, list[Passage]] = {}
        for passage in self.book.passages:
            texts.setdefault(passage.entry, []).append(passage)
        inside = {e.parent for e in self.book.entries}
        headings = [e.heading for e in self.book.entries]
        listed = {e.id: i for i, e in enumerate(self.book.entries)}
        self.terms = [
            e
            for e in self.book.entries
            if e.kind is Kind.TERM
            and e.id not in inside
            and headings.count(e.heading) == 1
            and len(self._heading(e)) == 1
            and sum(p.role is Role.TEXT and len(p.text) > 60 for p in texts.get(e.id, ())) >= 1
            and corrected.isdisjoint(range(e.lines.first, e.lines.last + 1))
            and e.lines.last < self._begins(listed[e.id] + 1)
        ]
        self.random.shuffle(self.terms)
        self.texts = texts

    def _begins(self, i: int) -> int:
        return (
            self.book.entries[i].lines.first if i < len(self.book.entries) else len(self.lines) + 1
        )

    def _heading(self, entry: Entry) -> set[int]:
        document = self.book.document
        return {document.line_at(n) for s in entry.heading_spans for n in (s.start, s.end - 1)}

    def _parts(self, entry: Entry) -> list[Passage]:
        return [p for p in self.texts[entry.id] if p.role is Role.TEXT]

    def take(self, parts: int = 1) -> Entry:
        """Return an unchanged term with at least ``parts`` passages that is no neighbour of a term
        taken before.
        """
        entry = next(e for e in self.terms if len(self._parts(e)) >= parts)
        order = list(self.book.entries)
        at = order.index(entry)
        near = {e.id for e in order[max(at - 1, 0) : at + 2]}
        self.terms = [e for e in self.terms if e.id not in near]
        return entry

    def _printed(self, entry: Entry, heading: str) -> str:
        """Return the heading's line with another ``heading`` in it."""
        (line,) = self._heading(entry)
        text = self.book.document.line(line).text
        printed = entry.heading if entry.heading in text else text.strip("*_# ")
        return text.replace(printed, self.heading(entry, heading))

    @staticmethod
    def heading(entry: Entry, heading: str) -> str:
        """Return ``heading`` in the style of that of ``entry``: in capitals and with a colon where
        that has them.
        """
        colon = ":" if entry.heading.endswith(":") else ""
        return (heading.upper() if entry.heading.isupper() else heading) + colon

    def rename(self) -> None:
        entry = self.take()
        (line,) = self._heading(entry)
        self.lines[line - 1] = [self._printed(entry, f"{entry.heading[:1]}{WORD}")]
        self.became[entry.id] = {"renamed"}

    def delete(self) -> None:
        entry = self.take()
        for line in range(entry.lines.first, entry.lines.last + 1):
            self.lines[line - 1] = []
            self.deleted.add(line)
        self.became[entry.id] = {"gone"}
        self.headless.add(entry.id)

    def move(self) -> None:
        entry, other = self.take(), self.take()
        taken = [
            text
            for n in range(entry.lines.first, entry.lines.last + 1)
            for text in self.lines[n - 1]
        ]
        for line in range(entry.lines.first, entry.lines.last + 1):
            self.lines[line - 1] = []
        self.lines[other.lines.last - 1] += ["", *taken, ""]
        self.became[entry.id] = {"moved"}

    def split(self) -> None:
        entry = self.take(parts=3)
        second = self._parts(entry)[1]
        line = second.lines.first
        self.lines[line - 1] = [
            "",
            self._printed(entry, f"{entry.heading[:1]}{WORD} Zwei"),
            "",
            *self.lines[line - 1],
        ]
        self.became[entry.id] = {"split"}

    def merge(self) -> None:
        """Remove a heading, so that its passages continue the entry before."""
        order = list(self.book.entries)
        for entry in list(self.terms):
            above = order[order.index(entry) - 1]
            if (
                above in self.terms
                and above.parent == entry.parent
                and len(self._text(above)) > 0 < len(self._text(entry))
            ):
                (line,) = self._heading(entry)
                self.lines[line - 1] = []
                self.became[above.id] = {"merged"}
                self.headless.add(entry.id)
                self.terms.remove(above)
                self.terms.remove(entry)
                return
        raise StopIteration

    def _text(self, entry: Entry) -> str:
        return "".join(p.text for p in self._parts(entry))

    def reword(self) -> None:
        entry = self.take()
        passage = next(p for p in self._parts(entry) if len(p.text) > 60)
        line = passage.lines.first
        words = re.findall(r"[^\W\d_]{5,}", passage.text.splitlines()[0])
        # Not the first word, by which a layout may recognise the entry or the kind of passage.
        self.lines[line - 1] = [
            self.lines[line - 1][0].replace(words[len(words) // 2], WORD.lower(), 1)
        ]
        self.became[entry.id] = {"reworded"}
        self.reworded.append(passage)

    def bump(self, version: str) -> None:
        """Change the version on the title page, if there is one."""
        edition, document = self.book.edition, self.book.document
        for i, texts in enumerate(self.lines[:200]):
            if len(texts) == 1 and re.search(
                rf"versione?\W+{re.escape(edition.version)}", texts[0], re.IGNORECASE
            ):
                self.lines[i] = [texts[0].replace(edition.version, version)]
                span = document.line(i + 1)
                for passage in self.book.passages:
                    if passage.role is Role.TEXT and any(
                        a < span.end and span.start < b for a, b in passage.spans
                    ):
                        self.became[passage.entry] = {"reworded"}
                        self.reworded.append(passage)
                return

    def document(self, top: int = 0) -> Document:
        text = (
            "\n".join(["" for _ in range(top)] + [text for texts in self.lines for text in texts])
            + "\n"
        )
        return Document.from_bytes("new.txt", text.encode())
