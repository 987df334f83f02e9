"""What terms and cards of a game are called, as the recognisers look for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from corpus.languages import get_language, words_of
from glossary import normalization
from glossary.alias_index import AliasIndex
from glossary.aliases import Alias, aliases_of, strip_qualifier
from glossary.card_names import CardRecogniser
from glossary.concepts import Concept
from glossary.word_tables import WordTables


def term_names(concepts: Sequence[Concept], tables: WordTables, languages: Sequence[str], forms: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    """The names of ``concepts`` in ``languages``, with the stems that the words of questions have; JSON can hold it.

    ``forms`` are the words of each language that may be asked with. Aliases are told by their place in ``aliases``.
    """
    aliases = [alias for alias in chain.from_iterable(map(aliases_of, concepts)) if alias.language in ("", *languages)]
    place = {id(alias): number for number, alias in enumerate(aliases)}
    index = AliasIndex(aliases, tables, languages)

    def placed(named: Mapping[str, Sequence[Alias]]) -> dict[str, list[int]]:
        return {name: [place[id(alias)] for alias in those] for name, those in sorted(named.items()) if those}

    return {
        "aliases": [[each.concept, each.text, each.language, each.certainty, [normalization.fold(w) for w in each.words]] for each in aliases],
        "ordinary": sorted(concept.id for concept in concepts if concept.ordinary),
        "patterns": placed(index.patterns),
        "single": placed(index.single),
        "symbols": placed(index.symbols),
        "abbreviations": placed(index.abbreviations),
        "verbs": {form: placed(by_particle) for form, by_particle in sorted(index.verbs.items())},
        "stems": {language: _stem_forms(index.stems[language], forms[language], language, tables) for language in languages},
        "official": _official(concepts, languages),
        "links": {language: list(get_language(language).forms.links) for language in languages},
        "compounds_with": {language: list(get_language(language).forms.compounds_with) for language in languages},
        "particles": [language for language in languages if get_language(language).forms.particles],
        "means": sorted(words_of("questions.means")),
    }


def _official(concepts: Iterable[Concept], languages: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """By language and concept the official names."""
    return {
        language: {concept.id: [strip_qualifier(name) for name in concept.names[language]] for concept in concepts if language in concept.names}
        for language in languages
    }


def _stem_forms(stems: set[str], forms: Iterable[str], language: str, tables: WordTables) -> dict[str, str]:
    """The stem that names have of each of the ``forms``, folded."""
    found: dict[str, str] = {}
    for form in forms:
        known = next((stem for stem in tables.stems(form, language) if stem in stems), None)
        if known is not None:
            found.setdefault(normalization.fold(form), known)
    return dict(sorted(found.items()))


def card_names(recogniser: CardRecogniser) -> dict[str, Any]:
    """The cards that ``recogniser`` knows, with their entries, and the names that each has; JSON can hold it."""
    cards = {card: number for number, card in enumerate(recogniser.entries)}
    names = {" ".join(words): [[cards[name.card], int(name.whole)] for name in those] for words, those in recogniser.names.items()}
    return {
        "cards": [[card, list(recogniser.entries[card])] for card in cards],
        "names": dict(sorted(names.items())),
        "everyday": sorted(recogniser.everyday_words),
        "types": sorted(words_of("questions.card_types")),
    }
