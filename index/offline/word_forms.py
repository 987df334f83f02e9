"""What the index terms and the names of a game are called in questions: every form of a word of one language that is one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from corpus.languages import get_language
from glossary.normalization import fold, stem
from index.analysis import Analyzer, words

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_TELLING = 3  # letters at the beginning that a word has in common with its stem


class WordForms(NamedTuple):
    """The folded forms of index terms, by term, and the stem that names have of a form, by form."""

    of_terms: Mapping[str, Set[str]]
    stems: Mapping[str, str]

    def lines(self) -> str:
        """A line for each term: the term, and its other forms with the number of letters that they share with it instead of these."""
        lines = []
        for term, forms in sorted(self.of_terms.items()):
            lines.append(" ".join([term, *(_shortened(form, term) for form in sorted(forms - {term}))]))
        return "\n".join(lines)


def word_forms(terms: Set[str], stems: Set[str], written: Set[str], language: str, analyzer: Analyzer) -> WordForms:
    """The forms of ``terms`` of the index and of the ``stems`` of names that questions in ``language`` may have.

    They are the words ``written`` in the game, with the endings of the language, and those of the tables of ``language``. Others are
    nothing that the game has, so that they find nothing.
    """
    of_terms: dict[str, set[str]] = {}
    of_stems: dict[str, str] = {}
    tables, stop_words = analyzer.tables, analyzer.stop_words(language)
    for form in sorted(_with_endings(written, language)):
        if (term := analyzer.term(form, language)) in terms:
            of_terms.setdefault(term, set()).add(fold(form))
        if (known := next((each for each in tables.stems(form, language) if each in stems), None)) is not None:
            of_stems.setdefault(fold(form), known)
    beginnings = {each[:_TELLING] for each in stems}
    term_of: dict[int, str] = {}  # by the number of a lemma, as what follows: many forms have the same
    stem_of: dict[int, str] = {}
    known_forms = tables[language]
    for form, lemma in known_forms.lemmas():
        if lemma not in term_of:
            dictionary_form = known_forms.form(lemma)
            term_of[lemma], stem_of[lemma] = analyzer.lemma_term(dictionary_form, language), stem(dictionary_form, language)
        is_term = term_of[lemma] in terms
        may_be_name = stem_of[lemma] in stems or fold(form[:_TELLING])[:_TELLING] in beginnings
        if not (is_term or may_be_name) or words(form) != [form]:
            continue
        folded = fold(form)
        if is_term and folded not in stop_words:
            of_terms.setdefault(term_of[lemma], set()).add(folded)
        if may_be_name:
            own = stem(form, language)
            name = own if own in stems else stem_of[lemma]
            if name in stems:
                of_stems.setdefault(folded, name)
    return WordForms(of_terms, dict(sorted(of_stems.items())))


def _with_endings(written: Iterable[str], language: str) -> Iterator[str]:
    endings = get_language(language).forms.declension
    for word in written:
        yield word
        if word.isalpha():
            yield from (word + ending for ending in endings)


def _shortened(form: str, term: str) -> str:
    """``form`` with the number of the letters that it shares with the beginning of ``term`` instead of these."""
    shared = 0
    while shared < min(len(form), len(term), len(_DIGITS) - 1) and form[shared] == term[shared]:
        shared += 1
    return _DIGITS[shared] + form[shared:]
