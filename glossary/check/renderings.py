"""Collect what a book calls each of its terms in running text: every form with its lines, including
misread and misspelt ones.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from itertools import pairwise

from rapidfuzz import process
from rapidfuzz.distance import OSA

from corpus.languages import LANGUAGES, any_of, get_language
from corpus.languages.schema import WordForms
from corpus.model import Fault, Kind, Passage, Role
from glossary import normalization
from glossary.aliases import strip_qualifier
from glossary.check.spelling import Lexicon, get_lexicon
from glossary.concepts import Concept, load_concepts, tie_entries
from glossary.model import Reference, RulebookView
from glossary.name_finder import NameFinder, NameUse
from glossary.normalization import Token

SHORTEST = 6  # letters of a word that may be a name misread
_LONG = 8  # letters of a word in which two letters may be wrong
_BEGINNING = 5  # first letters that are right if more than one other is wrong
# Times as often as its name a misread word may occur: a scan can misread nearly all
_FALSE = 4
_WRITTEN = -14.0  # log frequency of a word that people use
_SELDOM = 6  # times that a word of the language is used instead of a term, at most
_AND = any_of("sentences.conjunctions", "sentences.alternatives")
_JOINS = re.compile(rf"(?:\s*+[,/*]++\s*+|\s++)(?:{_AND}\s+)?[*]*+")


def line_at(passage: Passage, offset: int) -> int:
    """Return the line of the character at ``offset`` of a passage's text; only about the line in
    the middle parts of a divided passage.
    """
    before = passage.text.count("\n", 0, offset)
    first = passage.spans[0]
    if len(passage.spans) == 1 or offset < first.end - first.start:
        return passage.lines.first + before
    return passage.lines.last - passage.text.count("\n", offset)


def corrected_words(rulebook: RulebookView) -> dict[str, dict[int, str]]:
    """Return the single words that the edition's corrections change, by printed word and line."""
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for correction in rulebook.edition.corrections:
        printed, meant = (
            normalization.tokenize(correction.printed),
            normalization.tokenize(str(correction.meant or "")),
        )
        if correction.fault is Fault.CHARACTER and len(printed) == len(meant) == 1:
            for line in range(correction.line, correction.through + 1):
                found[printed[0].text][line] = meant[0].text
    return found


def find_misread_names(
    texts: Iterable[tuple[Passage, Sequence[Token]]], known: Sequence[Concept], language: str
) -> dict[str, str]:
    """Return lower-case words in no dictionary, each with the word of a name that it may be."""
    named: dict[str, None] = {}  # main names first, which win if two names are equally near
    for rank in range(max((len(c.names.get(language, ())) for c in known), default=0)):
        for concept in known:
            for name in concept.names.get(language, ())[rank : rank + 1]:
                named.update(
                    dict.fromkeys(
                        w.text.casefold()
                        for w in normalization.tokenize(name)
                        if len(w.text) >= SHORTEST
                    )
                )
    ordered, lexicon = list(named), get_lexicon(language)
    infixes = get_language(language).spelling.infixes
    stems = {normalization.stem(name, language) for name in named}
    counts = Counter(token.text.casefold() for _, tokens in texts for token in tokens)
    usual: Counter[str] = (
        Counter()
    )  # by the beginning of a name, how often any of its forms is used
    for name in named:
        usual[name[:_BEGINNING]] += counts[name]
    found = {}
    for word, count in counts.items():
        if (
            len(word) < SHORTEST
            or not word.isalpha()
            or normalization.stem(word, language) in stems
            or _is_word(word, lexicon)
        ):
            continue
        for near, distance, _ in process.extract(
            word, ordered, scorer=OSA.distance, score_cutoff=2 if len(word) >= _LONG else 1, limit=4
        ):
            if (
                _misread(word, near, int(distance), infixes)
                and count <= _FALSE * usual[near[:_BEGINNING]]
            ):
                found[word] = near
                break
    return found


