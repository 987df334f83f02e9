"""What was reworded between two texts of one language, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from glossary.normalization import is_symbol

_WORD = re.compile(r"\S+")


class TextRun(NamedTuple):
    """Words in a row, of which the other text has all or, where ``changed``, none at this place."""

    text: str
    changed: bool


def diff_words(left: str, right: str) -> tuple[tuple[TextRun, ...], tuple[TextRun, ...]]:
    """Both texts cut into runs; the runs of a side joined are its text to the character.

    Words are what white space divides, aligned by `difflib.SequenceMatcher` (quadratic at worst, so give it passages, not
    chapters). They are the same where their letters, figures and icons are: other quotation marks, bullets and capitals are
    no rewording. What stands between words never counts as changed and is in the runs between changed ones.
    """
    changed: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for pair in _unequal(left, right):
        for spans, found in zip(pair, changed, strict=True):
            if spans:
                found.append((spans[0][0], spans[-1][1]))
    return _cut(left, changed[0]), _cut(right, changed[1])


def reworded_runs(left: str, right: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The words that stand in ``left`` and those that stand in their place in ``right``, either may be none, aligned as in `diff_words`."""
    return [(tuple(left[a:b] for a, b in here), tuple(right[a:b] for a, b in there)) for here, there in _unequal(left, right)]


def _unequal(left: str, right: str) -> Iterator[tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
    """Where the words are that the texts do not have in common, those of both sides that stand in each other's place together."""
    here, there = ([m.span() for m in _WORD.finditer(text) if _content(m.group())] for text in (left, right))
    words = [[_content(text[a:b]) for a, b in spans] for text, spans in ((left, here), (right, there))]
    for kind, a, b, c, d in SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes():
        if kind != "equal":
            yield here[a:b], there[c:d]


def _content(word: str) -> str:
    """The letters, figures and icons of ``word``, whatever their case."""
    return "".join(c for c in word.casefold() if c.isalnum() or is_symbol(c))


def changed_words(left: str, right: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The runs of words that only one of two texts has, in order of print, each in one line."""
    here, there = (tuple(" ".join(run.text.split()) for run in runs if run.changed) for runs in diff_words(left, right))
    return here, there


def _cut(text: str, changed: list[tuple[int, int]]) -> tuple[TextRun, ...]:
    runs, last = [], 0
    for start, end in changed:
        runs += [TextRun(text[last:start], False), TextRun(text[start:end], True)]
        last = end
    runs.append(TextRun(text[last:], False))
    return tuple(run for run in runs if run.text)
