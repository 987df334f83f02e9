"""What a book calls each of its terms in running text: every form with its lines, misread and misspelt ones with them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from corpus.languages import LANGUAGES, any_of
from corpus.model import Kind, Passage, Role
from glossary import normalization
from glossary.aliases import strip_qualifier
from glossary.check import slips
from glossary.concepts import Concept, load_concepts, tie_entries
from glossary.model import Reference, RulebookView
from glossary.name_finder import NameFinder, NameUse
from glossary.normalization import Token

_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVX]+\.|\w\.\))\s+")
_SEVERAL = re.compile(rf"(?:(?<!\s)\s+)?[,/]\s*|(?<!\s)\s+{any_of('sentences.conjunctions')}\s+")


class RenderingKind(StrEnum):
    """How a form of a term fits what the term is called."""

    NAME = "name"  # its name as headed, or an inflected form of it
    OTHER = "other"  # another of its names in the data file
    SLIP = "slip"  # a word that no dictionary has, a letter or two off
    REFERENCE = "reference"  # in a reference to one of its entries
    MIXED_UP = "mixed-up"  # another word of the language where the term must be meant


@dataclass
class Rendering:
    """One way to call a concept: the forms of the same stems and how often each stands there, and the lines where."""

    kind: RenderingKind
    forms: Counter[str] = field(default_factory=Counter)
    lines: list[int] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)  # concepts that are called so too
    meant: str | None = None  # what a slip is meant to be
    corrected_lines: set[int] = field(default_factory=set)  # lines where a correction of the edition says so

    @property
    def form(self) -> str:
        """The form printed most often."""
        return self.forms.most_common(1)[0][0]

    @property
    def count(self) -> int:
        """How often the concept is called so."""
        return len(self.lines)


@dataclass(frozen=True)
class EditionRenderings:
    """What one edition calls its concepts: by concept id its name there and its renderings, the commonest first."""

    edition: str
    names: Mapping[str, str]
    by_concept: Mapping[str, tuple[Rendering, ...]]


def terms_of(rulebook: RulebookView) -> tuple[tuple[Concept, ...], Mapping[str, str]]:
    """The concepts of the game, one more for each entry of a glossary that has none, and the concept of each entry."""
    known = load_concepts(rulebook.edition.game)
    tied = dict(tie_entries(known, [rulebook]).by_entry)
    made = []
    for entry in rulebook.entries:
        if entry.kind is Kind.TERM and entry.id not in tied:
            id = entry.id.partition("/")[2]
            names = {rulebook.edition.language: (entry.title,)}
            made.append(
                Concept(id, rulebook.edition.game, names, {}, {}, (), len(entry.title) < 4, {rulebook.edition.id: (entry.heading,)})
            )
            tied[entry.id] = id
    return (*known, *made), tied


_TokensByPassage = list[tuple[Passage, list[Token]]]


class _Collector:
    """Collects what ``rulebook`` calls each concept of its game."""

    def __init__(self, rulebook: RulebookView):
        self._concepts, self._tied = terms_of(rulebook)
        self._language = rulebook.edition.language
        headed = _headed(rulebook, self._tied)
        own = [concept for concept in self._concepts if self._language in concept.names]
        self.names = {c.id: (headed.get(c.id) or [strip_qualifier(c.names[self._language][0])])[0] for c in own}
        self._finder = NameFinder(self._concepts, self._language)
        self._official = {
            id: {self._finder.stems(_parts(name)) for name in (*headed.get(id, ()), called)} for id, called in self.names.items()
        }
        self._corrected = slips.corrected_words(rulebook)
        self._found: dict[str, dict[tuple[RenderingKind, tuple[str, ...]], Rendering]] = defaultdict(dict)

    def add_texts(self, texts: _TokensByPassage) -> None:
        """Add the terms in running text."""
        meant = slips.find_misread_names(texts, self._concepts, self._language)
        read = []
        for passage, tokens in texts:
            corrected = [_corrected_token(passage, token, meant, self._corrected) for token in tokens]
            uses = self._finder.find(corrected)
            read.append((passage, corrected, uses))
            for use in uses:
                self._add_use(passage, tokens[use.first : use.last], corrected[use.first : use.last], use)
        for concept, form, line in slips.find_mixed_up_words(read, self._language):
            self._count(concept, RenderingKind.MIXED_UP, (form.casefold(),), form, line).meant = self.names[concept]

    def _add_use(self, passage: Passage, printed: Sequence[Token], corrected: Sequence[Token], use: NameUse) -> None:
        """Add a term that is ``printed`` in ``passage`` and should be printed as ``corrected``."""
        form, line = _printed_form(passage.text, printed[0].start, printed[-1].end), slips.line_at(passage, printed[0].start)
        stems = self._finder.stems(token.text for token in printed)
        is_slip = any(a.text.casefold() != b.text.casefold() for a, b in zip(printed, corrected, strict=True))
        for concept, _ in use.concepts:
            rendering = self._count(concept, RenderingKind.SLIP if is_slip else self._kind(concept, stems), stems, form, line)
            rendering.shared |= {other for other, _ in use.concepts} - {concept}
            if is_slip:
                rendering.meant = " ".join(token.text for token in corrected)
                if any(line in self._corrected.get(token.text, ()) for token in printed):
                    rendering.corrected_lines.add(line)

    def add_references(self, references: Iterable[Reference]) -> None:
        """Add what ``references`` call the entries they lead to."""
        for reference in references:
            if (concept := self._tied.get(reference.target or "")) in self.names:
                stems = self._finder.stems(_parts(reference.raw))
                self._count(concept, RenderingKind.REFERENCE, stems, reference.raw, reference.line)

    def _count(self, concept: str, kind: RenderingKind, stems: tuple[str, ...], form: str, line: int) -> Rendering:
        """Count one more place where ``concept`` is called ``form``."""
        rendering = self._found[concept].setdefault((kind, stems), Rendering(kind))
        rendering.forms[form] += 1
        rendering.lines.append(line)
        return rendering

    def _kind(self, concept: str, stems: tuple[str, ...]) -> RenderingKind:
        """Whether words with these stems are what the concept is headed."""
        return RenderingKind.NAME if stems in self._official.get(concept, ()) else RenderingKind.OTHER

    def by_concept(self) -> dict[str, tuple[Rendering, ...]]:
        """The renderings of each concept, the commonest first."""
        found = self._found
        return {c.id: tuple(sorted(found[c.id].values(), key=lambda r: (-r.count, r.form))) for c in self._concepts if c.id in found}


def collect_renderings(rulebook: RulebookView, references: Iterable[Reference] = ()) -> EditionRenderings:
    """Every form in which ``rulebook`` mentions a concept of its game: in running text, and in ``references``, which are its own.

    A word that the edition's corrections put right counts as a slip of what is meant. Empty where the edition is in a language
    that is not known.
    """
    if rulebook.edition.language not in LANGUAGES:
        return EditionRenderings(rulebook.edition.id, {}, {})
    collector = _Collector(rulebook)
    passages = [passage for passage in rulebook.passages if passage.role in (Role.TEXT, Role.VOID)]
    collector.add_texts([(passage, normalization.tokenize(passage.text)) for passage in passages])
    collector.add_references(references)
    return EditionRenderings(rulebook.edition.id, collector.names, collector.by_concept())


def _corrected_token(passage: Passage, token: Token, meant: Mapping[str, str], corrected: Mapping[str, Mapping[int, str]]) -> Token:
    """``token`` as it should be printed."""
    if token.text in corrected and (right := corrected[token.text].get(slips.line_at(passage, token.start))):
        return Token(right, token.start, token.end)
    right = meant.get(token.text.casefold())
    return token if right is None else Token(right, token.start, token.end)


def _headed(rulebook: RulebookView, tied: Mapping[str, str]) -> dict[str, list[str]]:
    """What the entries of each concept are headed, the one with a text first; "A, B (C)" is "A, B", A and B."""
    found: dict[str, list[str]] = defaultdict(list)
    for entry in sorted(rulebook.entries, key=lambda e: e.kind is Kind.REDIRECT):
        if entry.id in tied:
            whole = _NUMBER.sub("", strip_qualifier(entry.title))
            found[tied[entry.id]] += [whole, *(part for part in _SEVERAL.split(whole) if part), _NUMBER.sub("", entry.title)]
    return found


def _printed_form(text: str, start: int, end: int) -> str:
    """What is printed there, with the bracket that closes one in it."""
    form = text[start:end].replace("*", "")
    return form + ")" if form.count("(") > form.count(")") and text[end : end + 2].strip('"”“*').startswith(")") else form


def _parts(name: str) -> list[str]:
    return [word.text for word in normalization.tokenize(name)]
