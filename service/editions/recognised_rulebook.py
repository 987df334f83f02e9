"""A rulebook that its owner is about to add: what was recognised in it, for the terminal, and the file that describes its edition."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from corpus.document import Document, Kept, UnreadableDocument
from corpus.edition_files import described_editions, kind_of_title
from corpus.editions import edition_id, first_heading, identify
from corpus.formats import recognise_file, recognise_text
from corpus.languages import LANGUAGES, detect, get_language
from corpus.model import Edition, Entry, Passage, Role, Rulebook
from corpus.read import ReaderError, read
from corpus.titles import slug
from glossary.model import Reference
from glossary.references import find

SAMPLES = 10  # entries that are shown for looking at
_OUTLINE = 20  # entries of each level that are shown
_SAMPLE_LENGTH = 60  # characters of a sample's text
_UNSURE = 0.6  # a reading that is less sure than this is a doubt
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_LANGUAGE_OR_VERSION = re.compile(r"(?<![-_. ])[-_. ]+(?:v?\d[\w.]{0,60}|[a-z]{2})$", re.IGNORECASE)


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
        """What is said that ``edition`` has not already, by the names of its fields."""
        said = {"game": slug(self.game), "language": self.language, "version": self.version, "title": self.title}
        return {name: value for name, value in said.items() if value and value != getattr(edition, name)}


@dataclass(frozen=True)
class RecognisedRulebook:
    """A rulebook as it was read. ``described`` says that a file describes its edition already."""

    rulebook: Rulebook
    references: Sequence[Reference]
    described: bool


def recognise_rulebook(document: Document, given: GivenFields, report: Callable[[str], None]) -> RecognisedRulebook:
    """Read ``document``; what is ``given`` goes before what is recognised. ``report`` gets a line for each stage."""
    report("recognising its layout")
    game = slug(given.game) or game_of_name(document) or slug(first_heading(document)) or "game"
    document = replace(document, folder=game)
    edition = identify(document)
    assert edition is not None
    described = edition.known
    if given and not (described and not given.different_from(edition)):
        edition, described = _overridden(edition, given, document), False
    if not described:
        edition = _unique(_titled(edition, document), document)
    report(f"reading it in the layout {edition.layout!r}")
    rulebook = read(document, edition)
    report("finding its references")
    return RecognisedRulebook(rulebook, tuple(find(rulebook, [rulebook])), described)


def game_of_name(document: Document) -> str:
    """The game as the name of the file has it, without language and version: "arkham" of "arkham-de.md"."""
    name = PurePath(document.file).stem
    while (shorter := _LANGUAGE_OR_VERSION.sub("", name)) != name:
        name = shorter
    return slug(name)


def rulebooks_of_game(folder: Path, game: str, known: Collection[str], kept: Kept) -> Iterator[Rulebook]:
    """The rulebooks in the ``folder`` of a ``game``, without those whose hash is ``known`` and those of another game."""
    for path in sorted(folder.glob("[!.]*")):
        try:
            document = Document.from_bytes(f"{folder.name}/{path.name}", path.read_bytes(), kept=kept)
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


def _titled(edition: Edition, document: Document) -> Edition:
    """``edition`` with the name of the file for a title where the document gives it none."""
    untitled = edition.title == get_language(edition.language).unknown_rulebook
    name = game_of_name(document).replace("-", " ").title()
    return replace(edition, title=name) if untitled and name else edition


def _unique(edition: Edition, document: Document) -> Edition:
    """``edition`` with an id that no file describes."""
    taken = {described.edition.id for described in described_editions()}
    return replace(edition, id=f"{edition.id}-{document.sha256[:8]}") if edition.id in taken else edition


def summary(found: RecognisedRulebook, file: str, raw: bytes) -> Iterator[str]:
    """The lines that show what was recognised: kind, edition, counts, outline, doubts, entries to look at."""
    rulebook, edition = found.rulebook, found.rulebook.edition
    document = rulebook.document
    pages = f", {len(document.pages.sizes)} pages" if document.pages else ""
    yield f"{file}: {_format(document, raw)}, {len(raw):,} bytes{pages}"
    sure = "described" if edition.known else f"{100 * edition.reading_score:.0f} % sure"
    rows = [
        ("edition", f"{edition.id}" + (f", a newer version of {edition.succeeds}" if edition.succeeds else "")),
        ("game", edition.game),
        ("title", edition.title),
        ("version", edition.version or "none found; give it with --version"),
        ("effective", edition.effective or "no date found"),
        ("kind", edition.kind.value),
        ("language", edition.language),
        ("layout", f"{edition.layout} ({sure})"),
        ("read", f"{len(rulebook.entries)} entries, {len(rulebook.passages)} passages, {_reference_counts(found.references)}"),
    ]
    yield from (f"  {name:10}{_CONTROLS.sub(' ', value)}" for name, value in rows)
    yield from _section("outline", _outline(rulebook))
    yield from _section("doubts", doubts(found))
    yield from _section("to look at", _samples(rulebook))


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number == 0:
            yield f"  {title}"
        yield f"    {_CONTROLS.sub(' ', line)}"


def _format(document: Document, raw: bytes) -> str:
    if document.extracted is not None and (format := recognise_file(raw)):
        return format.name
    return recognise_text(document.text).name


def _reference_counts(references: Sequence[Reference]) -> str:
    lost = sum(reference.target is None for reference in references)
    return f"{len(references)} references" + (f" ({lost} lead nowhere)" if lost else "")


def _outline(rulebook: Rulebook) -> Iterator[str]:
    """The two topmost levels, each entry with the number of entries within it."""
    within = _counts_within(rulebook.entries)
    children: dict[str | None, list[Entry]] = {}
    for entry in rulebook.entries:
        children.setdefault(entry.parent, []).append(entry)
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
    return f"{number}{_shortened(entry.title)}" + (f" ({within[entry.id]})" if within[entry.id] else "")


def _counts_within(entries: Sequence[Entry]) -> Counter[str]:
    """How many entries are inside each, at any depth."""
    parents = {entry.id: entry.parent for entry in entries}
    found: Counter[str] = Counter()
    for entry in entries:
        parent = entry.parent
        while parent is not None:
            found[parent] += 1
            parent = parents.get(parent)
    return found


def doubts(found: RecognisedRulebook) -> Iterator[str]:
    """What an owner should look at before trusting the reading."""
    rulebook, document = found.rulebook, found.rulebook.document
    edition = rulebook.edition
    yield from document.extracted.notes if document.extracted else ()
    if not edition.known and edition.reading_score < _UNSURE:
        yield f"the outline is only {100 * edition.reading_score:.0f} % sure: compare it with the contents of the rulebook"
    if detect(document.text[:20_000]) is None:
        yield f"the language could not be told; {edition.language} is assumed; --language gives another: {', '.join(LANGUAGES)}"
    if len(rulebook.entries) < 3:
        yield "hardly a heading was found, so the text is searched as a whole"
    if rulebook.strays:
        first = document.line_at(rulebook.strays[0].start)
        yield f"{len(rulebook.strays)} pieces of text fit nowhere and were put to the entry around them, the first at line {first}"
    lost = [reference for reference in found.references if reference.target is None]
    if lost:
        yield f"{len(lost)} references lead nowhere, the first at line {lost[0].line}: {_shortened(lost[0].raw)}"


def _samples(rulebook: Rulebook) -> Iterator[str]:
    """Entries from the whole rulebook, evenly, each with where it stands and how its text begins."""
    texts: dict[str, Passage] = {}
    for passage in rulebook.passages:
        if passage.role is Role.TEXT:
            texts.setdefault(passage.entry, passage)
    entries = [entry for entry in rulebook.entries if entry.id in texts]
    step = max(len(entries) / SAMPLES, 1.0)
    for number in range(min(SAMPLES, len(entries))):
        entry = entries[int(number * step)]
        passage = texts[entry.id]
        page = rulebook.document.pages.page_at(passage.spans[0].start) if rulebook.document.pages else 0
        place = f"page {page}" if page else f"line {entry.lines.first}"
        title = "" if passage.display.startswith(entry.title) else f"{_shortened(entry.title)}: "
        yield f"{place:10} {title}{_shortened(passage.display, _SAMPLE_LENGTH)}"


def _shortened(text: str, most: int = 70) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[:most].rsplit(' ', 1)[0]} …"
