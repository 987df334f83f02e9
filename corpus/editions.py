"""Editions: which rulebook a document is, told from its content, and what is special about it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, TypeAdapter

from corpus import anchors, data_files, similarity
from corpus.document import Document
from corpus.languages import LANGUAGES, LanguageCode, any_of, detect, get_language
from corpus.layouts import LAYOUTS, Layout, recognise
from corpus.model import Correction, Edition, Fault
from corpus.versions import version_key

FOLDER = Path(__file__).parent / "editions"
HEAD = 40  # lines with text in which a document's title and version stand


def _registered(layout: str) -> str:
    if layout not in LAYOUTS:
        raise ValueError(f"no layout {layout!r}; there are: {', '.join(LAYOUTS)}")
    return layout


class CorrectionFields(data_files.Fields):
    """One correction as a data file has it."""

    line: Annotated[int, Field(ge=1)]
    fault: Annotated[Fault, Field(strict=False)]
    printed: str
    meant: str | int | None = None
    why: Annotated[str, Field(min_length=3)]
    through: Annotated[int, Field(ge=1)] | None = None
    anchor: Annotated[str, Field(pattern=anchors.PATTERN)] = ""

    def correction(self) -> Correction:
        """The same for `corpus.model`."""
        through = self.line if self.through is None else self.through
        return Correction(
            line=self.line, fault=self.fault, printed=self.printed, meant=self.meant, why=self.why, through=through, anchor=self.anchor
        )


class EditionFields(data_files.Fields):
    """A file that describes an edition."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    game: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    language: LanguageCode
    version: str
    title: str
    layout: Annotated[str, AfterValidator(_registered)]
    recognise: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
    fallback: str | None = None
    names: dict[str, str] = Field(default_factory=dict)
    sketch: Annotated[str, Field(pattern=r"^[0-9a-f]{8}( [0-9a-f]{8})*$")] | None = None
    corrections: list[CorrectionFields] = Field(default_factory=list)

    def edition(self) -> Edition:
        """The same for `corpus.model`."""
        return Edition(
            id=self.id,
            game=self.game,
            language=self.language,
            version=self.version,
            title=self.title,
            layout=self.layout,
            corrections=tuple(c.correction() for c in self.corrections),
            fallback=self.fallback,
            names=self.names,
        )


_FILE = TypeAdapter(EditionFields)


@dataclass(frozen=True)
class DescribedEdition:
    """An edition that a data file describes, the lines it is recognised by, and the sketch of its text."""

    edition: Edition
    recognise: tuple[str, ...]
    sketch: tuple[str, ...]


@cache
def described_editions(folder: Path = FOLDER) -> tuple[DescribedEdition, ...]:
    """The editions described in ``folder``, in order of file names. Raises `data_files.DataFileError` where a file is faulty."""
    return tuple(_load(path) for path in sorted(folder.glob("*.yaml")))


def _load(path: Path) -> DescribedEdition:
    fields = data_files.load(path, _FILE)
    return DescribedEdition(fields.edition(), tuple(_plain(line) for line in fields.recognise), tuple((fields.sketch or "").split()))


def _plain(line: str) -> str:
    return " ".join(re.sub(r"[*_#]", "", line).split()).casefold()


def identify(document: Document, folder: Path = FOLDER) -> Edition | None:
    """The edition of ``document``: the described one whose every `recognise` line stands among its first lines.

    A document that none describes, but that has most of the text of one, gets an edition like that one's: it is taken
    for a newer version (see `predecessor`). Any other whose layout is known gets a generic edition, its language detected
    from its text. None where it has no layout that we can read.
    """
    head = _head(document)
    fitting = [k for k in described_editions(folder) if all(line in head for line in k.recognise)]
    if fitting:
        return max(fitting, key=lambda k: len(k.recognise)).edition
    layout = recognise(document)
    if kin := _nearest(document, folder):
        return _newer(document, kin[0], layout, {k.edition.id for k in described_editions(folder)})
    if layout is None:
        return None
    return _generic(document, layout)


