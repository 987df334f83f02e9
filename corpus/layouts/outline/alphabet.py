"""Runs of headings in the order of the alphabet: a glossary."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from corpus.languages import any_of

FEWEST = 12  # headings of a glossary
_BEFORE_NAME = any_of("sentences.articles", "sentences.all_articles")
_ARTICLE = re.compile(
    rf"(?:{_BEFORE_NAME}\s+|{any_of('sentences.article_elisions')}['’])(?=\S)", re.IGNORECASE
)


def sorting_keys(title: str) -> tuple[str, ...]:
    """What ``title`` may be sorted by: its letters without accents, with and without the article
    before them.
    """
    bare = title.strip(" \"“”„«»'’.…([")
    return tuple(dict.fromkeys((_folded(bare), _folded(_ARTICLE.sub("", bare, count=1)))))


def _folded(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in letters if c.isalnum())


def alphabetical_runs(titles: Sequence[str]) -> list[range]:
    """The runs of at least `FEWEST` ``titles`` in alphabetical order; single ones may be out of
    their place.
    """
    runs = []
    start = 0
    last = ""
    for at, title in enumerate(titles):
        key = _next(last, title)
        if key is not None and (at == start or key[:1] <= _reach(last)):
            last = key
            continue
        following = _next(last, titles[at + 1]) if at + 1 < len(titles) else None
        if at > start and following is not None and following[:1] <= _reach(last):
            continue  # only this one is out of its place
        runs.append(range(start, at))
        start, last = at, sorting_keys(title)[0]
    runs.append(range(start, len(titles)))
    return [run for run in runs if len(run) >= FEWEST]


def _next(last: str, title: str) -> str | None:
    """What ``title`` is sorted by if it comes after ``last``; None if it does not. Only three
    letters must be in order.
    """
    return next((key for key in sorting_keys(title) if key[:3] >= last[:3]), None)


def _reach(last: str) -> str:
    """The farthest initial that may come next: a few letters may have no heading."""
    return chr(ord(last[0]) + 10) if last else "\U0010ffff"
