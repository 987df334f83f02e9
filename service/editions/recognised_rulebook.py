"""A rulebook that its owner is about to add, and the file that describes its edition."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path, PurePath
from typing import Any

import yaml

from corpus.anchors import anchors
from corpus.document import Document, Kept, UnreadableDocument
from corpus.edition_files import described_editions, kind_of_title
from corpus.editions import (
    edition_id,
    identify,
    predecessor,
    recognition_lines,
)
from corpus.formats import recognise_file, recognise_text
from corpus.languages import LANGUAGES, detect, get_language
from corpus.layouts import LAYOUTS
from corpus.model import Correction, DocumentKind, Edition, Entry, Passage, Role, Rulebook
from corpus.read import ReaderError, read
from corpus.similarity import compared_text, sketch
from corpus.title_page import title_of
from corpus.titles import slug
from glossary.model import Reference
from glossary.references import find
from index.building.version_lookup import applied_corrections
from service.editions.yaml_edits import inline

_WIDTH = 140
_HEAD = """\
# What 'regula add' recognised in {file}. Every value can be corrected here.
#   game       editions of one game are compared and searched together
#   language   {languages}
#   version    as printed; of two versions in one language, the higher one is the newer
#   effective  the day from which it holds; questions as of a day are answered from what held then
#   kind       rules, policy (of tournaments and penalties), or formats (what is legal in them)
#   layout     how it is read: {layouts}
#   document   SHA-256 of the file, by which it is known; sketch: hashes of its text, by which newer
#              versions of it are
"""
_TAIL = """\
# More that can be said, here for example:
# fallback: The Iron Rule       # heading of the rule for what no other rule settles
# names: {Device card: DEVICE}  # names that references use, with the headings they mean
# corrections:
#   - {line: 12, fault: furniture, printed: Page 3, why: a page number}
#   - {line: 40, fault: reference, printed: Ancor, meant: ANCHOR, why: misprint}
"""
SAMPLES = 10  # entries that are shown for looking at
_OUTLINE = 20  # entries of each level that are shown
_SAMPLE_LENGTH = 60  # characters of a sample's text
_UNSURE = 0.6  # a reading that is less sure than this is a doubt
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_LANGUAGE_OR_VERSION = re.compile(r"(?<![-_. ])[-_. ]+(?:v?\d[\w.]{0,60}|[a-z]{2})$", re.IGNORECASE)


def edition_draft(rulebook: Rulebook, exact: bool = False) -> str:
    """Return a YAML file that describes the edition of ``rulebook``, with what fits of the edition
    that it succeeds.

    It is recognised by the lines by which that one is; where there are none, or if ``exact``, by
    the hash of its document.
    """
    edition, document = rulebook.edition, rulebook.document
    recognise = list(recognition_lines(document, edition.succeeds or edition.id))
    rules = edition.kind is DocumentKind.RULES
    fields: dict[str, Any] = {
        "id": edition.id,
        "game": edition.game,
        "language": edition.language,
        "version": edition.version,
        "title": edition.title,
        "effective": date.fromisoformat(edition.effective) if edition.effective else None,
        "kind": None if rules else edition.kind.value,
        "layout": edition.layout,
        "recognise": recognise,
        "document": document.sha256 if exact or not recognise else None,
        "fallback": edition.fallback,
        "names": dict(edition.names),
        "lost_signs": {sign: list(places) for sign, places in edition.lost_signs.items()},
    }
    needed = ("id", "game", "language", "version", "title", "layout")
    told = {name: value for name, value in fields.items() if value or name in needed}
    lines = [yaml.safe_dump(told, allow_unicode=True, sort_keys=False, width=_WIDTH).rstrip()]
    if hashes := " ".join(sketch(compared_text(document))):  # a text of a few words has none
        indented = textwrap.fill(hashes, _WIDTH, initial_indent="  ", subsequent_indent="  ")
        lines += ["sketch: >-", indented]
    corrections = applied_corrections(rulebook)
    if carried := [correction for correction in corrections.carried if not correction.settled]:
        with_anchors = zip(carried, anchors(document, carried), strict=True)
        by_line = sorted(with_anchors, key=lambda pair: pair[0].line)
        lines += ["corrections:", *(f"  - {_correction_yaml(*each)}" for each in by_line)]
    for each in corrections.unfit:
        lines.append(f"  # not found again: line {each.line}, {each.fault.value}: {each.why}")
    return "\n".join(lines) + "\n"


def _correction_yaml(correction: Correction, anchor: str) -> str:
    """Return one correction as YAML in one line."""
    through = correction.through if correction.through != correction.line else None
    fields = {
        "line": correction.line,
        "through": through,
        "fault": correction.fault.value,
        "printed": correction.printed,
        "meant": correction.meant,
        "why": correction.why,
        "anchor": anchor or None,
    }
    return inline({name: value for name, value in fields.items() if value is not None})


def commented_draft(rulebook: Rulebook) -> str:
    """Return `edition_draft` for an owner: recognised by the hash of the file, with comments that
    say what can be changed.
    """
    head = _HEAD.format(
        file=PurePath(rulebook.document.file).name,
        languages=", ".join(LANGUAGES),
        layouts=", ".join(LAYOUTS),
    )
    tail = "" if rulebook.edition.corrections else _TAIL
    return head + edition_draft(rulebook, exact=True) + tail


def corrected_fields(text: str, values: Mapping[str, str]) -> str:
    """Return ``text``, a file that describes an edition, with other ``values`` of its fields."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    for name, node in reversed(root.value):
        if name.value in values:
            start, end = node.start_mark.index, node.end_mark.index
            text = text[:start] + inline(values[name.value]) + text[end:]
    return text