def predecessor(document: Document, folder: Path = FOLDER) -> tuple[Edition, float] | None:
    """The described edition that most of the text of ``document`` is of, and how much of that edition's text it has (0.0 to 1.0).

    None where it has less of each than `similarity.MIN_CONTAINMENT`.
    """
    found = _nearest(document, folder)
    return (found[0].edition, found[1]) if found else None


def _nearest(document: Document, folder: Path) -> tuple[DescribedEdition, float] | None:
    found = similarity.shingles(document.text)
    shares = [(k, similarity.containment(k.sketch, found)) for k in described_editions(folder)]
    most = max((share for _, share in shares), default=0.0)
    if most < similarity.MIN_CONTAINMENT:
        return None
    # An older version may be in it as a whole, and of the last some words not: that one is meant all the same.
    near = [pair for pair in shares if pair[1] >= max(similarity.MIN_CONTAINMENT, most - similarity.MARGIN)]
    return max(near, key=lambda pair: (version_key(pair[0].edition.version), pair[1]))


def recognition_lines(document: Document, edition: str, folder: Path = FOLDER) -> tuple[str, ...]:
    """Lines of ``document`` that stand where those do that the described ``edition`` is recognised by, its version bumped."""
    kin = next((k for k in described_editions(folder) if k.edition.id == edition), None)
    if kin is None:
        return ()
    patterns = [re.compile(_bumped(line, kin.edition.version.casefold())) for line in kin.recognise]
    head = [line.text for line in document.lines if _plain(line.text)][:HEAD]
    found = (next((text for text in head if pattern.fullmatch(_plain(text))), None) for pattern in patterns)
    return tuple(" ".join(re.sub(r"[*_#]", "", text).split()) for text in found if text)


def _bumped(line: str, version: str) -> str:
    """A pattern for ``line`` with any other version in it than its own."""
    before, there, after = line.partition(version) if version else (line, "", "")
    return re.escape(before) + (r"(\d[\w.]*?)" + re.escape(after) if there else "")


def _head(document: Document) -> list[str]:
    return [plain for line in document.lines if (plain := _plain(line.text))][:HEAD]


def _newer(document: Document, kin: DescribedEdition, layout: Layout | None, taken: set[str]) -> Edition:
    """The edition of a ``document`` that is a newer version of ``kin``: what is known of that one, as far as it can be found again."""
    older = kin.edition
    version = _version(document, kin)
    stem = older.id.removesuffix(older.version).rstrip("-.")
    id = f"{stem}-{re.sub(r'[^a-z0-9.]', '', version.lower())}" if version else stem
    if not version or id in taken:
        id += f"-{document.sha256[:8]}"
    return replace(
        older,
        id=id,
        version=version or "?",
        layout=layout.name if layout else older.layout,
        corrections=tuple(c for c in older.corrections if c.anchor),  # others may fit a line by chance
        known=False,
        succeeds=older.id,
    )


def _version(document: Document, kin: DescribedEdition) -> str:
    """The version that ``document`` prints where ``kin`` prints its own, else the first that it calls so; empty where there is none."""
    printed = kin.edition.version.casefold()
    for line in (line for line in kin.recognise if printed and printed in line):
        for other in _head(document):
            if found := re.fullmatch(_bumped(line, printed), other):
                return found.group(1)
    return _first_version(document)


def _first_version(document: Document) -> str:
    return next((m.group(1) for line in document.lines[:200] if (m := _VERSION.search(line.text))), "")


def _generic(document: Document, layout: Layout) -> Edition:
    language = detect(document.text[:20_000]) or LANGUAGES[0]
    name = f"unknown-{language}-{document.sha256[:8]}"
    return Edition(
        id=name,
        game=name,
        language=language,
        version=_first_version(document),
        title=get_language(language).unknown_rulebook,
        layout=layout.name,
        known=False,
    )


_VERSION = re.compile(rf"\b{any_of('labels.version')}\W+(\d+(?:\.\d+)*\w*)", re.IGNORECASE)
