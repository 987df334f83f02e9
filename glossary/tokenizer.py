"""Words as spaCy's tokenizer divides them, by its own rules but without spaCy, so that answering
need not load it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer

LONGEST_CHUNK = 100  # characters between two blanks in which the rules are followed; they take too long in what is no word
_WORD = re.compile(r"[^\W_]+(?:\.\d+)*")
_MEASURE = re.compile(
    r"[0-9][^\W\d_]|['’][0-9]{2}[0-9.]"
)  # "5km" and "'86.5" are divided; beside contractions nothing else is


class RuleTokenizer:
    """The words of texts in one language: runs of letters and digits, rule numbers whole,
    contractions and measures divided.

    ``rules`` are a tokenizer's patterns (``prefix``, ``suffix``, ``infix``, ``url``) and its
    ``exceptions``: what each stands for. Only where an exception or a measure may be in a text,
    which is seldom, are they followed; all else they divide where words end.
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
        """What divides as ``tokenizer`` does."""
        orth = 65  # spacy.attrs.ORTH, by which rules name their pieces
        patterns = {
            "prefix": tokenizer.prefix_search.__self__.pattern,
            "suffix": tokenizer.suffix_search.__self__.pattern,
            "infix": tokenizer.infix_finditer.__self__.pattern,
            "url": tokenizer.url_match.__self__.pattern,
        }
        exceptions = {
            written: [piece[orth] for piece in pieces]
            for written, pieces in tokenizer.rules.items()
        }
        return cls({**patterns, "exceptions": exceptions})

    def prepare(self) -> None:
        """Compile the patterns now, so that the first question with a contraction need not wait for
        it.
        """
        _ = self._patterns, self._exception_lengths

    def words(self, text: str) -> list[str]:
        """The words of ``text`` in order."""
        found = _WORD.findall(text)
        if not _MEASURE.search(text) and self._contracted.isdisjoint(found):
            return found
        return [
            word
            for chunk in text.split()
            for word in (self._cached_words if len(chunk) <= LONGEST_CHUNK else _WORD.findall)(
                chunk
            )
        ]

    def _words_of_chunk(self, chunk: str) -> tuple[str, ...]:
        """The words of what stands between two blanks."""
        tokens = list(self._tokens(chunk, self._exceptions))
        for start, end, pieces in self._torn_exceptions(tokens):
            tokens[start:end] = pieces
        return tuple(word for token in tokens for word in _WORD.findall(token))

    def _torn_exceptions(self, tokens: Sequence[str]) -> list[tuple[int, int, Sequence[str]]]:
        """Exceptions that affixes have torn, with their places among ``tokens``, the last first;
        the longest wins a place.
        """
        found = [
            (
                start,
                start + length,
                self._exceptions_by_tokens[tuple(tokens[start : start + length])],
            )
            for length in self._exception_lengths
            for start in range(len(tokens) - length + 1)
            if tuple(tokens[start : start + length]) in self._exceptions_by_tokens
        ]
        held: list[tuple[int, int, Sequence[str]]] = []
        for start, end, pieces in found:
            if all(end <= a or b <= start for a, b, _ in held):
                held.append((start, end, pieces))
        return sorted(held, key=lambda place: -place[0])

    @cached_property
    def _exceptions_by_tokens(self) -> dict[tuple[str, ...], Sequence[str]]:
        """The exceptions that affixes tear, by their tokens then."""
        torn = {
            written: tuple(self._tokens(written, {}))
            for written in self._exceptions
            if written.strip()
        }
        return {
            tokens: self._exceptions[written] for written, tokens in torn.items() if len(tokens) > 1
        }

    @cached_property
    def _exception_lengths(self) -> list[int]:
        """How many tokens these have, the most first."""
        return sorted({len(torn) for torn in self._exceptions_by_tokens}, reverse=True)

    @cached_property
    def _patterns(
        self,
    ) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
        made = {name: re.compile(self.rules[name]) for name in ("prefix", "suffix", "infix", "url")}
        return (
            made["prefix"].search,
            made["suffix"].search,
            made["infix"].finditer,
            made["url"].match,
        )

    def _tokens(self, chunk: str, exceptions: Mapping[str, Sequence[str]]) -> Iterator[str]:
        """The tokens of ``chunk``: affixes off, one after the other, until an exception is left (as
        in spaCy's `Tokenizer.explain`).
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
