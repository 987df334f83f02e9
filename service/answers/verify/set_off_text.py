"""Whether words that are emphasised or set as code, and are printed nowhere, are meant as a
quotation all the same.
"""

from __future__ import annotations

import re

from corpus.languages import words_of
from index.library.library import Library
from service.answers.verify.quotation_model import Form

_CODE = re.compile(r"[{}=<>;$\\|@#]|--|\w\(|[a-z0-9]_[a-z0-9]|[a-z][A-Z]|\.\w+\b(?<!\.\d)")
_WORD = re.compile(r"[^\W_]+")
_SMALL_WORDS = frozenset().union(
    *(
        words_of(name)
        for name in ("function_words.in_titles", "questions.subjects", "questions.determiners")
    )
)
MOST_EMPHASISED = 6  # words from which on emphasis is taken for a quotation that was invented; a sentence is one with fewer too
_LEAST_SENTENCE = 5  # words of such a sentence
_FUNCTION_WORDS = 2  # of running text, in small letters


def is_quotation(form: Form, text: str, library: Library) -> bool:
    """Return whether ``text`` is running text, and neither the title of a rulebook nor a line of
    code.
    """
    words = _WORD.findall(text.casefold())
    if any(
        text.strip().casefold().startswith(edition.title.casefold()) for edition in library.editions
    ):
        return False
    if form is Form.CODE:
        return not _CODE.search(text) and (
            _ends(text) or sum(word in _SMALL_WORDS for word in words) >= _FUNCTION_WORDS
        )
    return len(words) >= MOST_EMPHASISED or _ends(text)


def _ends(text: str) -> bool:
    return len(_WORD.findall(text)) >= _LEAST_SENTENCE and text.rstrip(" \n*_\"”“’'»)").endswith(
        (".", "!", "?", "…")
    )
