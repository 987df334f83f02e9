"""Translation memories (TMX 1.4b, LISA OSCAR, 26 April 2005): of the sentences of two editions, and
of the names of terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, NamedTuple

from lxml import etree

from corpus.model import Edition, Passage
from glossary.comparison import DifferenceKind, EditionComparison
from glossary.comparison.segments import (
    Doubt,
    Segment,
    Sentence,
    align_segments,
    segment_id,
    segments_of,
    whole_paragraphs,
)
from glossary.concepts import load_concepts
from glossary.terms.term_list import TermKind, TermList
from index.library.library import Library
from service.answers.citations import citation_label, edition_name
from service.core.i18n import N_, TranslatableText
from service.editions.exports.formats import ExportOptions, NothingToExport, strip_unprintable
from service.editions.exports.tbx import preferred_name, terms_with_ids

_Place = tuple[
    str, int, int
]  # of a sentence: its passage, the number of its paragraph in it, its number in that
ANY_LANGUAGE = "*all*"  # as TMX has it: every language may be the source
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_ONE_LANGUAGE = N_(
    "%(left)s and %(right)s are in one language, and a translation memory holds translations; html, xlsx and csv show what changed "
    "between versions"
)
_DOCTYPE = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'
_WHY = {
    Doubt.WORDS: "words of one side have nothing in the other",
    Doubt.LENGTH: "one side says more",
    Doubt.NUMBERS: "the numbers differ",
    Doubt.DENIALS: "only one side denies",
    Doubt.SIGNS: "brackets, commas or full stops differ",
    Doubt.TERMS: "the terms differ",
    Doubt.JOINED: "several sentences face one",
    Doubt.ROW: "sentences around it have no counterpart",
    Doubt.ONE_SIDED: "only one side has it",
}


class SourceVariant(NamedTuple):
    """A text of the source edition, and the passages that it stands in."""

    text: str
    passages: tuple[Passage, ...]


class SourceVariants:
    """The variants in the language of the source edition of ``comparison``.

    ``edition`` is that edition; None where there is none, or one in a language of the other two: a
    unit has each language once.
    """

    def __init__(self, comparison: EditionComparison):
        source = comparison.source
        self.edition: Edition | None = None
        self._sides: list[Mapping[_Place, Segment]] = []
        if source and source.language not in (comparison.left.language, comparison.right.language):
            self.edition = source
            concepts = load_concepts(source.game)
            self._sides = [
                (
                    {
                        _place(sentence): segment
                        for segment in align_segments(side, concepts)
                        for sentence in segment.left
                    }
                )
                for side in comparison.source_sides
            ]

    def of(self, segments: Sequence[Segment]) -> SourceVariant | None:
        """Return what the source says for ``segments``, None unless both translations surely render
        the same sentences of it.
        """
        sentences = [
            [sentence for segment in segments for sentence in (segment.left, segment.right)[side]]
            for side in (0, 1)
        ]
        found = [
            _source_segments(side, own) for side, own in zip(self._sides, sentences, strict=True)
        ]
        places = [
            [_place(sentence) for segment in each for sentence in segment.right] for each in found
        ]
        if not places[0] or places[0] != places[1]:
            return None
        passages = {
            sentence.passage.id: sentence.passage
            for segment in found[0]
            for sentence in segment.right
        }
        return SourceVariant(
            " ".join(segment.texts[1] for segment in found[0]), tuple(passages.values())
        )


def _source_segments(
    side: Mapping[_Place, Segment], sentences: Sequence[Sentence]
) -> list[Segment]:
    """Return the segments in which ``sentences`` face the source; none where one is in doubt or
    holds more than these sentences.
    """
    found = {
        segment.id: segment for sentence in sentences if (segment := side.get(_place(sentence)))
    }
    faced = {_place(sentence) for segment in found.values() for sentence in segment.left}
    sure = all(segment.aligned and not segment.doubtful for segment in found.values())
    return list(found.values()) if sure and faced == set(map(_place, sentences)) else []


def _place(sentence: Sentence) -> _Place:
    return sentence.passage.id, sentence.paragraph, sentence.number


@dataclass(frozen=True, slots=True)
class MemoryUnit:
    """A unit of a translation memory: a segment, or the segments of a whole paragraph.
    ``occurrences`` counts others of the same texts.
    """

    segments: tuple[Segment, ...]
    occurrences: int = 1

    @property
    def texts(self) -> tuple[str, str]:
        """What each side says."""
        left, right = (
            " ".join(filter(None, (segment.texts[side] for segment in self.segments)))
            for side in (0, 1)
        )
        return left, right

    @property
    def id(self) -> str:
        """A name that no other unit has, made of the places of its sentences."""
        return segment_id(
            *(
                [
                    sentence
                    for segment in self.segments
                    for sentence in (segment.left, segment.right)[side]
                ]
                for side in (0, 1)
            )
        )

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Why it may be no true translation."""
        return tuple(dict.fromkeys(doubt for segment in self.segments for doubt in segment.doubts))

    @property
    def score(self) -> float:
        """How surely it is a true translation, from 0 to 1: as surely as the least sure of its
        segments.
        """
        return min(segment.score for segment in self.segments)


