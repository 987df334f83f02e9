"""Find term candidates: nouns that no term list has, but that a rulebook uses far more often than
the language does, and in several passages.

This needs a table of word frequencies, and a language that capitalises nouns: German has both.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from corpus.languages import get_language
from corpus.model import Passage, Role
from glossary.model import RulebookView
from glossary.normalization import stem
from glossary.terms.term_list import Term, TermKind, TermList, TermSource, TermWording
from glossary.word_tables import lemmas_of

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_QUALIFIER = re.compile(r"(?:(?<!\s)\s++)?\([^()]*\)")
_SHORTEST = 4  # letters of a term
_RARE = -22.0  # the logarithm of the frequency of words that the table lacks
_LEAST_PASSAGES = 4
_LEAST_COMPOUND_PASSAGES = 3  # of a word that the table lacks
# Times as often as in the language, as a logarithm. Among German rulebooks, words below are
# ordinary: "Anzahl" has 2.7, "Reihenfolge" 4.1.
_LEAST_KEYNESS = 3.0
_LEAST_INSIDE = 0.3  # share of uses that do not begin a sentence, where all words have capitals


def with_candidates(terms: TermList, rulebooks: Iterable[RulebookView]) -> TermList:
    """Return ``terms``, then nouns that their editions use like terms, the most used first."""
    editions = {edition.id for edition in terms.editions}
    found: dict[tuple[str, str], list[tuple[TermSource, int]]] = defaultdict(list)
    for rulebook in rulebooks:
        language = rulebook.edition.language
        if rulebook.edition.id not in editions or not _frequencies(language):
            continue
        if not get_language(language).capitalised_nouns:
            continue
        for name, passages in _candidates(terms, rulebook).items():
            entry = next(e for e in rulebook.entries if e.id == passages[0].entry)
            source = TermSource(
                rulebook.edition.id,
                language,
                entry.id,
                entry.heading,
                entry.kind,
                passages[0].lines.first,
            )
            found[language, name].append((source, len(passages)))
    added = [
        (sum(count for _, count in sources), name, language, sources)
        for (language, name), sources in found.items()
    ]
    rows = tuple(
        Term(
            None,
            {language: TermWording(name, part_of_speech="noun")},
            (),
            tuple(source for source, _ in sources),
            TermKind.CANDIDATE,
            passages=count,
        )
        for count, name, language, sources in sorted(added, key=lambda each: (-each[0], each[1]))
    )
    return TermList(terms.game, terms.editions, (*terms.terms, *rows), terms.source)


def _candidates(terms: TermList, rulebook: RulebookView) -> Mapping[str, list[Passage]]:
    """Return the nouns that ``rulebook`` uses like terms and that are no name of ``terms``, each
    with its passages.
    """
    language = rulebook.edition.language
    forms: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    small: Counter[str] = Counter()
    places: dict[str, dict[str, Passage]] = defaultdict(dict)
    total = 0
    for passage in rulebook.passages:
        if passage.role is not Role.TEXT:
            continue
        text = passage.display
        for match in _WORD.finditer(text):
            word = match.group()
            total += 1
            if word[0].islower():
                small[word] += 1
            elif len(word) >= _SHORTEST and not word.isupper():
                forms[word] += 1
                before = text[max(0, match.start() - 2) : match.start()]
                inside[word] += before.endswith(" ") and before[0] not in ".:?!•–-\n"
                places[word][passage.id] = passage
    lemmas = lemmas_of(language, forms)
    by_lemma: dict[str, list[str]] = defaultdict(list)
    for word in forms:
        by_lemma[stem(lemmas.get(word, word), language)].append(word)
    known = _known_stems(terms, language)
    often = _frequencies(language)
    found: dict[str, list[Passage]] = {}
    for lemma, words in by_lemma.items():
        uses = sum(forms[word] for word in words)
        passages = {id: p for word in words for id, p in places[word].items()}
        name = lemmas.get(words[0], words[0])
        if name not in words:
            name = max(words, key=lambda word: (forms[word], -len(word)))
        frequency = max(often.get(word, _RARE) for word in (*words, name))
        rare = frequency == _RARE
        if (
            lemma not in known
            and not any(stem(word, language) in known for word in words)
            and len(passages) >= (_LEAST_COMPOUND_PASSAGES if rare else _LEAST_PASSAGES)
            and sum(inside[word] for word in words) >= _LEAST_INSIDE * uses
            and sum(small[word.lower()] for word in words) < uses
            and math.log(uses / total) - frequency >= _LEAST_KEYNESS
        ):
            found[name] = list(passages.values())
    return found


def _known_stems(terms: TermList, language: str) -> set[str]:
    """Return the stems of the one-word names of ``terms``, without what is in brackets."""
    known = set()
    for term in terms.terms:
        if wording := term.wordings.get(language):
            names = (wording.name or "", *wording.variants, *wording.abbreviations)
            for name in (*names, *(source.heading for source in term.sources)):
                for part in re.split(r"[,/]|\s(?:und|oder)\s", _QUALIFIER.sub("", name)):
                    words = _WORD.findall(part)
                    if len(words) == 1:
                        known.add(stem(words[0], language))
    return known


@cache
def _frequencies(language: str) -> Mapping[str, float]:
    """Return the log frequencies of the words of ``language``; empty if no table is installed."""
    packed = files("spacy_lookups_data") / "data" / f"{language}_lexeme_prob.json.gz"
    if not packed.is_file():
        return {}
    found: Mapping[str, float] = json.loads(gzip.decompress(packed.read_bytes()))
    return found
