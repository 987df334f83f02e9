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


class TermNames:
    """The aliases of ``concepts`` in ``languages``, and the ``index`` of them."""

    def __init__(self, concepts: Sequence[Concept], tables: WordTables, languages: Sequence[str]):
        self._concepts, self._languages = concepts, languages
        self._aliases = [alias for alias in chain.from_iterable(map(aliases_of, concepts)) if alias.language in ("", *languages)]
        self.index = AliasIndex(self._aliases, tables, languages)

    def table(self, stems: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
        """All names, which JSON can hold; aliases are told by their place in ``aliases``.

        ``stems`` has by language the stem of each form of a word that questions may have.
        """
        index, concepts, languages = self.index, self._concepts, self._languages
        place = {id(alias): number for number, alias in enumerate(self._aliases)}

        def placed(named: Mapping[str, Sequence[Alias]]) -> dict[str, list[int]]:
            return {name: [place[id(alias)] for alias in those] for name, those in sorted(named.items()) if those}

        return {
            "aliases": [[a.concept, a.text, a.language, a.certainty, list(map(normalization.fold, a.words))] for a in self._aliases],
            "ordinary": sorted(concept.id for concept in concepts if concept.ordinary),
            "patterns": placed(index.patterns),
            "single": placed(index.single),
            "symbols": placed(index.symbols),
            "abbreviations": placed(index.abbreviations),
            "verbs": {form: placed(by_particle) for form, by_particle in sorted(index.verbs.items())},
            "stems": {language: dict(stems[language]) for language in languages},
            "official": _official(concepts, languages),
            "links": {language: list(get_language(language).forms.links) for language in languages},
            "compounds_with": {language: list(get_language(language).forms.compounds_with) for language in languages},
            "particles": [language for language in languages if get_language(language).forms.particles],
            "means": sorted(words_of("questions.means")),
        }


def _official(concepts: Iterable[Concept], languages: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """By language and concept the official names."""
    return {
        language: {
            concept.id: [strip_qualifier(name) for name in concept.names[language]] for concept in concepts if language in concept.names
        }
        for language in languages
    }


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
