"""Split passages into sentences, by paragraph and list item."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from corpus.languages import any_of, letters
from corpus.model import Passage
from corpus.sentences import sentences

_SMALL = letters()
_BULLET = r"(?:[•➤▶✦»*–—\-]|--)(?:\s?(?:\.{3}|…))?"
_NUMBER = r"\(?(?:\d{1,3}(?:\.\d{1,3})*\.?[a-z]?|[a-z]|[IVX]{1,5}\.?)[.)]"  # "1." "(2)" "2.1.3."
_MARKER = re.compile(rf"(?:(?:{_BULLET}|{_NUMBER})(?=\s)\s*)+")
_ENDS = re.compile(r"""[.!?:;…]["“”»'’)\]]*$""")
_AND = any_of("sentences.conjunctions", "sentences.alternatives", "sentences.further")
_BROKEN = re.compile(
    rf"\b([^\W\d_]{{2,}})-\s?(?!{_AND}\b)([{_SMALL}]{{2,}})\b"
)  # "Spiel-aufbau", hyphenated at a former line break
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, in one line: the ``number``-th of the passage's ``paragraph``-th
    paragraph, both from 0.

    ``label`` is the "F:" or "A:" before a question or an answer, which is not in ``text``; ``last``
    says that the sentence is the last of its paragraph or list item.
    """

    passage: Passage
    paragraph: int
    number: int
    text: str
    label: str
    last: bool


SentencesOf = Mapping[str, Sequence[Sentence]]
"""The sentences of each passage, by its id."""


class SegmentText:
    """Splits the passages of one edition into sentences. The words of all ``passages`` of the
    edition show which hyphens come from line breaks.
    """

    def __init__(self, passages: Iterable[Passage], language: str):
        self._vocabulary = Counter(
            word.casefold() for passage in passages for word in _WORD.findall(passage.display)
        )
        label = any_of("labels.question", "labels.answer", language=language)
        self._label = re.compile(rf"{label}\s*:\s+(?=\S)")

    def sentences(
        self, passages: Sequence[Passage], numbers: Mapping[str, str | None]
    ) -> list[Sentence]:
        """Return the sentences of ``passages``, in order. ``numbers`` has the number of each entry
        by its id, since some entries print it before their text.
        """
        found = []
        for passage in passages:
            number = numbers.get(passage.entry)
            lines = [
                self._joined_words(_unmarked(each, number)) for each in _lines(passage.display)
            ]
            lines = [line for line in lines if any(c.isalnum() for c in line)]
            for paragraph, line in enumerate(lines):
                label = self._label.match(line)
                body = line[label.end() :] if label else line
                spans = sentences(body)
                for n, (start, end) in enumerate(spans):
                    said = label.group().strip() if label and not n else ""
                    last = n == len(spans) - 1
                    found.append(Sentence(passage, paragraph, n, body[start:end], said, last))
        return found

    def _joined_words(self, text: str) -> str:
        """Return ``text`` without hyphens from line breaks: in words that the edition prints more
        often without a hyphen.
        """

        def joined(match: re.Match[str]) -> str:
            whole, parts = match.group(1) + match.group(2), f"{match.group(1)}-{match.group(2)}"
            return (
                whole
                if self._vocabulary[whole.casefold()] > self._vocabulary[parts.casefold()]
                else match.group()
            )

        return _BROKEN.sub(joined, text.replace("\u00ad", ""))


def _lines(display: str) -> list[str]:
    """Return the paragraphs of a text for readers, each in one line. A line continues the paragraph
    unless it begins an item or follows a full stop.
    """
    found: list[str] = []
    for line in filter(None, (" ".join(line.split()) for line in display.split("\n"))):
        if found and not _MARKER.match(line) and not _ENDS.search(found[-1]):
            found[-1] += line if re.search(r"[^\W\d_]-$", found[-1]) else f" {line}"
        else:
            found.append(line)
    return found


def _unmarked(line: str, number: str | None) -> str:
    """Return ``line`` without bullet or list number, and without its entry's ``number``."""
    marker = _MARKER.match(line)
    text = line[marker.end() :] if marker else line
    if number and "." in number:
        return re.sub(rf"^{re.escape(number)}\.?\s+(?=\S)", "", text)
    return text
