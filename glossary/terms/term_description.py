"""Describe terms for a term base: parts of speech, inflected forms, definitions, and which headings
are no terms.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from corpus.languages import any_of
from corpus.model import Kind, Role, version_key
from corpus.sentences import sentences
from glossary.model import RulebookView
from glossary.normalization import fold_umlauts, stem
from glossary.terms.parts_of_speech import PartsOfSpeech
from glossary.terms.term_list import Term, TermDefinition, TermList, TermSource
from glossary.terms.term_names import mentions, names_a_rule, names_a_term, term_name
from glossary.word_tables import lemmas_of

_HEADWORDS = (Kind.TERM, Kind.REDIRECT)
# Words of a subsection that is as good as a headword: "Modo Bonaccia", not "Aufbau einer Karte".
_MOST_WORDS = 2
# The language with many ambiguous words: the part of speech in other languages decides.
_CROSS_READ = "en"
_LEAST_WORDS = 4  # of a definition
_BULLETS = "•-–➤▶✦ "
_DEFINING = (Kind.TERM, Kind.SUBSECTION)  # define their heading; a section is about more
_WORD = re.compile(r"[^\W_]+")

# By language: the text of each passage.
_Texts = Mapping[str, Sequence[str]]


def describe_terms(terms: TermList, rulebooks: Sequence[RulebookView]) -> TermList:
    """Return ``terms`` with descriptions from the texts of their editions among ``rulebooks`` and
    from the tables of their languages.
    """
    editions = {edition.id for edition in terms.editions}
    here = [rulebook for rulebook in rulebooks if rulebook.edition.id in editions]
    definitions = _definitions(here)
    texts: dict[str, list[str]] = defaultdict(list)
    printed: dict[str, list[str]] = defaultdict(list)
    for rulebook in here:
        language = rulebook.edition.language
        texts[language] += [
            passage.display for passage in rulebook.passages if passage.role is Role.TEXT
        ]
        printed[language] += [passage.display for passage in rulebook.passages]
        for entry in rulebook.entries:
            printed[language] += [entry.heading, entry.title]
    forms = {language: PrintedForms(parts) for language, parts in printed.items()}
    terms = replace(terms, terms=tuple(_printed_first(term, forms) for term in terms.terms))
    parts_of_speech, inflections = {}, {}
    for language in terms.languages:
        wordings = [term.wordings[language] for term in terms.terms if language in term.wordings]
        named = [(each.name, each.variants) for each in wordings if each.name]
        names = [name for name, _ in named]
        parts_of_speech[language] = PartsOfSpeech(language, names, texts.get(language, ()))
        several = [name for first, more in named if more for name in (first, *more)]
        inflections[language] = Inflections(language, several)
    described = []
    for term in terms.terms:
        tags: dict[str, str] = {}
        for language in sorted(term.wordings, key=lambda language: language == _CROSS_READ):
            if name := term.wordings[language].name:
                tags[language] = parts_of_speech[language].of(name, tags.values())
        found = {}
        for language, wording in term.wordings.items():
            known = inflections[language]
            inflected = known.of(wording.name, wording.variants) if wording.name else ()
            found[language] = replace(
                wording,
                part_of_speech=tags.get(language, ""),
                inflections=inflected,
                definition=_definition(term, language, definitions),
            )
        described.append(replace(term, wordings=found, structural=_is_structural(term, texts)))
    return replace(terms, terms=tuple(described))


class PrintedForms:
    """The forms of words in some ``texts``, regardless of case."""

    def __init__(self, texts: Iterable[str]):
        self._text = _spelled(" \n ".join(texts))

    def have(self, name: str) -> bool:
        """Return whether ``name`` occurs in the texts, with or without its qualifier."""
        return any(
            wanted in self._text and re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", self._text)
            for wanted in map(_spelled, (name, term_name(name)))
        )


def _spelled(text: str) -> str:
    """Return ``text`` with case, blanks and apostrophes normalized, to compare forms."""
    return " ".join(text.replace("’", "'").casefold().split())


def _printed_first(term: Term, forms: Mapping[str, PrintedForms]) -> Term:
    """Return ``term`` with printed names first, and names that nobody prints as ``proposed``."""
    wordings = {}
    for language, wording in term.wordings.items():
        names = [wording.name] if wording.name else []
        names += [name for name in wording.variants if name not in names]
        known = forms.get(language)
        missing = [
            name
            for name in dict.fromkeys((*names, *wording.abbreviations))
            if known is None or not known.have(name)
        ]
        names.sort(key=missing.__contains__)
        name = names[0] if names else None
        wordings[language] = replace(
            wording, name=name, variants=tuple(names[1:]), proposed=tuple(missing)
        )
    return replace(term, wordings=wordings)


def _definitions(rulebooks: Iterable[RulebookView]) -> Mapping[str, TermDefinition]:
    """Return by entry id the definitions that the entries of ``rulebooks`` begin with, those of the
    oldest version first.

    An entry that begins with a lead-in, a question or too few words has no definition. A sentence
    about some of many ("Some effects are delayed") counts only if the next sentence names the
    subject of the entry.
    """
    found: dict[str, TermDefinition] = {}
    for rulebook in sorted(rulebooks, key=lambda book: version_key(book.edition.version)):
        entries = {entry.id: entry for entry in rulebook.entries if entry.kind in _DEFINING}
        seen: set[str] = set()
        for passage in rulebook.passages:
            id = passage.entry
            if passage.role is not Role.TEXT or id in seen:
                continue
            seen.add(id)
            if id not in entries:
                continue
            text = _first_said(passage.display, entries[id].title, rulebook.edition.language)
            if len(text.split()) >= _LEAST_WORDS and not text.endswith((":", "?")):
                found[id] = TermDefinition(text, entries[id], passage)
    return found


def _first_said(text: str, title: str, language: str) -> str:
    """Return the first sentence of ``text`` in one line. If it is about some of many ("Some …"),
    add the next sentence, which must have a word of ``title``; else return "".
    """
    said = [" ".join(text[start:end].split()) for start, end in sentences(text)][:2]
    if not said:
        return ""
    first = said[0].lstrip(_BULLETS)
    if not _indefinite(language).match(first):
        return first
    named = {stem(word, language) for word in _words(title, language)}
    behind = said[1] if len(said) > 1 else ""
    names_it = not named.isdisjoint(stem(word, language) for word in _WORD.findall(behind))
    return f"{first} {behind}" if names_it and behind[0].isalpha() else ""


@cache
def _indefinite(language: str) -> re.Pattern[str]:
    return re.compile(rf"{any_of('sentences.indefinites', language=language)}\b", re.IGNORECASE)


def _definition(
    term: Term, language: str, definitions: Mapping[str, TermDefinition]
) -> TermDefinition | None:
    """Return the definition of ``term`` in ``language``, preferably from a glossary, then from the
    newest version.
    """
    kinds = {source.entry: source.kind for source in term.sources if source.language == language}
    found = [(kinds[id] is Kind.TERM, each) for id, each in definitions.items() if id in kinds]
    of_glossary = [each for glossary, each in found if glossary]
    newest = of_glossary or [each for _, each in found]
    if term.divided:
        # The entry is about several things: what it says first need not be about this one.
        wording = term.wordings[language]
        names = [name for name in (wording.name, *wording.variants) if name]
        newest = [each for each in newest if mentions(names, [each.text])]
    return newest[-1] if newest else None


def _is_headword(source: TermSource) -> bool:
    return source.kind in _HEADWORDS or (
        source.kind is Kind.SUBSECTION and len(term_name(source.heading).split()) <= _MOST_WORDS
    )


def _is_structural(term: Term, texts: _Texts) -> bool:
    """Return whether ``term`` only names a part of the rulebook, in most of its languages with an
    entry.

    For a name that only sections have, half of the languages are enough. The name of a rule is a
    term.
    """
    verdicts = []
    only_sections = bool(term.sources) and not any(map(_is_headword, term.sources))
    for language, wording in term.wordings.items():
        sources = [source for source in term.sources if source.language == language]
        if not wording.name or not (sources or not term.sources):
            continue
        headword = not sources or any(map(_is_headword, sources))
        names = (wording.name, *wording.variants)
        used = headword or mentions(names, texts.get(language, ()))
        if sources and names_a_rule(wording.name, language):
            return False
        verdicts.append(names_a_term(wording.name, language, headword, used))
    return bool(verdicts) and 2 * sum(verdicts) < len(verdicts) + only_sections


class Inflections:
    """Recognises the inflected forms of terms in one language; ``names`` are all names that may be
    passed to it.
    """

    def __init__(self, language: str, names: Iterable[str]):
        self._language = language
        words = {word for name in names for word in _words(name, language)}
        self._lemmas = lemmas_of(language, words | {w.lower() for w in words}) if words else {}

    def of(self, name: str, further: Iterable[str]) -> tuple[str, ...]:
        """Return the names in ``further`` that are an inflection or reordering of ``name`` or of a
        name before them: "gezogen" of "Ziehen".

        Words are compared by their stem and by that of their lemma; articles and a qualifier in
        brackets are ignored.
        """
        known = [self._analyse(name)]
        found = []
        for each in further:
            words = self._analyse(each)
            if any(_same_words(own, words) for own in known):
                found.append(each)
            else:
                known.append(words)
        return tuple(found)

    def _analyse(self, name: str) -> list[frozenset[str]]:
        """Return the comparison keys of each word of ``name``."""
        found = []
        for word in _words(name, self._language):
            small = word.lower()
            lemmas = {word, self._lemmas.get(word, word), self._lemmas.get(small, small)}
            stems = {stem(lemma, self._language) for lemma in lemmas}
            found.append(frozenset({fold_umlauts(small), *stems}))
        return found


def _words(name: str, language: str) -> list[str]:
    """Return the words of ``name`` except articles."""
    articles = _articles(language)
    return [word for word in _WORD.findall(term_name(name)) if not articles.fullmatch(word)]


@cache
def _articles(language: str) -> re.Pattern[str]:
    return re.compile(
        any_of("sentences.all_articles", "sentences.articles", language=language), re.IGNORECASE
    )


def _same_words(one: list[frozenset[str]], other: list[frozenset[str]]) -> bool:
    """Return whether the words of ``one`` and ``other`` can be paired one to one."""
    rest = list(other)
    for word in one:
        match = next((each for each in rest if each & word), None)
        if match is None:
            return False
        rest.remove(match)
    return bool(one) and not rest
