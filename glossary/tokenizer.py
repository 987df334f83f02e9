"""Tokenize texts like spaCy's tokenizer, by its rules but without importing spaCy, so that
answering need not load it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from corpus.superscripts import SUPERSCRIPTS

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer

# Longer chunks (text between blanks) are split without the rules, which would take too long.
LONGEST_CHUNK = 100
_WORD = re.compile(rf"[^\W_{SUPERSCRIPTS}]+(?:\.\d+)*")
# Besides contractions, only measures are split: "5km", "'86.5".
_MEASURE = re.compile(r"[0-9][^\W\d_]|['’][0-9]{2}[0-9.]")
_ORTH = 65  # spacy.attrs.ORTH, by which rules name their pieces


class RuleTokenizer:
    """Splits texts in one language into words: runs of letters and digits; rule numbers are kept
    whole, contractions and measures are split.

    ``rules`` are a tokenizer's patterns (``prefix``, ``suffix``, ``infix``, ``url``) and its
    ``exceptions``, each with its pieces. They are applied only if a text may have an exception or a
    measure, which is rare; other text is split at word boundaries.
    """

    def __init__(self, rules: Mapping[str, Any]):
        self.rules = rules
        self._exceptions: Mapping[str, Sequence[str]] = rules["exceptions"]
        self._contracted = frozenset(
            word
            for written, pieces in self._exceptions.items()
            for word in set(_WORD.findall(written))
            - {word for piece in pieces for word in _WORD.findall(piece)}
        )
        self._cached_words = lru_cache(maxsize=20_000)(self._words_of_chunk)

    @classmethod
    def from_spacy(cls, tokenizer: Tokenizer) -> RuleTokenizer:
        """Make a tokenizer that splits like ``tokenizer``."""
        exceptions = {
            written: [piece[_ORTH] for piece in pieces]
            for written, pieces in tokenizer.rules.items()
        }
        return cls(
            {
                "prefix": tokenizer.prefix_search.__self__.pattern,
                "suffix": tokenizer.suffix_search.__self__.pattern,
                "infix": tokenizer.infix_finditer.__self__.pattern,
                "url": tokenizer.url_match.__self__.pattern,
                "exceptions": exceptions,
            }
        )

    def prepare(self) -> None:
        """Compile the patterns now, so that the first question with a contraction need not wait."""
        _ = self._patterns, self._exception_lengths

    def words(self, text: str) -> list[str]:
        """Return the words of ``text`` in order."""
        found = _WORD.findall(text)
        if not _MEASURE.search(text) and self._contracted.isdisjoint(found):
            return found
        words: list[str] = []
        for chunk in text.split():
            known = len(chunk) <= LONGEST_CHUNK
            words += self._cached_words(chunk) if known else _WORD.findall(chunk)
        return words

    def _words_of_chunk(self, chunk: str) -> tuple[str, ...]:
        tokens = list(self._tokens(chunk, self._exceptions))
        # Restore exceptions that were split like affixes; the longest wins a place.
        held: list[tuple[int, int, Sequence[str]]] = []
        for length in self._exception_lengths:
            for start in range(len(tokens) - length + 1):
                end = start + length
                pieces = self._exceptions_by_tokens.get(tuple(tokens[start:end]))
                if pieces is not None and all(end <= a or b <= start for a, b, _ in held):
                    held.append((start, end, pieces))
        for start, end, pieces in sorted(held, key=lambda place: -place[0]):
            tokens[start:end] = pieces
        return tuple(word for token in tokens for word in _WORD.findall(token))

    @cached_property
    def _exceptions_by_tokens(self) -> dict[tuple[str, ...], Sequence[str]]:
        """The exceptions that splitting off affixes would break, by the broken tokens."""
        found = {}
        for written, pieces in self._exceptions.items():
            torn = tuple(self._tokens(written, {})) if written.strip() else ()
            if len(torn) > 1:
                found[torn] = pieces
        return found

    @cached_property
    def _exception_lengths(self) -> list[int]:
        return sorted({len(torn) for torn in self._exceptions_by_tokens}, reverse=True)

    @cached_property
    def _patterns(self) -> tuple[Callable[..., Any], ...]:
        prefix, suffix, infix, url = (
            re.compile(self.rules[name]) for name in ("prefix", "suffix", "infix", "url")
        )
        return prefix.search, suffix.search, infix.finditer, url.match

    def _tokens(self, chunk: str, exceptions: Mapping[str, Sequence[str]]) -> Iterator[str]:
        """Yield the tokens of ``chunk``: split off affixes one by one until an exception is left
        (as in spaCy's `Tokenizer.explain`).
        """
        prefix, suffix, infix, url = self._patterns
        behind: list[str] = []
        while chunk and chunk not in exceptions and (prefix(chunk) or suffix(chunk)):
            before = chunk
            if cut := prefix(chunk):
                if not cut.end():
                    break
                yield chunk[: cut.end()]
                chunk = chunk[cut.end() :]
                if chunk in exceptions:
                    continue
            if cut := suffix(chunk):
                if cut.start() == len(chunk):
                    break
                behind.append(chunk[cut.start() :])
                chunk = chunk[: cut.start()]
            if chunk == before:
                break
        if chunk in exceptions:
            yield from exceptions[chunk]
        elif chunk and url(chunk):
            yield chunk
        elif chunk:
            last = 0
            for match in infix(chunk):
                if last == 0 and match.start() == 0:
                    continue
                yield from filter(None, (chunk[last : match.start()], match.group()))
                last = match.end()
            if chunk[last:]:
                yield chunk[last:]
        yield from reversed(behind)
