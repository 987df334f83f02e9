"""What is taken of a draft: texts of the right language and length that quote nothing, each once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from corpus.languages import detect
from corpus.model import Passage

QUOTED = 6  # words in a row that a phrasing may share with the rulebook
_SHORTEST, _LONGEST = 2, 600  # characters
# Words from which on the language of a text, or of all that came together, is told. With 6, of 2,553 drafts of a model 25 were refused,
# with 15 of 977 two, all wrongly: many rulebooks have English terms.
_TELLING = 15
_WORD = re.compile(r"\w+")


@dataclass
class DraftChecks:
    """Checks the drafts for one rulebook. ``known`` are texts that it has already. What is refused is counted by reason in ``refused``."""

    passages: Iterable[Passage]
    languages: tuple[str, ...]
    known: Iterable[str] = ()
    refused: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._runs = {run for passage in self.passages for run in _runs(passage.display)}
        self._taken = {_words(text) for text in self.known}

    def taken(self, texts: Iterable[str], language: str) -> Iterator[str]:
        """Yield those of ``texts``, said to be in ``language``, that can be used, in one line each; none if all together are in another."""
        lines = [" ".join(text.split()) for text in texts]
        if self._is_foreign(" ".join(lines), language):
            self.refused["language"] += len(lines)
            return
        for line in lines:
            if reason := self._fault(line, language):
                self.refused[reason] += 1
            else:
                yield line

    def _fault(self, text: str, language: str) -> str:
        """Why ``text`` is not taken; "" where it is."""
        words = _words(text)
        if not _SHORTEST <= len(text) <= _LONGEST or not words:
            return "length"
        if words in self._taken:
            return "duplicate"
        if not self._runs.isdisjoint(_runs(text)):
            return "quotation"
        if self._is_foreign(text, language):
            return "language"
        self._taken.add(words)
        return ""

    def _is_foreign(self, text: str, language: str) -> bool:
        return len(_words(text)) >= _TELLING and detect(text, self.languages) not in (language, None)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    """Every run of words that is longer than may be quoted."""
    words = _words(text)
    return (words[start : start + QUOTED + 1] for start in range(len(words) - QUOTED))
