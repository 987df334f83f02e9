"""Find the citations in a text (rules by number, entries by name, places in Regula's own form of
citation), and the words that a sentence shares with a rule.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import log
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz, process

from corpus.languages import any_of
from corpus.model import Edition, Entry, Span
from corpus.sentences import sentences
from glossary.normalization import stem, tokenize
from glossary.references.cited_rules import CitedRule, PrintedRules, printed_rules
from glossary.references.entry_finder import EntryFinder
from glossary.references.name_tokens import NamedToken, named_tokens
from index.library.library import Library
from index.library.rule_numbers import RuleNumbers
from service.answers.citations import entry_name
from service.answers.verify.quotations import SMALL_WORDS

MOST_CITATIONS = 200  # most citations in a text
_LONGEST_PIECE = 500  # characters that are searched at a time
_KEPT = 500  # numbers and names whose rules and nearest entries are cached
MOST_NEAREST = 3  # entries listed for a number or name that does not exist
_MOST_WORDS = 6  # most words of a name
_ALIKE = 60  # least similarity of the letters of two names in per cent
_LEAST_PARTS = 3  # parts from which a number without a word like "rule" is a rule number

_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4})")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_SOFTWARE = re.compile(r"(?i:patch|update|build|release|app|firmware|hotfix)\s\Z")
_ABBREVIATED = re.compile(r"(?<![\w.])[A-Z]{2,4}\s\Z")  # "CR 310.8d"
_OPENS = re.compile(r"(?:[(\[]|(?:^|\n)[ \t>*_#-]*)\Z")
_ENDS = re.compile(r"\s*+(?:[).,;:!?]|\Z)")  # no unit follows: not "1.5 hours"
_CLOSES = re.compile(r"[*_]*\s*(?:[)\]:]|[-–—]\s)")
_POSITION = re.compile(r"\s*+[^\W\d]{1,8}+\.?\s\d+(?:[-–]\d+)?(?:\s\([^()\n]{1,20}\))?")
_ENTRY = re.compile(
    rf"(?<!\w)(?i:{any_of('references.entry')})\s+[*_„“\"«»]*+(?=[A-ZÄÖÜÀÈÉÌÒÙ])|[→⇒]\s*+"
)
_NAME_WORD = re.compile(r"[^\s()\[\]„“”\"«»*_,;:.!?]+")
_SEE_NAME = re.compile(
    rf"(?<!\w)(?i:{any_of('references.see', 'references.compare')})\s++"
    rf"(?>(?i:{any_of('references.between', 'references.entry', 'sentences.all_articles')})\s++)*+"
    r"[*_]*+(?P<name>[A-ZÄÖÜ][\w-]++(?: [A-ZÄÖÜ][\w-]++){0,3}+)[*_]*+(?=\s*+(?:[).,;!?\n]|\Z))"
)
# Nouns after "see" that name no entry.
_PLACES = re.compile(
    r"\w{0,40}"
    + any_of(
        *(f"references.{name}" for name in ("page", "books", "section", "rule", "rules", "places")),
        *(f"labels.{name}" for name in ("numbering", "figures", "example", "note")),
        *("sections.appendix", "sections.glossary", "sections.questions", "sections.errata"),
        "documents.rules",
    )
    + r"\w{0,3}",
    re.IGNORECASE,
)
_POINTS = re.compile(
    rf"{any_of('references.see', 'references.compare')}\s+{any_of('references.also')}"
    rf"|{any_of('references.related')}",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TextCitation:
    """A citation at ``span`` of a text; ``outer`` includes words such as "see rule".

    Attributes:
        entries: The entries cited; none if they do not exist.
        within: These entries and all entries inside them.
        nearest: Other entries that may be meant.
        pointer: Whether it is a mere reference ("see also"), which states nothing about the
            entries.
        doubtful: Whether it may be no citation at all.
    """

    span: Span
    outer: Span
    entries: tuple[str, ...] = ()
    within: frozenset[str] = frozenset()
    nearest: tuple[str, ...] = ()
    pointer: bool = False
    doubtful: bool = False


class CitationFinder:
    """Finds citations of the editions of a library in texts."""

    def __init__(self, library: Library):
        self._library = library
        self._terms: dict[str, EditionTerms] = {}
        self._all_titles = [each.title for each in library.editions]
        self._versions = {each.version for each in library.editions}
        self._nearest_numbers = lru_cache(maxsize=_KEPT)(self._find_nearest_numbers)
        self._nearest_names = lru_cache(maxsize=_KEPT)(self._find_nearest_names)
        self._rule = lru_cache(maxsize=_KEPT)(self._find_rule)

    @cached_property
    def _numbers(self) -> RuleNumbers:
        of_entry: dict[str, list[int]] = {}
        for number, passage in enumerate(self._library.searchable):
            of_entry.setdefault(passage.entry, []).append(number)
        return RuleNumbers.build(self._library, of_entry)

    @cached_property
    def _names(self) -> dict[str, EntryFinder]:
        """The entries of each edition by their names."""
        return {book.edition.id: EntryFinder(book) for book in self._library.rulebooks}

    @cached_property
    def _headings(self) -> dict[str, dict[str, str]]:
        """The ids of each edition's entries by their names in citations."""
        return {
            id: {
                entry_name(self._library, entry): entry.id
                for entry in reversed(self._library.entries_of(id))
            }
            for id in self._library.edition
        }

    @cached_property
    def _titles(self) -> re.Pattern[str]:
        """The titles of all editions, followed by a version and the language."""
        titles = sorted({each.title for each in self._library.editions}, key=len, reverse=True)
        words = "|".join(r"\s+".join(map(re.escape, title.split())) for title in titles)
        return re.compile(
            rf"(?<!\w)(?P<title>{words or '(?!)'})(?!\w)(?:\s+v?(?P<version>\d[\w.]*\w|\d))?"
            r"(?P<language>\s*\([a-z]{2}\))?(?P<rest>,[^\n]*)?",
            re.IGNORECASE,
        )

    def terms(self, edition: str) -> EditionTerms:
        """Return the words of the entries of ``edition``, cached."""
        if edition not in self._terms:
            self._terms[edition] = EditionTerms(self._library, self._library.edition[edition])
        return self._terms[edition]

    def find(
        self, text: str, without: Collection[Span], editions: Collection[Edition]
    ) -> list[TextCitation]:
        """Return the citations of ``editions`` in ``text``, in order, outside the spans
        ``without``.
        """
        masked = list(text)
        for start, end in (*without, *(each.span() for each in _ADDRESS.finditer(text))):
            masked[start:end] = _blank(text[start:end])
        found: list[TextCitation] = []
        within = frozenset(each.id for each in editions)
        named: set[str] = set()
        for title in self._titles.finditer("".join(masked)):
            cited, meant, end = self._placed(title, within)
            named |= meant
            found += cited
            masked[title.start() : end] = _blank(text[title.start() : end])
        scope = within & named or within
        for start, piece in _pieces("".join(masked)):
            if len(found) > MOST_CITATIONS:
                break
            found += [
                replace(
                    each,
                    span=Span(each.span.start + start, each.span.end + start),
                    outer=Span(each.outer.start + start, each.outer.end + start),
                )
                for each in self._in_piece(piece, scope)
            ]
        # The last citation at a span counts: the last number of a range stands for those before.
        return [*{each.span: each for each in sorted(found, key=lambda each: each.span)}.values()]

    def _in_piece(self, text: str, scope: frozenset[str]) -> list[TextCitation]:
        found: list[TextCitation] = []
        for rules in printed_rules(text, self._all_titles):
            found += self._numbered(text, rules, scope)
        taken = [each.outer for each in found]
        found += [
            each
            for each in self._named(text, scope)
            if not any(a < each.span.end and each.span.start < b for a, b in taken)
        ]
        return found

    def _placed(
        self, title: re.Match[str], scope: frozenset[str]
    ) -> tuple[list[TextCitation], set[str], int]:
        """Return the citations that begin with a ``title``, of editions in ``scope``, the ids of
        all editions that it names, and the end of the citation.
        """
        said = " ".join(title["title"].casefold().split())
        editions = [each for each in self._library.editions if each.title.casefold() == said]
        version, language = title["version"] or "", (title["language"] or "").strip(" ()")
        fitting = [
            each
            for each in editions
            if (not version or version.casefold() == each.version.casefold())
            and (not language or language == each.language)
        ]
        end = title.end("language") if title["language"] else title.end("title")
        if fitting and version:
            end = max(end, title.end("version"))
        if not fitting and version and not language:  # not a version, but the number of a rule
            return [], {each.id for each in editions}, end
        ids = {each.id for each in fitting}
        rest = title["rest"] or ""
        whole = Span(title.start(), title.end("rest") if rest else end)
        if not fitting:
            end = title.end("language")
            nearest = self._heading(rest, scope & {each.id for each in editions})[0]
            return [TextCitation(Span(title.start(), end), whole, nearest=nearest)], set(), end
        entries, length, placed = self._heading(rest, scope & ids)
        if not rest or not (entries or (placed and length)):
            return [], ids, end
        end = title.start("rest") + length
        span = Span(title.start(), end)
        if not entries:
            name = rest[1:length].strip()
            nearest = self._nearest_names(name, frozenset(ids))
            return [TextCitation(span, span, nearest=nearest)], ids, end
        return [self._citation(span, span, entries)], ids, end

    def _heading(self, rest: str, editions: Collection[str]) -> tuple[tuple[str, ...], int, bool]:
        """Return the entries of ``editions`` whose name begins ``rest`` after a comma, the length
        of the name and of a position after it ("S. 3"), and whether ``rest`` cites anything.
        """
        commas = [match.start() for match in re.finditer(r",|;|\Z", rest)][1:7]
        end = next((at for at in commas if _POSITION.match(rest, at + 1)), 0)
        position = _POSITION.match(rest, end + 1) if end else None
        for at in [end] if end else reversed(commas):
            name = rest[1:at].strip(" *_.)")
            found = tuple(
                id
                for edition in sorted(editions)
                for id in (
                    self._headings[edition].get(name),
                    *self._called(name, edition),
                )
                if id
            )
            if found:
                return tuple(dict.fromkeys(found)), position.end() if position else at, True
        return (), position.end() if position else 0, position is not None

    def _called(self, name: str, edition: str, near: bool = False) -> tuple[str, ...]:
        match = self._names[edition].find(name, "", near)
        return (match.entry, *match.others) if match else ()

    def _find_nearest_names(self, name: str, editions: frozenset[str]) -> tuple[str, ...]:
        """Return the entries of ``editions`` with the names most similar to ``name``."""
        near = [id for edition in editions for id in self._called(name, edition, near=True)]
        headings = {
            id: self._names[each].title(id).casefold()
            for each in editions
            for id in self._names[each].entries
        }
        found = process.extract(
            name.casefold(), headings, scorer=fuzz.ratio, score_cutoff=_ALIKE, limit=MOST_NEAREST
        )
        return tuple(dict.fromkeys([*near, *(id for _, _, id in found)]))[:MOST_NEAREST]

    def _numbered(
        self, text: str, rules: PrintedRules, scope: frozenset[str]
    ) -> Iterator[TextCitation]:
        """Yield the rules that ``text`` cites by number."""
        outer = Span(rules.start, rules.end)
        for span, cited in rules.rules:
            entries, within = self._rule(cited, scope)
            printed = text[span.start : span.end]
            announced = rules.is_announced or bool(cited.label)
            told = announced or self._stands_out(text, span, cited)
            if entries and (told or _ENDS.match(text, span.end)):
                yield TextCitation(span, outer, entries, within, doubtful=not told)
            elif entries:
                continue
            elif (
                told
                and cited.is_sure
                and (announced or not _DATE.fullmatch(printed))
                and printed not in self._versions
            ):
                yield TextCitation(span, outer, nearest=self._nearest_numbers(cited, scope))

    def _stands_out(self, text: str, span: Span, cited: CitedRule) -> bool:
        """Return whether a number without a word such as "rule" before it is a rule number."""
        parts = (*cited.rule, *cited.marks)
        before = text[max(0, span.start - 40) : span.start]
        return not _SOFTWARE.search(before) and (
            len(parts) >= _LEAST_PARTS
            or any(not part.isdigit() for part in parts)
            or _ABBREVIATED.search(before) is not None
            or (_OPENS.search(before) is not None and _CLOSES.match(text, span.end) is not None)
        )

    def _find_rule(
        self, cited: CitedRule, scope: frozenset[str]
    ) -> tuple[tuple[str, ...], frozenset[str]]:
        """Return the entries in ``scope`` that have the number ``cited``, and these together with
        all entries inside them.
        """
        numbers = self._numbers.passages(cited).tolist()
        inside = dict.fromkeys(self._library.searchable[number].entry for number in numbers)
        found: dict[str, list[Entry]] = {}
        for id in inside:
            entry = self._library.entry[id]
            if entry.edition in scope:
                found.setdefault(entry.edition, []).append(entry)
        tops = []
        for entries in found.values():
            paths = [self._library.path(entry) for entry in entries]
            common = [
                level[0]
                for level in zip(*paths, strict=False)
                if all(each.id == level[0].id for each in level)
            ]
            numbered = [each for each in common if each.number]
            tops.append((numbered or common or [entries[0]])[-1].id)
        within = {each.id for entries in found.values() for each in entries}
        return tuple(tops), frozenset(within.union(tops))

    def _find_nearest_numbers(self, cited: CitedRule, scope: frozenset[str]) -> tuple[str, ...]:
        bounds = self._library.bounds
        numbers = [
            number
            for place, edition in enumerate(self._library.editions)
            if edition.id in scope
            for number in range(bounds[place], bounds[place + 1])
        ]
        found = self._numbers.nearest(cited, np.array(numbers, dtype=np.int64), MOST_NEAREST)
        return tuple(dict.fromkeys(self._library.searchable[number].entry for number in found))

    def _named(self, text: str, scope: frozenset[str]) -> Iterator[TextCitation]:
        """Yield the entries that ``text`` cites by name."""

        def entries(span: tuple[int, int], strict: bool = False) -> tuple[str, ...]:
            name = " ".join(text[slice(*span)].replace("*", "").replace("_", " ").split())
            if strict:
                only = (self._names[edition].strict(name) for edition in scope)
                return tuple(id for id in only if id)
            return tuple(id for edition in scope for id in self._called(name, edition))

        def token_entries(token: NamedToken) -> tuple[str, ...]:
            return entries((token.start, token.end), token.strict)

        taken: list[Span] = []
        for group in named_tokens(text, lambda token: bool(token_entries(token))):
            found = [(token, token_entries(token)) for token in group]
            known = any(ids for _, ids in found)
            for token, ids in found:
                span = Span(token.start, token.end)
                name = text[span.start : span.end]
                if ids:
                    pointer = token.listed or _points(text, span)
                    yield replace(self._citation(span, span, ids), pointer=pointer)
                elif (
                    (token.near or (known and token.listed))
                    and len(name.split()) <= _MOST_WORDS
                    and name[:1].isupper()
                ):
                    yield TextCitation(span, span, nearest=self._nearest_names(name, scope))
                else:
                    continue
                taken.append(span)
        for label in _ENTRY.finditer(text):
            words = [*_NAME_WORD.finditer(text, label.end(), label.end() + 80)][:_MOST_WORDS]
            for last in reversed(words):
                span = Span(label.end(), last.end())
                if ids := entries(span):
                    yield self._citation(span, span, ids)
                    taken.append(span)
                    break
        for see in _SEE_NAME.finditer(text):
            span, name = Span(*see.span("name")), see["name"]
            beside = not any(a < span.end and span.start < b for a, b in taken)
            if beside and not _PLACES.fullmatch(name) and not entries(span):
                yield TextCitation(span, span, nearest=self._nearest_names(name, scope))

    def _citation(self, span: Span, outer: Span, entries: Sequence[str]) -> TextCitation:
        library = self._library
        within = (each.id for id in entries for each in library.with_inside(library.entry[id]))
        return TextCitation(span, outer, tuple(dict.fromkeys(entries)), frozenset(within))


