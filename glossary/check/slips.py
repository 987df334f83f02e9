"""Words that are a name misread: nearly a name and no word, or a word that makes no sense among the terms around it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise

from rapidfuzz import process
from rapidfuzz.distance import OSA

from corpus.languages import any_of, get_language
from corpus.languages.schema import WordForms
from corpus.model import Fault, Passage
from glossary import normalization
from glossary.check.lexicon import Lexicon, get_lexicon
from glossary.concepts import Concept
from glossary.model import RulebookView
from glossary.name_finder import NameUse
from glossary.normalization import Token

SHORTEST = 6  # letters of a word that may be a name misread
_LONG = 8  # letters of a word in which two letters may be wrong
_BEGINNING = 5  # letters at the beginning that stay, where more than one is wrong
_FALSE = 4  # times as often as its name a word may be used that is none: a scan can misread nearly all
_WRITTEN = -14.0  # logarithm of how usual a word is that somebody writes
_SELDOM = 6  # times that a word of the language is used instead of a term, at most
_AND = any_of("sentences.conjunctions", "sentences.alternatives")
_JOINS = re.compile(rf"(?:\s*+[,/*]++\s*+|\s++)(?:{_AND}\s+)?[*]*+")


def line_at(passage: Passage, offset: int) -> int:
    """The line of the character at ``offset`` of a passage's text; of one torn in three, in its middle, a line near it."""
    before = passage.text.count("\n", 0, offset)
    first = passage.spans[0]
    if len(passage.spans) == 1 or offset < first.end - first.start:
        return passage.lines.first + before
    return passage.lines.last - passage.text.count("\n", offset)


def corrected_words(rulebook: RulebookView) -> dict[str, dict[int, str]]:
    """Single words that the edition's corrections put right, by what is printed and by line."""
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for correction in rulebook.edition.corrections:
        printed, meant = normalization.tokenize(correction.printed), normalization.tokenize(str(correction.meant or ""))
        if correction.fault is Fault.CHARACTER and len(printed) == len(meant) == 1:
            for line in range(correction.line, correction.through + 1):
                found[printed[0].text][line] = meant[0].text
    return found


def find_misread_names(texts: Iterable[tuple[Passage, Sequence[Token]]], known: Sequence[Concept], language: str) -> dict[str, str]:
    """Words that no dictionary has, each with the word of a name that it is nearest to; all in lower case."""
    named: dict[str, None] = {}  # what concepts are headed first: of two that are as near, the name itself
    for rank in range(max((len(c.names.get(language, ())) for c in known), default=0)):
        for concept in known:
            for name in concept.names.get(language, ())[rank : rank + 1]:
                named.update(dict.fromkeys(w.text.casefold() for w in normalization.tokenize(name) if len(w.text) >= SHORTEST))
    ordered, lexicon = list(named), get_lexicon(language)
    infixes = get_language(language).spelling.infixes
    stems = {normalization.stem(name, language) for name in named}
    counts = Counter(token.text.casefold() for _, tokens in texts for token in tokens)
    usual: Counter[str] = Counter()  # by the beginning of a name, how often any of its forms is used
    for name in named:
        usual[name[:_BEGINNING]] += counts[name]
    found = {}
    for word, count in counts.items():
        if len(word) < SHORTEST or not word.isalpha() or normalization.stem(word, language) in stems or _is_word(word, lexicon):
            continue
        for near, distance, _ in process.extract(word, ordered, scorer=OSA.distance, score_cutoff=2 if len(word) >= _LONG else 1, limit=4):
            if _misread(word, near, int(distance), infixes) and count <= _FALSE * usual[near[:_BEGINNING]]:
                found[word] = near
                break
    return found


def _is_word(word: str, lexicon: Lexicon) -> bool:
    forms = get_language(lexicon.language).forms
    made = _is_verb_with_pronoun(word, lexicon, forms) if forms.pronouns else lexicon.inflects(word)
    return made or lexicon.has(word) or lexicon.is_compound(word) or lexicon.frequency(word) > _WRITTEN