@dataclass(frozen=True)
class GivenFields:
    """What the owner says of a rulebook; empty where nothing is said."""

    game: str = ""
    language: str = ""
    version: str = ""
    title: str = ""

    def __bool__(self) -> bool:
        return any((self.game, self.language, self.version, self.title))

    def different_from(self, edition: Edition) -> dict[str, str]:
        """Return what is said that ``edition`` has not already, by the names of its fields."""
        said = {
            "game": slug(self.game),
            "language": self.language,
            "version": self.version,
            "title": self.title,
        }
        return {
            name: value for name, value in said.items() if value and value != getattr(edition, name)
        }


@dataclass(frozen=True)
class RecognisedRulebook:
    """A rulebook as it was read. ``described`` says that a file describes its edition already."""

    rulebook: Rulebook
    references: Sequence[Reference]
    described: bool


def recognise_rulebook(
    document: Document, given: GivenFields, report: Callable[[str], None]
) -> RecognisedRulebook:
    """Read ``document``; what is ``given`` goes before what is recognised. ``report`` gets a line
    for each stage.
    """
    report("recognising its layout")
    game = slug(given.game)
    if not game and (older := predecessor(replace(document, folder=""))):
        game = older[0].game
    game = game or game_of_name(document) or slug(title_of(document)) or "game"
    document = replace(document, folder=game)
    edition = identify(document)
    assert edition is not None
    described = edition.known
    if given and not (described and not given.different_from(edition)):
        edition, described = _overridden(edition, given, document), False
    if not described:
        name = game_of_name(document).replace("-", " ").title()
        if name and edition.title == get_language(edition.language).unknown_rulebook:
            edition = replace(edition, title=name)
        if edition.id in {each.edition.id for each in described_editions()}:
            edition = replace(edition, id=f"{edition.id}-{document.sha256[:8]}")
    report(f"reading it in the layout {edition.layout!r}")
    rulebook = read(document, edition)
    report("finding its references")
    return RecognisedRulebook(rulebook, tuple(find(rulebook, [rulebook])), described)


def game_of_name(document: Document) -> str:
    """Return the game as the name of the file has it: "arkham" of "arkham-de.md"."""
    name = PurePath(document.file).stem
    while (shorter := _LANGUAGE_OR_VERSION.sub("", name)) != name:
        name = shorter
    return slug(name)


def rulebooks_of_game(
    folder: Path, game: str, known: Collection[str], kept: Kept
) -> Iterator[Rulebook]:
    """Yield the rulebooks in the ``folder`` of a ``game``, without those whose hash is ``known``
    and those of another game.
    """
    for path in sorted(folder.glob("[!.]*")):
        name = f"{folder.name}/{path.name}"
        try:
            document = Document.from_bytes(name, path.read_bytes(), kept=kept)
            edition = identify(replace(document, folder=folder.name))
            if document.sha256 not in known and edition.game == game:
                yield read(document, edition)
        except (OSError, UnreadableDocument, ReaderError):  # a build says what is wrong with it
            continue


def _overridden(edition: Edition, given: GivenFields, document: Document) -> Edition:
    game, language = slug(given.game) or edition.game, given.language or edition.language
    version = given.version or edition.version
    kind = kind_of_title(given.title) if given.title else edition.kind
    return replace(
        edition,
        id=edition_id(game, language, version, document, kind),
        game=game,
        language=language,
        version=version,
        title=given.title or edition.title,
        kind=kind,
    )


