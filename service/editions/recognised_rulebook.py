"""A rulebook that its owner is about to add, and the file that describes its edition."""

from __future__ import annotations

import re
import textwrap
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
    distinct_ids,
    edition_id,
    identify,
    newer_text,
    predecessor,
    recognition_lines,
)
from corpus.languages import LANGUAGES, get_language
from corpus.layouts import LAYOUTS
from corpus.model import Correction, DocumentKind, Edition, Rulebook
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
_LANGUAGE_OR_VERSION = re.compile(r"(?<![-_. ])[-_. ]+(?:v?\d[\w.]{0,60}|[a-z]{2})$", re.IGNORECASE)


def edition_draft(rulebook: Rulebook, exact: bool = False) -> str:
    """Return a YAML file that describes the edition of ``rulebook``, with the parts of its
    predecessor that still apply.

    It is recognised by the same lines as the predecessor; if there are none, or if ``exact``, by
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
    """Return `edition_draft` for an owner: recognised by the hash of the file, with comments on
    what can be changed.
    """
    head = _HEAD.format(
        file=PurePath(rulebook.document.file).name,
        languages=", ".join(LANGUAGES),
        layouts=", ".join(LAYOUTS),
    )
    tail = "" if rulebook.edition.corrections else _TAIL
    return head + edition_draft(rulebook, exact=True) + tail


def corrected_fields(text: str, values: Mapping[str, str]) -> str:
    """Return ``text``, a file that describes an edition, with ``values`` for its fields."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    for name, node in reversed(root.value):
        if name.value in values:
            start, end = node.start_mark.index, node.end_mark.index
            text = text[:start] + inline(values[name.value]) + text[end:]
    return text


@dataclass(frozen=True)
class GivenFields:
    """The fields of a rulebook given by its owner; empty ones are not given."""

    game: str = ""
    language: str = ""
    version: str = ""
    title: str = ""

    def __bool__(self) -> bool:
        return any((self.game, self.language, self.version, self.title))

    def different_from(self, edition: Edition) -> dict[str, str]:
        """Return the given fields that differ from ``edition``, by name."""
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
    """A rulebook as it was read. ``described`` says that a file already describes its edition."""

    rulebook: Rulebook
    references: Sequence[Reference]
    described: bool


def recognise_rulebook(
    document: Document,
    given: GivenFields,
    report: Callable[[str], None],
    present: Collection[str] = (),
    taken: Collection[str] = (),
) -> RecognisedRulebook:
    """Read ``document`` as a rulebook.

    Args:
        given: Fields that override the recognised ones.
        report: Called with a line for each stage.
        present: The hashes of the documents that are there already: a different text of one of them
            is another edition.
        taken: Ids that it may not have.
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
    files = {each.edition.id: each.document for each in described_editions()}
    if edition.succeeds == edition.id and files[edition.id] in present:
        edition, described = newer_text(edition), False
    if given and not (described and not given.different_from(edition)):
        edition, described = _overridden(edition, given), False
    if not described:
        name = game_of_name(document).replace("-", " ").title()
        if name and edition.title == get_language(edition.language).unknown_rulebook:
            edition = replace(edition, title=name)
        if not edition.succeeds:
            short = edition_id(edition.game, edition.language, edition.version, edition.kind)
            edition = replace(edition, id=short)
        if edition.id in (taken := {*files, *taken}):
            (own,) = distinct_ids([(document, edition)], taken)
            edition = replace(edition, id=own)
    report(f"reading it in the layout {edition.layout!r}")
    rulebook = read(document, edition)
    report("finding its references")
    return RecognisedRulebook(rulebook, tuple(find(rulebook, [rulebook])), described)


def game_of_name(document: Document) -> str:
    """Return the game from the name of the file: "arkham" of "arkham-de.md"."""
    name = PurePath(document.file).stem
    while (shorter := _LANGUAGE_OR_VERSION.sub("", name)) != name:
        name = shorter
    return slug(name)


def rulebooks_of_game(
    folder: Path, game: str, known: Collection[str], kept: Kept
) -> Iterator[Rulebook]:
    """Yield the rulebooks in the ``folder`` of a ``game``, except those with a ``known`` hash and
    those of another game.
    """
    for path in sorted(folder.glob("[!.]*")):
        name = f"{folder.name}/{path.name}"
        try:
            document = Document.from_bytes(name, path.read_bytes(), kept=kept)
            edition = identify(replace(document, folder=folder.name))
            if document.sha256 not in known and edition.game == game:
                yield read(document, edition)
        except (OSError, UnreadableDocument, ReaderError):  # a build reports the fault
            continue


def _overridden(edition: Edition, given: GivenFields) -> Edition:
    game, language = slug(given.game) or edition.game, given.language or edition.language
    version = given.version or edition.version
    kind = kind_of_title(given.title) if given.title else edition.kind
    return replace(
        edition,
        id=edition_id(game, language, version, kind),
        game=game,
        language=language,
        version=version,
        title=given.title or edition.title,
        kind=kind,
    )
