"""What the index terms of a game are called in questions: every form of a word of one language that is one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import lru_cache

from corpus.languages import get_language
from glossary.normalization import fold
from glossary.word_tables import WordTables
from index.analysis import Analyzer, words


def term_forms(terms: Set[str], written: Iterable[str], language: str, analyzer: Analyzer) -> list[str]:
    """A line for each of ``terms`` that is one of words of ``language``: the term, then the forms of it, in small letters and folded.

    The forms are the words ``written`` in the game, with the endings of the language, and those of the tables of ``language``. Others are
    no term of the game, so that they find nothing.
    """
    found: dict[str, set[str]] = {}
    for form in candidate_forms(written, language, analyzer.tables):
        term = analyzer.term(form, language)
        if term in terms:
            found.setdefault(term, set()).add(fold(form))
    lines = []
    for term, forms in sorted(found.items()):
        others = sorted(forms - {term})
        lines.append(" ".join([term, *(_shortened(form, term) for form in others)]))
    return lines


def _shortened(form: str, term: str) -> str:
    """``form`` with the number of the letters that it shares with the beginning of ``term`` instead of these."""
    shared = 0
    while shared < min(len(form), len(term), 35) and form[shared] == term[shared]:
        shared += 1
    return "0123456789abcdefghijklmnopqrstuvwxyz"[shared] + form[shared:]


def candidate_forms(written: Iterable[str], language: str, tables: WordTables) -> Iterator[str]:
    """The words that a question in ``language`` may have: those ``written``, with the endings of the language, and those of the tables."""
    seen = set(written)
    endings = get_language(language).forms.declension
    yield from seen
    yield from (word + ending for word in seen if word.isalpha() for ending in endings)
    yield from _single_words(tables, language)


@lru_cache(maxsize=1)
def _single_words(tables: WordTables, language: str) -> tuple[str, ...]:
    """The forms of ``language`` that the tables have, those of one word."""
    return tuple(form for form in tables[language].forms() if words(form) == [form])