def summary(found: RecognisedRulebook, file: str, raw: bytes) -> Iterator[str]:
    """Yield the lines that show what was recognised: kind, edition, counts, outline, doubts,
    entries to look at.
    """
    rulebook, edition = found.rulebook, found.rulebook.edition
    document = rulebook.document
    pages = f", {len(document.pages.sizes)} pages" if document.pages else ""
    format = recognise_file(raw) if document.extracted is not None else None
    yield f"{file}: {(format or recognise_text(document.text)).name}, {len(raw):,} bytes{pages}"
    lost = sum(reference.target is None for reference in found.references)
    references = f"{len(found.references)} references" + (f" ({lost} lead nowhere)" if lost else "")
    sure = "described" if edition.known else f"{100 * edition.reading_score:.0f} % sure"
    newer = f", a newer version of {edition.succeeds}" if edition.succeeds else ""
    counts = f"{len(rulebook.entries)} entries, {len(rulebook.passages)} passages"
    rows = {
        "edition": f"{edition.id}{newer}",
        "game": edition.game,
        "title": edition.title,
        "version": edition.version or "none found; give it with --version",
        "effective": edition.effective or "no date found",
        "kind": edition.kind.value,
        "language": edition.language,
        "layout": f"{edition.layout} ({sure})",
        "read": f"{counts}, {references}",
    }
    yield from (f"  {name:10}{_CONTROLS.sub(' ', value)}" for name, value in rows.items())
    yield from _section("outline", _outline(rulebook))
    yield from _section("doubts", doubts(found))
    yield from _section("to look at", _samples(rulebook))


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number == 0:
            yield f"  {title}"
        yield f"    {_CONTROLS.sub(' ', line)}"


def _outline(rulebook: Rulebook) -> Iterator[str]:
    """Yield the two topmost levels, each entry with the number of entries within it."""
    parents = {entry.id: entry.parent for entry in rulebook.entries}
    within: Counter[str] = Counter()
    children: dict[str | None, list[Entry]] = {}
    for entry in rulebook.entries:
        children.setdefault(entry.parent, []).append(entry)
        around = entry.parent
        while around is not None:
            within[around] += 1
            around = parents.get(around)
    tops = children.get(None, [])
    for top in tops[:_OUTLINE]:
        yield _outline_line(top, within)
        below = children.get(top.id, [])
        most = _OUTLINE // len(tops) if len(tops) < 4 else 5
        yield from (f"  {_outline_line(entry, within)}" for entry in below[:most])
        if len(below) > most:
            yield f"  … and {len(below) - most} more"
    if len(tops) > _OUTLINE:
        yield f"… and {len(tops) - _OUTLINE} more"


def _outline_line(entry: Entry, within: Counter[str]) -> str:
    number = f"{entry.number} " if entry.number and not entry.title.startswith(entry.number) else ""
    count = f" ({within[entry.id]})" if within[entry.id] else ""
    return f"{number}{_shortened(entry.title)}{count}"


def doubts(found: RecognisedRulebook) -> Iterator[str]:
    """Yield what an owner should look at before trusting the reading."""
    rulebook, document = found.rulebook, found.rulebook.document
    edition = rulebook.edition
    yield from document.extracted.notes if document.extracted else ()
    if not edition.known and edition.reading_score < _UNSURE:
        sure = f"the outline is only {100 * edition.reading_score:.0f} % sure"
        yield f"{sure}: compare it with the contents of the rulebook"
    if detect(document.text[:20_000]) is None:
        known = ", ".join(LANGUAGES)
        assumed = f"the language could not be told; {edition.language} is assumed"
        yield f"{assumed}; --language gives another: {known}"
    if len(rulebook.entries) < 3:
        yield "hardly a heading was found, so the text is searched as a whole"
    if strays := rulebook.strays:
        fit = f"{len(strays)} pieces of text fit nowhere and were put to the entry around them"
        yield f"{fit}, the first at line {document.line_at(strays[0].start)}"
    if lost := [reference for reference in found.references if reference.target is None]:
        first = f"the first at line {lost[0].line}: {_shortened(lost[0].raw)}"
        yield f"{len(lost)} references lead nowhere, {first}"


def _samples(rulebook: Rulebook) -> Iterator[str]:
    """Yield entries from the whole rulebook, each with its place and how its text begins."""
    texts: dict[str, Passage] = {}
    for passage in rulebook.passages:
        if passage.role is Role.TEXT:
            texts.setdefault(passage.entry, passage)
    entries = [entry for entry in rulebook.entries if entry.id in texts]
    step = max(len(entries) / SAMPLES, 1.0)
    for number in range(min(SAMPLES, len(entries))):
        entry = entries[int(number * step)]
        passage = texts[entry.id]
        pages = rulebook.document.pages
        page = pages.page_at(passage.spans[0].start) if pages else 0
        place = f"page {page}" if page else f"line {entry.lines.first}"
        title = "" if passage.display.startswith(entry.title) else f"{_shortened(entry.title)}: "
        yield f"{place:10} {title}{_shortened(passage.display, _SAMPLE_LENGTH)}"


def _shortened(text: str, most: int = 70) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[:most].rsplit(' ', 1)[0]} …"