@cache
def _with_pronoun(language: str) -> re.Pattern[str]:
    return re.compile(rf"(.{{3,}}?)(?:{'|'.join(get_language(language).forms.pronouns)})")


def _is_verb_with_pronoun(word: str, lexicon: Lexicon, forms: WordForms) -> bool:
    """Whether ``word`` is a form of a verb with a pronoun behind it, as "assegnalo" is."""
    match = _with_pronoun(lexicon.language).fullmatch(word)
    if match is None:
        return False
    base = match.group(1)
    infinitives = (base + forms.infinitive_vowel, *(base[:-1] + ending for ending in forms.pronoun_infinitives))
    return base.endswith(forms.gerund) or any(lexicon.has(form) for form in infinitives)


def _misread(word: str, name: str, distance: int, infixes: Sequence[str]) -> bool:
    """Whether ``word`` is ``name`` with a letter or two wrong, not with something in front or behind."""
    if word.startswith(name) or name.startswith(word) or word.endswith(name) or name.endswith(word):
        return False
    if any(name == word.replace(infix, "", 1) for infix in infixes):  # "herauszufordern"
        return False
    return distance == 1 or word[:_BEGINNING] == name[:_BEGINNING]


def find_mixed_up_words(
    texts: Sequence[tuple[Passage, Sequence[Token], Sequence[NameUse]]], language: str
) -> Iterator[tuple[str, str, int]]:
    """Words of the language that stand in a list of terms where a term that is written nearly so must be meant.

    ``texts`` are passages with their words and the terms among them. Yields concept that is meant, word, line.
    """
    lexicon = get_lexicon(language)
    counts = Counter(token.text.casefold() for _, tokens, _ in texts for token in tokens)
    single: set[tuple[str, str]] = set()
    listed: dict[str, set[str]] = defaultdict(set)
    for unit, tokens, found in texts:
        for use in found:
            if use.last - use.first == 1 and len(use.concepts) == 1:
                single.add((tokens[use.first].text.casefold(), use.concepts[0][0]))
        for one, other in pairwise(found):
            if one.last == other.first or _is_list(unit, tokens, one.last - 1, other.first):
                for a, b in ((one, other), (other, one)):
                    listed[a.concepts[0][0]].add(b.concepts[0][0])
    by_beginning: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, concept in sorted(single):
        if len(name) >= SHORTEST:
            by_beginning[name[:_BEGINNING]].append((name, concept))
    for unit, tokens, found in texts:
        for at, token in enumerate(tokens):
            word = token.text.casefold()
            near = by_beginning.get(word[:_BEGINNING], ()) if counts[word] <= _SELDOM and lexicon.has(word) else ()
            for name, concept in near:
                near_enough = word != name and abs(len(word) - len(name)) <= 2 and OSA.distance(word, name) <= 3
                if not near_enough or any(u.first <= at < u.last for u in found):
                    continue
                if sum(u.concepts[0][0] in listed[concept] for u in _beside(unit, tokens, found, at)) > 1:
                    yield concept, token.text, line_at(unit, token.start)
                    break


def _beside(unit: Passage, tokens: Sequence[Token], found: Iterable[NameUse], at: int) -> Iterator[NameUse]:
    """The terms right before and behind the word ``at`` in one list with it."""
    for use in found:
        before = use.last in (at - 1, at) and _is_list(unit, tokens, use.last - 1, at)
        if before or (use.first in (at + 1, at + 2) and _is_list(unit, tokens, at, use.first)):
            yield use


def _is_list(unit: Passage, tokens: Sequence[Token], one: int, other: int) -> bool:
    between = unit.text[tokens[one].end : tokens[other].start]
    return _JOINS.fullmatch(between) is not None and not between.isspace()