def _is_word(word: str, lexicon: Lexicon) -> bool:
    forms = get_language(lexicon.language).forms
    made = _is_verb_with_pronoun(word, lexicon, forms) if forms.pronouns else lexicon.inflects(word)
    return (
        made or lexicon.has(word) or lexicon.is_compound(word) or lexicon.frequency(word) > _WRITTEN
    )


@cache
def _with_pronoun(language: str) -> re.Pattern[str]:
    return re.compile(rf"(.{{3,}}?)(?:{'|'.join(get_language(language).forms.pronouns)})")


def _is_verb_with_pronoun(word: str, lexicon: Lexicon, forms: WordForms) -> bool:
    """Return whether ``word`` is a verb form with an attached pronoun, as "assegnalo" is."""
    match = _with_pronoun(lexicon.language).fullmatch(word)
    if match is None:
        return False
    base = match.group(1)
    infinitives = (
        base + forms.infinitive_vowel,
        *(base[:-1] + ending for ending in forms.pronoun_infinitives),
    )
    return base.endswith(forms.gerund) or any(lexicon.has(form) for form in infinitives)


def _misread(word: str, name: str, distance: int, infixes: Sequence[str]) -> bool:
    """Return whether ``word`` is ``name`` with one or two wrong letters, not with an affix."""
    if word.startswith(name) or name.startswith(word) or word.endswith(name) or name.endswith(word):
        return False
    if any(name == word.replace(infix, "", 1) for infix in infixes):  # "herauszufordern"
        return False
    return distance == 1 or word[:_BEGINNING] == name[:_BEGINNING]