def comparison_tmx(
    comparison: EditionComparison, library: Library, options: ExportOptions
) -> bytes:
    """Return a translation memory with one unit for each sentence that both editions have, and one
    for each paragraph of several.

    A unit may have several sentences of one side that the other says in one. Those that may be no
    true translation are left out unless ``doubtful`` ones are wanted too. ``tuid`` is made of the
    ids of the passages and the numbers of paragraphs and sentences in them, so it stays the same as
    long as the rulebooks do. A source edition in a third language is a third variant of the units
    that `SourceVariants` finds it for; then any language may be the source. Raises what
    `check_translation` raises.
    """
    check_translation(comparison.left, comparison.right)
    left, right = comparison.left, comparison.right
    sources = SourceVariants(comparison)
    notes = [
        f"{edition.id}: {edition_name(edition)}"
        for edition in (left, right, sources.edition)
        if edition
    ]
    root = new_memory(
        left.game,
        ANY_LANGUAGE if sources.edition else options.tag(left.language),
        "sentence",
        notes,
    )
    body = etree.SubElement(root, "body")
    for unit in memory_units(segments_of(comparison), options.doubtful):
        element = _add_unit(body, comparison, unit, library, options)
        if sources.edition and (found := sources.of(unit.segments)):
            _add_variant(element, sources.edition, found.passages, found.text, library, options)
    return memory_file(root)


def memory_units(segments: Sequence[Segment], doubtful: bool = False) -> list[MemoryUnit]:
    """Return the units of a translation memory, in order: of the same texts only the first one, and
    only with ``doubtful`` those in doubt.

    Sentences come before the paragraphs that they make up.
    """
    paragraphs = {run[-1].id: run for run in whole_paragraphs(segments)}
    found: dict[tuple[str, str], MemoryUnit] = {}
    for segment in segments:
        for run in ((segment,), paragraphs.get(segment.id, ())):
            unit = MemoryUnit(run)
            if not all(unit.texts) or (unit.doubts and not doubtful):
                continue
            before = found.get(unit.texts)
            found[unit.texts] = (
                replace(before, occurrences=before.occurrences + 1) if before else unit
            )
    return list(found.values())


def check_translation(left: Edition, right: Edition) -> None:
    """Raise `NothingToExport` where ``left`` and ``right`` are in one language.

    Most tools refuse units with two variants in one language, and others would propose them as
    translations in every project.
    """
    if left.language == right.language:
        raise NothingToExport(TranslatableText(_ONE_LANGUAGE, {"left": left.id, "right": right.id}))


def new_memory(game: str, source_language: str, segments: str, notes: Iterable[str]) -> Any:
    """Return the root of a translation memory with its header; ``segments`` says what its units
    are, "paragraph" or "phrase".
    """
    root = etree.Element("tmx", {"version": "1.4"})
    attributes = {
        "creationtool": "Regula",
        "creationtoolversion": version("regula"),
        "segtype": segments,
        "o-tmf": "Regula",
        "adminlang": "en",
        "srclang": source_language,
        "datatype": "plaintext",
    }
    header = etree.SubElement(root, "header", attributes)
    for note in notes:
        etree.SubElement(header, "note").text = strip_unprintable(note)
    add_property(header, "x-game", game)
    return root


def memory_file(root: Any) -> bytes:
    """Return a translation memory as a file."""
    written: bytes = etree.tostring(
        root, encoding="UTF-8", xml_declaration=True, pretty_print=True, doctype=_DOCTYPE
    )
    return written


