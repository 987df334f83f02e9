"""What a term base says of terms beside their names: parts of speech, inflected forms, definitions,
and which headings are no terms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from corpus.model import Kind, Role
from glossary.model import RulebookView
from glossary.terms.parts_of_speech import PartsOfSpeech
from glossary.terms.term_definitions import TermDefinition, first_sentences
from glossary.terms.term_inflection import Inflections
from glossary.terms.term_list import Term, TermList, TermSource
from glossary.terms.term_names import mentions, names_a_rule, names_a_term, term_name

_HEADWORDS = (Kind.TERM, Kind.REDIRECT)
_MOST_WORDS = (
    2  # of a subsection that is as good as a headword: "Modo Bonaccia", not "Aufbau einer Karte"
)
_CROSS_READ = "en"  # its words can be several parts of speech: what the term is in the other languages decides

_Texts = Mapping[
    str, Sequence[tuple[str, str]]
]  # by language: the id of the entry and the text of each passage


def describe_terms(terms: TermList, rulebooks: Sequence[RulebookView]) -> TermList:
    """Return ``terms`` with what the texts of their editions among ``rulebooks`` and the tables of
    their languages tell of them.
    """
    editions = {edition.id for edition in terms.editions}
    here = [rulebook for rulebook in rulebooks if rulebook.edition.id in editions]
    definitions = first_sentences(here)
    texts = _texts(here)
    told = {language: _parts_of_speech(terms, language, texts) for language in terms.languages}
    inflections = {
        language: Inflections(language, _inflected_names(terms, language))
        for language in terms.languages
    }
    described = []
    for term in terms.terms:
        tags: dict[str, str] = {}
        for language in sorted(term.wordings, key=lambda language: language == _CROSS_READ):
            if name := term.wordings[language].name:
                tags[language] = told[language].of(name, tags.values())
        wordings = {
            language: replace(
                wording,
                part_of_speech=tags.get(language, ""),
                inflections=inflections[language].of(wording.name, wording.variants)
                if wording.name
                else (),
                definition=_definition(term, language, definitions),
            )
            for language, wording in term.wordings.items()
        }
        described.append(replace(term, wordings=wordings, structural=_is_structural(term, texts)))
    return replace(terms, terms=tuple(described))


def _texts(rulebooks: Sequence[RulebookView]) -> _Texts:
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for rulebook in rulebooks:
        found[rulebook.edition.language] += [
            (p.entry, p.display) for p in rulebook.passages if p.role is Role.TEXT
        ]
    return found


def _parts_of_speech(terms: TermList, language: str, texts: _Texts) -> PartsOfSpeech:
    names = [
        wording.name
        for term in terms.terms
        if (wording := term.wordings.get(language)) and wording.name
    ]
    return PartsOfSpeech(language, names, (text for _, text in texts.get(language, ())))


def _inflected_names(terms: TermList, language: str) -> Iterator[str]:
    """Yield the names in ``language`` of the terms that have several there."""
    for term in terms.terms:
        wording = term.wordings.get(language)
        if wording and wording.name and wording.variants:
            yield from (wording.name, *wording.variants)


def _definition(
    term: Term, language: str, definitions: Mapping[str, TermDefinition]
) -> TermDefinition | None:
    """Return what an entry of ``term`` in ``language`` says first: one of a glossary before others,
    then one of the newest version.
    """
    entries = {source.entry: source.kind for source in term.sources if source.language == language}
    found = [
        (entries[entry] is Kind.TERM, number, each)
        for number, (entry, each) in enumerate(definitions.items())
        if entry in entries
    ]
    return max(found, key=lambda ranked: ranked[:2])[2] if found else None


def _is_headword(source: TermSource) -> bool:
    return source.kind in _HEADWORDS or (
        source.kind is Kind.SUBSECTION and len(term_name(source.heading).split()) <= _MOST_WORDS
    )


def _is_structural(term: Term, texts: _Texts) -> bool:
    """Return whether in most of the languages with an entry the name of ``term`` is that of a part
    of the rulebook alone.

    For what only sections have, half of the languages is enough. The name of a rule is a term.
    """
    verdicts = []
    only_sections = bool(term.sources) and not any(map(_is_headword, term.sources))
    for language, wording in term.wordings.items():
        sources = [source for source in term.sources if source.language == language]
        if not wording.name or not (sources or not term.sources):
            continue
        headword = not sources or any(_is_headword(source) for source in sources)
        used = headword or mentions(
            (wording.name, *wording.variants), (text for _, text in texts.get(language, ()))
        )
        if sources and names_a_rule(wording.name, language):
            return False
        verdicts.append(names_a_term(wording.name, language, headword, used))
    return bool(verdicts) and 2 * sum(verdicts) < len(verdicts) + only_sections
