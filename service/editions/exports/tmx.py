"""Translation memories (TMX 1.4b, LISA OSCAR, 26 April 2005) of the sentences of two editions, and
of the names of terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import chain
from typing import Any

from lxml import etree

from corpus.languages import get_language
from corpus.model import Edition, Passage
from glossary.comparison import DifferenceKind, EditionComparison
from glossary.comparison.model import AlignedPassages, Doubt, Segment, segment_id
from glossary.comparison.segments import whole_paragraphs
from glossary.comparison.sentence_text import Sentence
from glossary.terms.term_list import TermKind, TermList
from index.library.library import Library
from service.answers.citations import citation_label, edition_name
from service.core.displayed import repairs
from service.core.i18n import N_, TranslatableText
from service.editions.exports.formats import ExportOptions, NothingToExport, strip_unprintable
from service.editions.exports.tbx import LANG, preferred_name, terms_with_ids

ANY_LANGUAGE = "*all*"  # TMX: every language may be the source
_Place = tuple[str, int, int]  # of a sentence: passage, paragraph, number in the paragraph
_ONE_LANGUAGE = N_(
    "%(left)s and %(right)s are in one language, and a translation memory holds translations; "
    "html, xlsx and csv show what changed between versions"
)
_WORDS_BEFORE = re.compile(r"(?:\S+ )?\S* ?$")
_WORDS_BEHIND = re.compile(r" ?\S*(?: \S+)?")
_TWICE = re.compile(r"\b([^\W\d_]{3,}+) \1\b(?![-'’])")
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


@dataclass(frozen=True, slots=True)
class MemoryUnit:
    """A translation unit: a segment, or those of a paragraph, in entries about ``concept``;
    ``occurrences`` counts units with the same texts.
    """

    segments: tuple[Segment, ...]
    concept: str | None
    occurrences: int = 1

    def sentences(self, side: int) -> list[Sentence]:
        """Return the sentences of the left (0) or right (1) ``side``."""
        return list(chain.from_iterable((each.left, each.right)[side] for each in self.segments))

    @property
    def texts(self) -> tuple[str, str]:
        """The text of each side."""
        lefts, rights = zip(*(segment.texts for segment in self.segments), strict=True)
        return " ".join(filter(None, lefts)), " ".join(filter(None, rights))

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """The reasons why it may be no true translation."""
        return tuple(dict.fromkeys(doubt for segment in self.segments for doubt in segment.doubts))


def memory_units(comparison: EditionComparison, doubtful: bool = False) -> list[MemoryUnit]:
    """Return the units of a translation memory, sentences before the paragraphs that they form. Of
    units with the same texts only the first is included; doubtful units only with ``doubtful``.
    """
    found: dict[tuple[str, str], MemoryUnit] = {}
    for pair in comparison.pairs:
        runs = (run for row in pair.rows for run in _runs(row))
        for unit in (MemoryUnit(run, pair.concept) for run in runs):
            if all(unit.texts) and (doubtful or not unit.doubts):
                before = found.get(unit.texts)
                again = replace(before, occurrences=before.occurrences + 1) if before else unit
                found[unit.texts] = again
    return list(found.values())


def _runs(row: AlignedPassages) -> Iterator[tuple[Segment, ...]]:
    """Yield the segments of ``row`` one by one, and after the last of a paragraph all of its
    segments together.
    """
    paragraphs = {run[-1].id: run for run in whole_paragraphs(row)}
    for segment in row.segments:
        yield (segment,)
        if segment.id in paragraphs:
            yield paragraphs[segment.id]


class _SourceVariants:
    """Finds sentences of the source edition, as the third language of units; none if its language
    is one of the other two, since a unit has each language once.
    """

    def __init__(self, comparison: EditionComparison):
        source = comparison.source
        self.edition: Edition | None = None
        self._sides: list[Mapping[_Place, Segment]] = []
        if source and source.language not in (comparison.left.language, comparison.right.language):
            self.edition = source
            for side in comparison.source_sides:
                self._sides.append(
                    {_place(s): segment for segment in side.segments for s in segment.left}
                )

    def of(self, unit: MemoryUnit) -> tuple[tuple[Passage, ...], str] | None:
        """Return the passages and the text of the source for ``unit``; None unless both sides are
        surely aligned with the same source sentences.
        """
        found = [
            _source_segments(own, unit.sentences(side)) for side, own in enumerate(self._sides)
        ]
        places = [[_place(s) for segment in each for s in segment.right] for each in found]
        if not places or not places[0] or places[0] != places[1]:
            return None
        passages = {s.passage.id: s.passage for segment in found[0] for s in segment.right}
        return tuple(passages.values()), " ".join(segment.texts[1] for segment in found[0])


def _source_segments(own: Mapping[_Place, Segment], sentences: Sequence[Sentence]) -> list[Segment]:
    """Return the segments in which ``sentences`` are aligned with the source; none if one is
    doubtful or contains further sentences.
    """
    places = set(map(_place, sentences))
    found = {segment.id: segment for place in map(_place, sentences) if (segment := own.get(place))}
    faced = {_place(sentence) for segment in found.values() for sentence in segment.left}
    sure = all(segment.aligned and not segment.doubtful for segment in found.values())
    return list(found.values()) if sure and faced == places else []


def _place(sentence: Sentence) -> _Place:
    return sentence.passage.id, sentence.paragraph, sentence.number


def check_translation(left: Edition, right: Edition) -> None:
    """Raise `NothingToExport` if ``left`` and ``right`` are in one language.

    Most tools refuse units with two variants in one language, and others would propose them as
    translations in every project.
    """
    if left.language == right.language:
        raise NothingToExport(TranslatableText(_ONE_LANGUAGE, {"left": left.id, "right": right.id}))


def comparison_tmx(
    comparison: EditionComparison, library: Library, options: ExportOptions
) -> bytes:
    """Return a translation memory with one unit for each sentence that both editions have, and one
    for each paragraph of several.

    ``tuid`` is derived from the places of the sentences, so it is stable as long as the rulebooks
    are. A source edition in a third language is a third variant if `_SourceVariants` finds one;
    then any language may be the source. Raises what `check_translation` raises.
    """
    left, right = comparison.left, comparison.right
    check_translation(left, right)
    sources = _SourceVariants(comparison)
    editions = (left, right, sources.edition)
    notes = [f"{edition.id}: {edition_name(edition)}" for edition in editions if edition]
    language = ANY_LANGUAGE if sources.edition else options.tag(left.language)
    root = _new_memory(left.game, language, "sentence", notes)
    body = etree.SubElement(root, "body")
    for unit in memory_units(comparison, options.doubtful):
        element = _add_unit(body, unit)
        for side, edition in enumerate((left, right)):
            passages = {p.id: p for segment in unit.segments for p in segment.passages[side]}
            text = unit.texts[side]
            if not options.as_printed:
                text = _as_meant(library, unit.sentences(side), text)
            _add_variant(element, edition, passages.values(), text, library, options)
        if sources.edition and (found := sources.of(unit)):
            _add_variant(element, sources.edition, *found, library, options)
    return _memory_file(root)


def _as_meant(library: Library, sentences: Sequence[Sentence], text: str) -> str:
    """Return the ``text`` of ``sentences`` with the known misprints corrected."""
    for passage in {sentence.passage.id: sentence.passage for sentence in sentences}.values():
        display = passage.display
        for (start, end), meant in repairs(library, passage):
            # Words around it tell the place: "1" alone may occur often.
            left, right = _WORDS_BEFORE.search(display[:start]), _WORDS_BEHIND.match(display[end:])
            before, behind = left.group() if left else "", right.group() if right else ""
            for around in ((before, behind), (before, ""), ("", behind)):
                printed = " ".join(f"{around[0]}{display[start:end]}{around[1]}".split())
                if any(around) and text.count(printed) == 1:
                    mended = " ".join(f"{around[0]}{meant}{around[1]}".split())
                    text = text.replace(printed, mended)
                    break
    return text


def _doubled_words(text: str, language: str) -> list[str]:
    """Return words that are repeated in ``text`` ("the the"), nearly always a typo."""
    repeatable = get_language(language).sentences.repeatable
    return [
        match.group() for match in _TWICE.finditer(text) if match[1].casefold() not in repeatable
    ]


def _add_unit(body: Any, unit: MemoryUnit) -> Any:
    sides = unit.sentences(0), unit.sentences(1)
    element = etree.SubElement(body, "tu", {"tuid": segment_id(*sides)})
    if len(unit.segments) > 1:
        element.set("segtype", "paragraph")
    for note in _notes(unit):
        etree.SubElement(element, "note").text = strip_unprintable(note)
    # A unit is as surely a true translation as the least sure of its segments.
    _add_property(element, "x-score", f"{min(segment.score for segment in unit.segments):.3f}")
    for doubt in unit.doubts:
        _add_property(element, "x-doubt", doubt)
    if unit.concept:
        _add_property(element, "x-concept", unit.concept)
    if (counts := f"{len(sides[0])}:{len(sides[1])}") != "1:1":
        _add_property(element, "x-sentences", counts)
    if unit.occurrences > 1:
        _add_property(element, "x-occurrences", str(unit.occurrences))
    return element


def _notes(unit: MemoryUnit) -> Iterator[str]:
    """Yield notes on what a translator should check."""
    if unit.doubts:
        yield f"May be no true translation: {', '.join(_WHY[doubt] for doubt in unit.doubts)}."
    found: dict[tuple[DifferenceKind, bool], tuple[list[str], list[str]]] = {}
    for difference in (d for segment in unit.segments for d in segment.differences):
        sides = found.setdefault((difference.kind, difference.doubtful), ([], []))
        sides[0].extend(difference.left)
        sides[1].extend(difference.right)
    for (kind, doubtful), sides in found.items():
        left, right = (", ".join(dict.fromkeys(side)) or "–" for side in sides)
        yield f"{kind.capitalize()} {'may differ' if doubtful else 'differ'}: {left} | {right}"


def _add_variant(
    unit: Any,
    edition: Edition,
    passages: Iterable[Passage],
    text: str,
    library: Library,
    options: ExportOptions,
) -> None:
    variant = etree.SubElement(unit, "tuv", {LANG: options.tag(edition.language)})
    _add_property(variant, "x-edition", edition.id)
    if edition.effective:
        _add_property(variant, "x-effective", edition.effective)
    passages = list(passages)
    for entry in (library.entry[id] for id in dict.fromkeys(p.entry for p in passages)):
        _add_property(variant, "x-entry", entry.id)
        _add_property(variant, "x-heading", entry.heading)
        if entry.number:
            _add_property(variant, "x-number", entry.number)
    for passage in passages:
        _add_property(variant, "x-lines", "-".join(map(str, dict.fromkeys(passage.lines))))
        _add_property(variant, "x-citation", citation_label(library, passage))
    for twice in _doubled_words(text, edition.language):
        _add_property(variant, "x-typo", twice)
    etree.SubElement(variant, "seg").text = strip_unprintable(text)


def terms_tmx(terms: TermList, options: ExportOptions) -> bytes:
    """Return a translation memory with one unit for each term that has an official name in two
    languages or more; ``tuid`` is its id in TBX. Raises `NothingToExport`.
    """
    notes = [f"{each.id}: {each.full_title} ({each.language})" for each in terms.editions]
    root = _new_memory(terms.game, ANY_LANGUAGE, "phrase", notes)
    body = etree.SubElement(root, "body")
    for id, term in terms_with_ids(terms):
        spoken = sorted(term.wordings, key=terms.languages.index)
        names = {language: name for language in spoken if (name := preferred_name(term, language))}
        if len(names) < 2:
            continue
        unit = etree.SubElement(body, "tu", {"tuid": id})
        if term.kind is not TermKind.RULES:
            _add_property(unit, "x-sort", term.kind)
        for card in term.cards:
            _add_property(unit, "x-card", card)
        for language, name in names.items():
            variant = etree.SubElement(unit, "tuv", {LANG: options.tag(language)})
            etree.SubElement(variant, "seg").text = name
    if not len(body):
        raise NothingToExport(
            TranslatableText(N_("%(game)s has no terms in two languages"), {"game": terms.game})
        )
    return _memory_file(root)


def _new_memory(game: str, source_language: str, segments: str, notes: Iterable[str]) -> Any:
    """Return the root of a translation memory with its header; ``segments`` says what its units
    are, "sentence" or "phrase".
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
    _add_property(header, "x-game", game)
    return root


def _add_property(parent: Any, type: str, text: str) -> None:
    etree.SubElement(parent, "prop", {"type": type}).text = strip_unprintable(text)


def _memory_file(root: Any) -> bytes:
    written: bytes = etree.tostring(
        root, encoding="UTF-8", xml_declaration=True, pretty_print=True, doctype=_DOCTYPE
    )
    return written