def _add_unit(
    body: Any,
    comparison: EditionComparison,
    unit: MemoryUnit,
    library: Library,
    options: ExportOptions,
) -> Any:
    first = unit.segments[0]
    element = etree.SubElement(body, "tu", {"tuid": unit.id})
    if len(unit.segments) > 1:
        element.set("segtype", "paragraph")
    for note in _notes(unit):
        etree.SubElement(element, "note").text = strip_unprintable(note)
    add_property(element, "x-score", f"{unit.score:.3f}")
    for doubt in unit.doubts:
        add_property(element, "x-doubt", doubt)
    if first.pair.concept:
        add_property(element, "x-concept", first.pair.concept)
    counts = [
        sum(len(side) for side in sides)
        for sides in zip(*((s.left, s.right) for s in unit.segments), strict=True)
    ]
    if counts != [1, 1]:
        add_property(element, "x-sentences", f"{counts[0]}:{counts[1]}")
    if unit.occurrences > 1:
        add_property(element, "x-occurrences", str(unit.occurrences))
    for side, edition in enumerate((comparison.left, comparison.right)):
        passages = tuple(
            {p.id: p for segment in unit.segments for p in segment.passages[side]}.values()
        )
        _add_variant(element, edition, passages, unit.texts[side], library, options)
    return element


def _notes(unit: MemoryUnit) -> Iterator[str]:
    """Yield what a translator should look at."""
    if unit.doubts:
        yield f"May be no true translation: {', '.join(_WHY[doubt] for doubt in unit.doubts)}."
    found: dict[tuple[DifferenceKind, bool], tuple[list[str], list[str]]] = {}
    for difference in (d for segment in unit.segments for d in segment.differences):
        sides = found.setdefault((difference.kind, difference.doubtful), ([], []))
        sides[0].extend(difference.left)
        sides[1].extend(difference.right)
    for (kind, doubtful), sides in found.items():
        left, right = (", ".join(dict.fromkeys(side)) or "–" for side in sides)
        yield f"{kind.value.capitalize()} {'may differ' if doubtful else 'differ'}: {left} | {right}"


def _add_variant(
    unit: Any,
    edition: Edition,
    passages: Sequence[Passage],
    text: str,
    library: Library,
    options: ExportOptions,
) -> None:
    variant = etree.SubElement(unit, "tuv", {LANG: options.tag(edition.language)})
    add_property(variant, "x-edition", edition.id)
    if edition.effective:
        add_property(variant, "x-effective", edition.effective)
    for entry in (library.entry[id] for id in dict.fromkeys(p.entry for p in passages)):
        add_property(variant, "x-entry", entry.id)
        add_property(variant, "x-heading", entry.heading)
        if entry.number:
            add_property(variant, "x-number", entry.number)
    for passage in passages:
        add_property(variant, "x-lines", "-".join(map(str, dict.fromkeys(passage.lines))))
        add_property(variant, "x-citation", citation_label(library, passage))
    etree.SubElement(variant, "seg").text = strip_unprintable(text)


def add_property(parent: Any, type: str, text: str) -> None:
    """Add a property of ``type`` to a header, a unit or a variant."""
    etree.SubElement(parent, "prop", {"type": type}).text = strip_unprintable(text)


def terms_tmx(terms: TermList, options: ExportOptions) -> bytes:
    """Return a translation memory with one unit for each term that has an official name in two
    languages or more.

    ``tuid`` is the id that the term has as TBX. Raises `NothingToExport` where no term has such
    names.
    """
    notes = [
        f"{edition.id}: {edition.full_title} ({edition.language})" for edition in terms.editions
    ]
    root = new_memory(terms.game, ANY_LANGUAGE, "phrase", notes)
    body = etree.SubElement(root, "body")
    for id, term in terms_with_ids(terms):
        spoken = sorted(term.wordings, key=terms.languages.index)
        names = {language: name for language in spoken if (name := preferred_name(term, language))}
        if len(names) < 2:
            continue
        unit = etree.SubElement(body, "tu", {"tuid": id})
        if term.kind is not TermKind.RULES:
            add_property(unit, "x-sort", term.kind)
        for card in term.cards:
            add_property(unit, "x-card", card)
        for language, name in names.items():
            etree.SubElement(
                etree.SubElement(unit, "tuv", {LANG: options.tag(language)}), "seg"
            ).text = name
    if not len(body):
        raise NothingToExport(
            TranslatableText(N_("%(game)s has no terms in two languages"), {"game": terms.game})
        )
    return memory_file(root)
