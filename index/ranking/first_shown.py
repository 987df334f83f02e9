"""Choose passages to show before those with better scores: entries looked up by name, explanations
of a name, rules asked for by number, and better clauses of the same entry.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.languages import any_of
from corpus.model import Edition, Entry, Kind, Passage, version_key
from corpus.sentences import sentences
from glossary.normalization import tokenize
from glossary.references.cited_rules import CitedRule
from glossary.references.printed_numbers import item_parts, number_key
from index.analysis import Analyzer
from index.library.library import Library
from index.library.passage_lookup import PassageLookup, positions
from index.questions.look_up import LookUp, Sense, framed_names
from index.questions.prepared import PreparedQuestion, SearchScope
from index.questions.question_parser import Asks, ParsedQuestion, QuestionParser
from index.ranking.fusion import top
from index.timing.announced import announced_by

# How much lower than the best score (up to `fusion.TOTAL`) that of a passage shown before it may
# be. Of 589 practice questions, five more get the right passage first, and none fewer.
_OTHER_SIDE, _INDEFINITE, _EXAMPLE = 0.3, 0.2, 0.1
_LOOKED_AT = 4  # best passages that are considered


def asked_clause(
    parsed: ParsedQuestion,
    scope: SearchScope,
    scores: NDArray[np.float64],
    library: Library,
    parser: QuestionParser,
) -> list[int]:
    """Return the number of the passage to show before the best one, or [] to keep the best first.

    If the best one is a rule on the other side (players, opponents), a clause of the same entry on
    the side asked about precedes it; if it begins with "Some cards …", a clause of the entry that
    does not; if it is an example, a rule.
    """
    if not len(scores):
        return []
    best, *others = top(scores, _LOOKED_AT).tolist()
    passage, edition = _passage(best, scope, library)
    asked = parser.sides_of(parsed.mentions.get(edition.game, ()), edition.game)
    shown = parser.sides_in(passage.text, edition) if len(asked) == 1 else frozenset()
    indefinite, example = is_indefinite(passage.text, edition.language), _example(edition.language)
    for place in others:
        behind = scores[best] - scores[place]
        other, its_edition = _passage(place, scope, library)
        fits = (
            (
                other.entry == passage.entry
                and behind < _OTHER_SIDE
                and shown
                and not asked & shown
                and asked <= parser.sides_in(other.text, edition)
            )
            or (
                other.entry == passage.entry
                and behind < _INDEFINITE
                and indefinite
                and not is_indefinite(other.text, edition.language)
            )
            or (
                behind < _EXAMPLE
                and example.match(passage.text)
                and not _example(its_edition.language).match(other.text)
            )
        )
        if fits:
            return [scope.numbers[place].item()]
    return []


def _passage(place: int, scope: SearchScope, library: Library) -> tuple[Passage, Edition]:
    passage = library.searchable[scope.numbers[place].item()]
    return passage, library.edition[library.entry[passage.entry].edition]


def is_indefinite(text: str, language: str) -> bool:
    """Return whether ``text`` begins with only some of the things it is about: "Some cards …"."""
    return _indefinite(language).match(text) is not None


@cache
def _indefinite(language: str) -> re.Pattern[str]:
    return re.compile(
        rf"\A[\W\d]*+{any_of('sentences.indefinites', language=language)}\b", re.IGNORECASE
    )


@cache
def _example(language: str) -> re.Pattern[str]:
    words = any_of(
        "labels.example", "labels.for_example", "labels.example_abbreviation", language=language
    )
    return re.compile(rf"\A[\W\d]*+{words}(?!\w)", re.IGNORECASE)


_MOST = 6  # passages of one sense or rule that are shown first
_ORDER = {
    kind: place for place, kind in enumerate((Kind.TERM, Kind.SUBSECTION, Kind.RULE, Kind.SECTION))
}


def looked_up_passages(
    look_up: LookUp, language: str, scope: SearchScope, library: Library, lookup: PassageLookup
) -> list[int]:
    """Return the numbers of the passages of ``scope`` on the name that ``look_up`` looks up, in
    display order; in ``language`` if possible.
    """
    found = [
        own
        for sense in look_up.senses
        if (own := _of_sense(sense, language, scope, library, lookup, look_up.item))
    ]
    firsts = [own[0] for own in found]
    return list(dict.fromkeys([*firsts, *(number for own in found for number in own)]))


_EXPLAINED = 4  # most terms of a name whose meaning is asked
_ARTICLES_TOO = 3  # words such as articles besides these
EXPLAINING = 25  # best passages by words that may explain the name
# Begins a rule on words that cards have: "Max. X per deck" limits …
QUOTED = re.compile(r"[•\s]*+[\"“„«]")
_CLOSING_QUOTES = tuple('"“”»')
_NUMBER = re.compile(r"\b\d{1,3}\b")  # rules have X in its place
_REMARK = re.compile(r"(?<!\s)\s*+\([^()\n]{0,60}+\)")
_EXPLAINS = re.compile(r"\s*+(?:[:–—=][\s*_]*+(?=\S)|-\s|\((?:[^\s()]++\s++){4})")


def explaining_passages(
    prepared: PreparedQuestion,
    numbers: Sequence[int],
    library: Library,
    lookup: PassageLookup,
    analyzer: Analyzer,
) -> list[int]:
    """Return the passages, out of ``numbers``, that begin with the name whose meaning is asked and
    explain it, as in a glossary.
    """
    parsed = prepared.parsed
    if parsed.asks is not Asks.DEFINITION:
        return []
    called = [each.name for each in framed_names(parsed.text, [parsed.language])]
    if parsed.look_up is not None:
        called = [parsed.look_up.name]
    called += [_NUMBER.sub("X", name) for name in called if _NUMBER.search(name)]
    found = []
    for number in numbers:
        language = lookup.edition(number).language
        names = [frozenset(analyzer.terms(name, language)) for name in called]
        if parsed.look_up is None:
            names.append(frozenset(prepared.asking_terms_in(language)))
        text = library.searchable[number].display
        if any(_explains(text, name, language, analyzer) for name in names):
            found.append(number)
    return found


def _explains(text: str, name: frozenset[str], language: str, analyzer: Analyzer) -> bool:
    """Return whether ``text`` begins with ``name``, a set of index terms, and its explanation."""
    if not 0 < len(name) <= _EXPLAINED:
        return False
    named: set[str] = set()
    for token in tokenize(text)[: _EXPLAINED + _ARTICLES_TOO]:
        named.update(analyzer.terms(token.text, language))
        if not named <= name:
            return False
        if named == name:
            rest = text[token.end :].lstrip("*_")
            if QUOTED.match(text) and rest[:1] in _CLOSING_QUOTES:
                return True
            behind = _REMARK.sub("", rest, count=1)
            return any(map(_EXPLAINS.match, (rest, behind))) or bool(
                _definers(language).match(behind)
            )
    return False


@cache
def _definers(language: str) -> re.Pattern[str]:
    return re.compile(rf"\W*+{any_of('sentences.definers', language=language)}\b", re.IGNORECASE)


_LIST = re.compile(r".+:\s*\n")  # a passage that contains the items it announces


def kinds_first(looked_up: Sequence[int], library: Library, analyzer: Analyzer) -> list[int]:
    """Return the passages ``looked_up``, with the one that lists kinds ("There are three types of
    cards: …") moved to the front if it is from the entry of the first.
    """
    entry = library.entry[library.searchable[looked_up[0]].entry]
    language = library.edition[entry.edition].language
    named = set(analyzer.terms(re.split(r"[,/(]", entry.title)[0], language))
    for number in looked_up:
        passage = library.searchable[number]
        if (
            passage.entry == entry.id
            and (not passage.depth or named <= set(analyzer.terms(passage.text, language)))
            and (_LIST.match(passage.display) or len(announced_by(library, passage)) > 1)
        ):
            return [number, *(each for each in looked_up if each != number)]
    return list(looked_up)


class RulePassages(NamedTuple):
    """The passages of rules asked for by number, in display order; ``is_shared``: an edition has
    several rules with the same number.
    """

    numbers: list[int]
    is_shared: bool


def rule_passages(
    rules: Mapping[CitedRule, NDArray[np.int64]],
    scope: SearchScope,
    scores: NDArray[np.float64],
    library: Library,
    lookup: PassageLookup,
) -> RulePassages:
    """Return the passages to show for ``rules``, given with all their passages in ``scope``: for
    each rule the passages of the edition with the best score, in printed order.
    """
    found: list[list[int]] = []
    for rule, numbers in rules.items():
        best = numbers[scores[positions(scope.numbers, numbers)].argmax()]
        edition = lookup.edition_number(best)
        start, end = lookup.bounds[edition : edition + 2]
        same: defaultdict[str, list[int]] = defaultdict(list)
        for number in numbers[(numbers >= start) & (numbers < end)].tolist():
            same[_numbered_so(rule, number, library)].append(number)
        found += same.values()
    firsts = [numbers[0] for numbers in found]
    behind = [number for numbers in found for number in numbers[1:_MOST]]
    return RulePassages(list(dict.fromkeys([*firsts, *behind])), len(found) > len(rules))


def _numbered_so(rule: CitedRule, number: int, library: Library) -> str:
    """Return the id of the outermost entry around passage ``number`` that has the number of
    ``rule``, or failing that of a rule above it. If there is none, return the own entry of a list
    item, or "".
    """
    path = library.path(library.entry[library.searchable[number].entry])
    whole = (*rule.rule, *rule.marks)
    for size in range(len(whole), 0, -1):
        for entry in path:
            if number_key(entry.number or "").parts == whole[:size]:
                return entry.id
    return path[-1].id if library.searchable[number].item else ""


def _of_sense(
    sense: Sense,
    language: str,
    scope: SearchScope,
    library: Library,
    lookup: PassageLookup,
    item: tuple[str, ...],
) -> list[int]:
    """Return the passages of one sense from the preferred edition, in display order; with ``item``
    only the list items with this number.
    """
    named = [library.entries[number] for number in sense.entries]
    numbers = {int(number) for entry in named for number in _passages_of(entry, library, lookup)}
    if sense.concept is not None:
        numbers.update(lookup.of_concept.numbers(sense.concept).tolist())
    if item:
        numbers = {
            number
            for number in numbers
            if item_parts(library.searchable[number].item)[: len(item)] == item
        }
    inside = np.array(sorted(numbers), dtype=np.int64)
    inside = scope.numbers[positions(scope.numbers, inside)]
    if not len(inside):
        return []
    editions = {lookup.edition(number).id: lookup.edition(number) for number in inside.tolist()}
    chosen = max(editions.values(), key=lambda edition: _preference(edition, language, named))
    own = [number for number in inside.tolist() if lookup.edition(number) is chosen]
    names = {entry.id for entry in named}

    def rank(number: int) -> tuple[bool, bool, int, int]:
        entry = library.entry[library.searchable[number].entry]
        is_concept = sense.concept is not None and library.concepts.get(entry.id) == sense.concept
        return entry.id not in names, not is_concept, _ORDER.get(entry.kind, len(_ORDER)), number

    shown = sorted(own, key=rank)[:_MOST]
    texts = [library.searchable[number] for number in shown[:2]]
    if (
        len(texts) == 2
        and texts[0].entry == texts[1].entry
        and _only_says_there_is(texts[0].text, chosen.language)
    ):
        shown[:2] = reversed(shown[:2])
    return shown


def _only_says_there_is(text: str, language: str) -> bool:
    """Return whether ``text`` is just one sentence or the lead-in of a list on some things ("Some
    cards …"), and does not say what its subject is.
    """
    return is_indefinite(text, language) and (
        text.rstrip().endswith(":") or len(list(sentences(text))) == 1
    )


def _preference(
    edition: Edition, language: str, named: Sequence[Entry]
) -> tuple[bool, bool, object]:
    return (
        edition.language == language,
        any(entry.edition == edition.id for entry in named),
        version_key(edition.version),
    )


def _passages_of(entry: Entry, library: Library, lookup: PassageLookup) -> Sequence[int]:
    """Return the passages of ``entry`` or, if it has none, of the entry that it refers to or of the
    first entry inside it with text.
    """
    own: list[int] = lookup.of_entry.numbers(entry.id).tolist()
    if own:
        return own
    for reference in library.references_of.get(entry.id, ()):
        if entry.kind is Kind.REDIRECT and reference.target:
            return list(lookup.of_entry.numbers(reference.target).tolist())
    for child in library.children_of.get(entry.id, ()):
        if own := list(_passages_of(child, library, lookup)):
            return own
    return []
