"""Whether what a question asks for by its name or number stands first in the answer."""

from __future__ import annotations

from corpus.languages import words_of
from corpus.model import Entry
from glossary.normalization import fold, stem, tokenize
from glossary.references.printed_numbers import number_key
from index.library.library import Library
from index.library.passage_lookup import forms
from index.model import SearchResult

_WORD = 4  # letters of a word that says what is asked
_MOST_BESIDE = 1  # such words beside the name


def asks_for_first(library: Library, result: SearchResult) -> bool:
    """Return whether the first passage of ``result`` is of a rule whose number is asked for, or of
    an entry whose name is all that is.
    """
    first = next(iter(result.ranked), None)
    if first is None or result.missing_rule or first.passage.entry not in library.entry:
        return False
    entry = library.entry[first.passage.entry]
    numbers = {number_key(each.number or "").parts for each in library.path(entry)}
    rules = result.parsed.rules if result.parsed else ()
    return any(rule.rule in numbers for rule in rules) or _is_named(entry, result)


def _is_named(entry: Entry, result: SearchResult) -> bool:
    small = words_of("questions.words")
    asked = {
        stem(word.text, result.language)
        for word in tokenize(result.query.question)
        if len(word.text) >= _WORD and fold(word.text) not in small
    }
    for name in forms(entry):
        named = {stem(word.text, result.language) for word in tokenize(name)}
        if named and named <= asked and len(asked - named) <= _MOST_BESIDE:
            return True
    return False
