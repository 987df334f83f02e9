"""Aliases: the names, abbreviations, slang and symbols by which questions mention a concept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from corpus.languages import get_language
from glossary.concepts import Concept
from glossary.normalization import fold, fold_umlauts, tokenize

_QUALIFIER = re.compile(r"(?:(?<!\s)\s+)?\([^()]*\)|(?<!\s)\s+X$")


class AliasKind(StrEnum):
    """The kind of an alias."""

    NAME = "name"
    ABBREVIATION = "abbreviation"
    SLANG = "slang"
    SYMBOL = "symbol"


_CERTAINTY = {
    AliasKind.NAME: 1.0,
    AliasKind.ABBREVIATION: 1.0,
    AliasKind.SLANG: 0.8,
    AliasKind.SYMBOL: 0.7,
}


@dataclass(frozen=True, slots=True)
class Alias:
    """One alias of ``concept``; ``words`` are the words to look for, ``text`` is the alias as
    written in the data file.
    """

    concept: str
    text: str
    language: str
    kind: AliasKind
    ordinary: bool
    words: tuple[str, ...]

    @property
    def certainty(self) -> float:
        """How certain it is that this exact text means the concept, from 0 to 1."""
        return _CERTAINTY[self.kind]


def strip_qualifier(name: str) -> str:
    """Return ``name`` without its qualifier and parameter: "Angriff" for "Angriff (Spieleraktion)",
    "Sieg" for "Sieg X".
    """
    return _QUALIFIER.sub("", name).strip() or name


def aliases_of(concept: Concept) -> Iterator[Alias]:
    """Yield every alias of ``concept``; the name "Angriff (Aktion)" also as "Angriff"."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    named = (
        (AliasKind.NAME, concept.names),
        (AliasKind.SLANG, concept.slang),
        (AliasKind.ABBREVIATION, concept.abbreviations),
        (AliasKind.SYMBOL, {"": concept.symbols}),
    )
    for kind, texts in named:
        for language, text in ((code, each) for code, those in texts.items() for each in those):
            if kind is AliasKind.NAME and fold(text) in map(
                fold, concept.abbreviations.get(language, ())
            ):
                continue  # the abbreviation itself is the stricter way to look for it
            for form in dict.fromkeys((text, strip_qualifier(text))):
                words = tuple(word.text for word in tokenize(form))
                folded = language, tuple(map(fold, words))
                if kind is AliasKind.SYMBOL or (words and folded not in seen):
                    seen.add(folded)
                    yield Alias(concept.id, text, language, kind, concept.ordinary, words)


def verb_forms(alias: Alias) -> Iterator[tuple[str, str]]:
    """Yield each finite form of a separable verb with its particle: ("deckt", "auf"), … for
    "aufdecken"; nothing for a name of several words.
    """
    if len(alias.words) > 1:  # "greift an" is no "gleich angreifen"
        return
    forms = get_language(alias.language).forms
    verb = fold(alias.words[-1])
    particle = next((p for p in forms.particles if verb.startswith(p)), None)
    if particle is None or not verb.endswith("n") or len(verb) < len(particle) + 5:
        return
    root = verb.removeprefix(particle).removesuffix("n").removesuffix("e")
    for ending in forms.particle_endings:
        yield fold_umlauts(root + ending), particle