def _points(text: str, span: Span) -> bool:
    """Return whether the name at ``span`` follows "see also"."""
    line = text[max(text.rfind("\n", 0, span.start) + 1, span.start - 80) : span.start]
    return _POINTS.search(line) is not None


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of ``text`` with their positions, long sentences in parts, to limit how
    far patterns look back.
    """
    for start, end in sentences(text):
        while end - start > _LONGEST_PIECE:
            cut = text.rfind(" ", start + 1, start + _LONGEST_PIECE)
            cut = cut if cut > start else start + _LONGEST_PIECE
            yield start, text[start:cut]
            start = cut
        yield start, text[start:end]


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


_LEAST_WORD = 2  # least letters of a word that counts


class SharedTerms(NamedTuple):
    """The ``words`` of a sentence that a rule has too, and their ``share`` of all words of the
    sentence, weighted by rarity in the edition.
    """

    share: float
    words: tuple[str, ...]


class EditionTerms:
    """The stems of the words of each entry of ``edition``, with its headings."""

    def __init__(self, library: Library, edition: Edition):
        self._language = edition.language
        self._entries: dict[str, set[str]] = {}
        self._holders: defaultdict[str, list[str]] = defaultdict(list)
        for entry in library.entries_of(edition.id):
            texts = [each.heading for each in library.path(entry)]
            texts += [f"{p.announced} {p.display}" for p in library.passages_of.get(entry.id, ())]
            self._entries[entry.id] = {term for text in texts for term in self._terms(text)}
            for term in self._entries[entry.id]:
                self._holders[term].append(entry.id)
        self._unknown = log(1 + 2 * max(len(self._entries), 1))

    def _terms(self, text: str) -> Iterable[str]:
        return (stem(word.text, self._language) for word in tokenize(text))

    def _weights(self, sentence: str) -> dict[str, tuple[float, str]]:
        """Return the stems of the words of ``sentence``, each with its rarity and the word."""
        count = len(self._entries)
        return {
            stem(word.text, self._language): (self._rarity(word.text, count), word.text)
            for word in tokenize(sentence)
            if word.text.isdigit()
            or (len(word.text) >= _LEAST_WORD and word.text.casefold() not in SMALL_WORDS)
        }

    def _rarity(self, word: str, count: int) -> float:
        holders = len(self._holders.get(stem(word, self._language), ()))
        return log(1 + (count - holders + 0.5) / (holders + 0.5)) if holders else self._unknown

    def weight(self, sentence: str) -> float:
        """Return the sum of the rarities of the words of ``sentence`` that the edition has."""
        return sum(
            rarity for term, (rarity, _) in self._weights(sentence).items() if term in self._holders
        )

    def shared(self, sentence: str, entries: Collection[str]) -> SharedTerms:
        """Return the words that ``sentence`` shares with any of ``entries``."""
        weights = self._weights(sentence)
        there = set().union(*(self._entries.get(id, ()) for id in entries))
        whole = sum(rarity for rarity, _ in weights.values())
        found = {term: each for term, each in weights.items() if term in there}
        return SharedTerms(
            sum(rarity for rarity, _ in found.values()) / whole if whole else 0.0,
            tuple(word for _, word in found.values()),
        )

    def best(self, sentence: str, count: int) -> list[tuple[str, float]]:
        """Return the ``count`` entries that share the most words with ``sentence``, each with its
        share.
        """
        weights = self._weights(sentence)
        whole = sum(rarity for rarity, _ in weights.values()) or 1.0
        sums: defaultdict[str, float] = defaultdict(float)
        for term, (rarity, _) in weights.items():
            for id in self._holders.get(term, ()):
                sums[id] += rarity / whole
        return sorted(sums.items(), key=lambda each: -each[1])[:count]
