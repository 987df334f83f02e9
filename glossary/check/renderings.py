"""What a book calls each of its terms in running text: every form with its lines, misread and misspelt ones with them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from corpus.languages import LANGUAGES, any_of
from corpus.model import Kind, Passage, Role
from glossary import normalization
from glossary.aliases import strip_qualifier
from glossary.check import slips
from glossary.concepts import Concept, load_concepts, tie_entries
from glossary.model import Reference, RulebookView
from glossary.name_finder import NameFinder
from glossary.normalization import Token

_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVX]+\.|\w\.\))\s+")
_SEVERAL = re.compile(rf"\s*[,/]\s*|\s+{any_of('sentences.conjunctions')}\s+")


class RenderingKind(StrEnum):
    """How a form of a term fits what the term is called."""

    NAME = "name"  # its name as headed, or an inflected form of it
    OTHER = "other"  # another name that is kept for it
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


def terms_of(book: RulebookView) -> tuple[tuple[Concept, ...], Mapping[str, str]]:
    """The concepts of the game, one more for each entry of a glossary that has none, and the concept of each entry."""
    known = load_concepts(book.edition.game)
    tied = dict(tie_entries(known, [book]).by_entry)
    made = []
    for entry in book.entries:
        if entry.kind is Kind.TERM and entry.id not in tied:
            id = entry.id.partition("/")[2]
            names = {book.edition.language: (entry.title,)}
            made.append(Concept(id, book.edition.game, names, {}, {}, (), len(entry.title) < 4, {book.edition.id: (entry.heading,)}))
            tied[entry.id] = id
    return (*known, *made), tied


class _Collector:
    """Puts together what one edition calls each concept."""

    def __init__(self, vocabulary: NameFinder, official: Mapping[str, set[tuple[str, ...]]]):
        self.vocabulary = vocabulary
        self.official = official
        self.found: dict[str, dict[tuple[RenderingKind, tuple[str, ...]], Rendering]] = defaultdict(dict)

    def rendering(self, concept: str, how: RenderingKind, stems: tuple[str, ...], form: str, line: int) -> Rendering:
        """Counts one more place where ``concept`` is called ``form``."""
        found = self.found[concept].setdefault((how, stems), Rendering(how))
        found.forms[form] += 1
        found.lines.append(line)
        return found

    def how(self, concept: str, stems: tuple[str, ...]) -> RenderingKind:
        """Whether words with these stems are what the concept is headed."""
        return RenderingKind.NAME if stems in self.official.get(concept, ()) else RenderingKind.OTHER


def collect_renderings(book: RulebookView, references: Iterable[Reference] = ()) -> EditionRenderings:
    """Every form in which ``book`` mentions a concept of its game: in its running text, and in ``references``, which are its own.

    A word that the edition's corrections put right counts as a slip of what is meant.
    """
    known, tied = terms_of(book)
    language = book.edition.language
    if language not in LANGUAGES:
        return EditionRenderings(book.edition.id, {}, {})
    headed = _headed(book, tied)
    names = {c.id: (headed.get(c.id) or [strip_qualifier(c.names[language][0])])[0] for c in known if language in c.names}
    vocabulary = NameFinder(known, language)
    official = {id: {vocabulary.stems(_parts(name)) for name in (*headed.get(id, ()), called)} for id, called in names.items()}
    collector = _Collector(vocabulary, official)
    texts = [(passage, normalization.tokenize(passage.text)) for passage in book.passages if passage.role in (Role.TEXT, Role.VOID)]
    meant, corrected = slips.slips(texts, known, language), slips.corrected(book)
    read = []
    for passage, tokens in texts:
        right = [_corrected_token(passage, token, meant, corrected) for token in tokens]
        uses = vocabulary.find(right)
        read.append((passage, right, uses))
        for use in uses:
            printed, whole = tokens[use.first : use.last], right[use.first : use.last]
            form, line = _printed_form(passage.text, printed[0].start, printed[-1].end), slips.line_at(passage, printed[0].start)
            stems = vocabulary.stems(token.text for token in printed)
            slipped = any(a.text.casefold() != b.text.casefold() for a, b in zip(printed, whole, strict=True))
            for concept, _ in use.concepts:
                rendering = collector.rendering(
                    concept, RenderingKind.SLIP if slipped else collector.how(concept, stems), stems, form, line
                )
                rendering.shared |= {other for other, _ in use.concepts} - {concept}
                if slipped:
                    rendering.meant = " ".join(token.text for token in whole)
                    if any(line in corrected.get(token.text, ()) for token in printed):
                        rendering.corrected_lines.add(line)
    for concept, form, line in slips.mixed_up(read, language):
        collector.rendering(concept, RenderingKind.MIXED_UP, (form.casefold(),), form, line).meant = names[concept]
    for reference in references:
        if (meaning := tied.get(reference.target or "")) in names:
            stems = vocabulary.stems(_parts(reference.raw))
            collector.rendering(meaning, RenderingKind.REFERENCE, stems, reference.raw, reference.line)
    found = collector.found
    ordered = {c.id: tuple(sorted(found[c.id].values(), key=lambda r: (-r.count, r.form))) for c in known if c.id in found}
    return EditionRenderings(book.edition.id, names, ordered)


def _corrected_token(passage: Passage, token: Token, meant: Mapping[str, str], corrected: Mapping[str, Mapping[int, str]]) -> Token:
    """``token`` as it should be printed."""
    if token.text in corrected and (right := corrected[token.text].get(slips.line_at(passage, token.start))):
        return Token(right, token.start, token.end)
    right = meant.get(token.text.casefold())
    return token if right is None else Token(right, token.start, token.end)


def _headed(book: RulebookView, tied: Mapping[str, str]) -> dict[str, list[str]]:
    """What the entries of each concept are headed, the one with a text first; "A, B (C)" is "A, B", A and B."""
    found: dict[str, list[str]] = defaultdict(list)
    for entry in sorted(book.entries, key=lambda e: e.kind is Kind.REDIRECT):
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