def find_mixed_up_words(
    texts: Sequence[tuple[Passage, Sequence[Token], Sequence[NameUse]]], language: str
) -> Iterator[tuple[str, str, int]]:
    """Yield ordinary words in a list of terms where a term with a similar spelling must be meant.

    ``texts`` are passages with their words and the terms among them. Yields the meant concept, the
    word, and the line.
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
            near = (
                by_beginning.get(word[:_BEGINNING], ())
                if counts[word] <= _SELDOM and lexicon.has(word)
                else ()
            )
            for name, concept in near:
                near_enough = (
                    word != name
                    and abs(len(word) - len(name)) <= 2
                    and OSA.distance(word, name) <= 3
                )
                if not near_enough or any(u.first <= at < u.last for u in found):
                    continue
                if (
                    sum(
                        u.concepts[0][0] in listed[concept]
                        for u in _beside(unit, tokens, found, at)
                    )
                    > 1
                ):
                    yield concept, token.text, line_at(unit, token.start)
                    break


def _beside(
    unit: Passage, tokens: Sequence[Token], found: Iterable[NameUse], at: int
) -> Iterator[NameUse]:
    """Yield the terms right before and after the word ``at`` in the same list."""
    for use in found:
        before = use.last in (at - 1, at) and _is_list(unit, tokens, use.last - 1, at)
        if before or (use.first in (at + 1, at + 2) and _is_list(unit, tokens, at, use.first)):
            yield use


def _is_list(unit: Passage, tokens: Sequence[Token], one: int, other: int) -> bool:
    between = unit.text[tokens[one].end : tokens[other].start]
    return _JOINS.fullmatch(between) is not None and not between.isspace()


_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVX]+\.|\w\.\))\s+")
_SEVERAL = re.compile(rf"(?:(?<!\s)\s+)?[,/]\s*|(?<!\s)\s+{any_of('sentences.conjunctions')}\s+")


class RenderingKind(StrEnum):
    """How a form of a term relates to its official name."""

    NAME = "name"  # its name as headed, or an inflected form of it
    OTHER = "other"  # another of its names in the data file
    SLIP = "slip"  # a word that no dictionary has, a letter or two off
    REFERENCE = "reference"  # in a reference to one of its entries
    MIXED_UP = "mixed-up"  # another word of the language where the term must be meant


@dataclass
class Rendering:
    """One way to call a concept: forms with the same stems, the count of each, and the lines."""

    kind: RenderingKind
    forms: Counter[str] = field(default_factory=Counter)
    lines: list[int] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)  # other concepts with the name
    meant: str | None = None  # what a slip is meant to be
    corrected_lines: set[int] = field(
        default_factory=set
    )  # lines that a correction of the edition reports

    @property
    def form(self) -> str:
        """The most frequent form."""
        return self.forms.most_common(1)[0][0]

    @property
    def count(self) -> int:
        """How often the rendering occurs."""
        return len(self.lines)


@dataclass(frozen=True)
class EditionRenderings:
    """What one edition calls its concepts: by concept id, the official name and the renderings,
    most frequent first.
    """

    edition: str
    names: Mapping[str, str]
    by_concept: Mapping[str, tuple[Rendering, ...]]


def terms_of(rulebook: RulebookView) -> tuple[tuple[Concept, ...], Mapping[str, str]]:
    """Return the concepts of the game, with a new concept for each glossary entry without one, and
    the concept id of each entry.
    """
    known = load_concepts(rulebook.edition.game)
    tied = dict(tie_entries(known, [rulebook]).by_entry)
    made = []
    for entry in rulebook.entries:
        if entry.kind is Kind.TERM and entry.id not in tied:
            id = entry.id.partition("/")[2]
            names = {rulebook.edition.language: (entry.title,)}
            made.append(
                Concept(
                    id,
                    rulebook.edition.game,
                    names,
                    {},
                    {},
                    (),
                    len(entry.title) < 4,
                    {rulebook.edition.id: (entry.heading,)},
                )
            )
            tied[entry.id] = id
    return (*known, *made), tied


_TokensByPassage = list[tuple[Passage, list[Token]]]


class _Collector:
    """Collects the renderings that ``rulebook`` has for each concept of its game."""

    def __init__(self, rulebook: RulebookView):
        self._concepts, self._tied = terms_of(rulebook)
        self._language = rulebook.edition.language
        headed = _headed(rulebook, self._tied)
        own = [concept for concept in self._concepts if self._language in concept.names]
        self.names = {
            c.id: (headed.get(c.id) or [strip_qualifier(c.names[self._language][0])])[0]
            for c in own
        }
        self._finder = NameFinder(self._concepts, self._language)
        self._official = {
            id: {self._finder.stems(_parts(name)) for name in (*headed.get(id, ()), called)}
            for id, called in self.names.items()
        }
        self._corrected = corrected_words(rulebook)
        self._found: dict[str, dict[tuple[RenderingKind, tuple[str, ...]], Rendering]] = (
            defaultdict(dict)
        )

    def add_texts(self, texts: _TokensByPassage) -> None:
        """Add the terms in running text."""
        meant = find_misread_names(texts, self._concepts, self._language)
        read = []
        for passage, tokens in texts:
            corrected = [
                _corrected_token(passage, token, meant, self._corrected) for token in tokens
            ]
            uses = self._finder.find(corrected)
            read.append((passage, corrected, uses))
            for use in uses:
                self._add_use(
                    passage, tokens[use.first : use.last], corrected[use.first : use.last], use
                )
        for concept, form, line in find_mixed_up_words(read, self._language):
            self._count(
                concept, RenderingKind.MIXED_UP, (form.casefold(),), form, line
            ).meant = self.names[concept]

    def _add_use(
        self, passage: Passage, printed: Sequence[Token], corrected: Sequence[Token], use: NameUse
    ) -> None:
        """Add a term that is ``printed`` in ``passage`` and whose correct form is ``corrected``."""
        form, line = (
            _printed_form(passage.text, printed[0].start, printed[-1].end),
            line_at(passage, printed[0].start),
        )
        stems = self._finder.stems(token.text for token in printed)
        is_slip = any(
            a.text.casefold() != b.text.casefold() for a, b in zip(printed, corrected, strict=True)
        )
        for concept, _ in use.concepts:
            rendering = self._count(
                concept,
                RenderingKind.SLIP if is_slip else self._kind(concept, stems),
                stems,
                form,
                line,
            )
            rendering.shared |= {other for other, _ in use.concepts} - {concept}
            if is_slip:
                rendering.meant = " ".join(token.text for token in corrected)
                if any(line in self._corrected.get(token.text, ()) for token in printed):
                    rendering.corrected_lines.add(line)

    def add_references(self, references: Iterable[Reference]) -> None:
        """Add the names that ``references`` use for their targets."""
        for reference in references:
            if (concept := self._tied.get(reference.target or "")) in self.names:
                stems = self._finder.stems(_parts(reference.raw))
                self._count(concept, RenderingKind.REFERENCE, stems, reference.raw, reference.line)

    def _count(
        self, concept: str, kind: RenderingKind, stems: tuple[str, ...], form: str, line: int
    ) -> Rendering:
        """Count an occurrence of ``concept`` under the name ``form``."""
        rendering = self._found[concept].setdefault((kind, stems), Rendering(kind))
        rendering.forms[form] += 1
        rendering.lines.append(line)
        return rendering

    def _kind(self, concept: str, stems: tuple[str, ...]) -> RenderingKind:
        """Return how words with these stems relate to the headings of the concept."""
        return (
            RenderingKind.NAME if stems in self._official.get(concept, ()) else RenderingKind.OTHER
        )

    def by_concept(self) -> dict[str, tuple[Rendering, ...]]:
        """Return the renderings of each concept, most frequent first."""
        found = self._found
        return {
            c.id: tuple(sorted(found[c.id].values(), key=lambda r: (-r.count, r.form)))
            for c in self._concepts
            if c.id in found
        }


def collect_renderings(
    rulebook: RulebookView, references: Iterable[Reference] = ()
) -> EditionRenderings:
    """Return every form in which ``rulebook`` names a concept of its game: in running text, and in
    ``references``, those of the rulebook.

    A word that the edition's corrections change counts as a typo of the correct one. Empty if the
    language of the edition is unknown.
    """
    if rulebook.edition.language not in LANGUAGES:
        return EditionRenderings(rulebook.edition.id, {}, {})
    collector = _Collector(rulebook)
    passages = [passage for passage in rulebook.passages if passage.role in (Role.TEXT, Role.VOID)]
    collector.add_texts([(passage, normalization.tokenize(passage.text)) for passage in passages])
    collector.add_references(references)
    return EditionRenderings(rulebook.edition.id, collector.names, collector.by_concept())


def _corrected_token(
    passage: Passage,
    token: Token,
    meant: Mapping[str, str],
    corrected: Mapping[str, Mapping[int, str]],
) -> Token:
    """Return ``token`` as it should be printed."""
    if token.text in corrected and (
        right := corrected[token.text].get(line_at(passage, token.start))
    ):
        return Token(right, token.start, token.end)
    right = meant.get(token.text.casefold())
    return token if right is None else Token(right, token.start, token.end)


def _headed(rulebook: RulebookView, tied: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the headings of the entries of each concept, entries with text first; "A, B (C)" gives
    "A, B", A and B.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for entry in sorted(rulebook.entries, key=lambda e: e.kind is Kind.REDIRECT):
        if entry.id in tied:
            whole = _NUMBER.sub("", strip_qualifier(entry.title))
            found[tied[entry.id]] += [
                whole,
                *(part for part in _SEVERAL.split(whole) if part),
                _NUMBER.sub("", entry.title),
            ]
    return found


def _printed_form(text: str, start: int, end: int) -> str:
    """Return the printed form, extended to the closing bracket if it has an opening one."""
    form = text[start:end].replace("*", "")
    return (
        form + ")"
        if form.count("(") > form.count(")") and text[end : end + 2].strip('"”“*').startswith(")")
        else form
    )


def _parts(name: str) -> list[str]:
    return [word.text for word in normalization.tokenize(name)]
