"""Recognises the edition of a document from its content."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import PurePath

from corpus import imprint, similarity
from corpus.blocks import BlockKind
from corpus.document import Document
from corpus.edition_files import (
    DescribedEdition,
    described_editions,
    kind_of_title,
    letters_of,
    plain_line,
)
from corpus.imprint import HEAD_LINES
from corpus.languages import LANGUAGES, detect, get_language
from corpus.layouts import LAYOUTS, MIN_SCORE, Layout, Recognition, recognise
from corpus.model import DocumentKind, Edition, is_numbered, version_key
from corpus.title_page import title_of
from corpus.titles import slug
from corpus.workspace import Folders

SAME = 0.9  # share of its text that the same edition has in another file format

_HEAD_PAGES = 2  # the first ones, where running heads may have the title
_TITLE_LINES = 3  # of a title, in narrow columns


def identify(
    document: Document, folders: Folders = None, known: Recognition | None = None
) -> Edition:
    """Return the edition of ``document`` among those described in ``folders``, or a generic one;
    its date of effect is read from the document if no file has it.

    1. The described edition whose file has the hash of the document, or whose ``recognise`` lines
    are all among its first `HEAD_LINES` lines, or whose text it has in another file format (unless
    it prints another version).

    2. Otherwise a newer version of the edition found by `predecessor`, or the same version with
    another text; or another text of an edition with the same game, version and title. A document in
    the folder of a game is compared only with editions of that game.

    3. Otherwise a generic edition, with the detected language and the layout that explains most of
    the text. `corpus.read` reuses the draft made for this.

    ``known`` is the layout recognised for this document before, if any.
    """
    described = recognised(document, folders)
    if described is None and (same := _nearest(document, folders)) and _is_same(document, *same):
        described = same[0]
    found = None if described else _nearest(document, folders, slug(document.folder))
    if described:
        edition = described.edition
    elif found:
        edition = _another_text(document, found[0], known, folders)
    else:
        edition = _generic(document, known)
        if document.folder and (namesake := _namesake(edition, folders)):
            edition = replace(namesake, succeeds=namesake.id)
    if edition.effective:
        return edition
    found_date = imprint.effective(document, edition.language)
    return replace(edition, effective=found_date.value) if found_date else edition


def recognised(document: Document, folders: Folders = None) -> DescribedEdition | None:
    """Return the described edition with the hash or first lines of ``document``, or None."""
    head, printed = _head(document), _printed_head(document)
    fitting = [
        each
        for each in described_editions(folders)
        if document.sha256 == each.document
        or (each.recognise and all(line in head for line in each.recognise))
        or (each.recognise and all(letters_of(line) in printed for line in each.recognise))
    ]
    return max(
        fitting,
        key=lambda each: (each.document == document.sha256, -each.rank, len(each.recognise)),
        default=None,
    )


def predecessor(document: Document, folders: Folders = None) -> tuple[Edition, float] | None:
    """Return the described edition of which ``document`` seems to be another version, and the share
    of its text in the document (0.0 to 1.0).

    Returns None if the share is below `similarity.MIN_CONTAINMENT` for every edition. A document in
    the folder of a game is compared only with editions of that game.
    """
    found = _nearest(document, folders, slug(document.folder))
    return (found[0].edition, found[1]) if found else None


def recognition_lines(document: Document, edition: str) -> tuple[str, ...]:
    """Return the lines of ``document`` that match the ``recognise`` lines of ``edition``, with any
    version number.
    """
    head = [line.text for line in document.lines if plain_line(line.text)][:HEAD_LINES]
    lines = []
    for each in described_editions():
        for line in each.recognise if each.edition.id == edition else ():
            pattern = re.compile(_any_version(line, each.edition.version.casefold()))
            lines.append(next((text for text in head if pattern.fullmatch(plain_line(text))), ""))
    return tuple(" ".join(re.sub(r"[*_#]", "", line).split()) for line in lines if line)


def _head(document: Document) -> list[str]:
    return [plain for line in document.lines if (plain := plain_line(line.text))][:HEAD_LINES]


def _printed_head(document: Document) -> set[str]:
    # The letters of the first blocks and printed lines of an extracted document, and of up to
    # `_TITLE_LINES` such lines joined.
    if document.extracted is None:
        return set()
    text, body = document.text, document.extracted.body
    blocks = [block for block in document.blocks if block.kind is not BlockKind.FURNITURE]
    found = {letters_of(text[slice(*block.span)]) for block in blocks[:HEAD_LINES]}
    end = blocks[:HEAD_LINES][-1].span.end if blocks else 0
    lines = document.pages.lines if document.pages else ()
    first = [line for line in lines if line.span.start < end]
    edges = [line for line in lines if line.span.start >= body and line.page <= _HEAD_PAGES]
    for part in (first, edges):
        letters = [letters_of(text[slice(*line.span)]) for line in part]
        found |= {
            "".join(letters[at : at + count])
            for at in range(len(letters))
            for count in range(1, _TITLE_LINES + 1)
        }
    return found - {""}


def _nearest(
    document: Document, folders: Folders, game: str = ""
) -> tuple[DescribedEdition, float] | None:
    shingles = similarity.shingles(similarity.compared_text(document))
    shares = [
        (described, similarity.containment(described.sketch, shingles))
        for described in described_editions(folders)
        if game in ("", described.edition.game)
    ]
    best = max((share for _, share in shares), default=0.0)
    if best < similarity.MIN_CONTAINMENT:
        return None
    # A document may contain all of an older version and most of the newest one. Then it is a
    # version of the newest one.
    least = max(similarity.MIN_CONTAINMENT, best - similarity.MARGIN)
    near = [pair for pair in shares if pair[1] >= least]
    return max(near, key=lambda pair: (version_key(pair[0].edition.version), pair[1]))


def _is_same(document: Document, described: DescribedEdition, share: float) -> bool:
    # Whether it is the same edition in another file format than text.
    edition = described.edition
    printed = _printed_version(document, described).casefold().removesuffix(edition.language)
    same_version = printed in ("", edition.version.casefold())
    return document.extracted is not None and share >= SAME and same_version


def _another_text(
    document: Document, described: DescribedEdition, known: Recognition | None, folders: Folders
) -> Edition:
    """Return the edition of ``document``, whose text is much like that of ``described``: a newer
    version if it prints another number, otherwise the same version with another text.
    """
    older = described.edition
    version = _printed_version(document, described)
    stem = older.id.removesuffix(older.version).rstrip("-.")
    id = f"{stem}-{re.sub(r'[^a-z0-9.]', '', version.lower())}" if version else stem
    described_here = (each.edition for each in described_editions(folders))
    if same := next((each for each in described_here if each.id == id), None):
        older = same
    layout = older.layout
    if document.extracted is None and LAYOUTS[layout].score(document.body) < MIN_SCORE:
        layout = (known or recognise(document, lambda _: older)).layout.name
    if same:
        return replace(older, layout=layout, succeeds=id)
    newer = replace(older, id=id, version=version or "?", layout=layout, succeeds=older.id)
    return newer_text(newer)


def newer_text(edition: Edition) -> Edition:
    """Return ``edition`` for another text: without its date of effect, and without the corrections
    that have no anchor, which could fit a line by chance.
    """
    corrections = tuple(each for each in edition.corrections if each.anchor)
    return replace(edition, corrections=corrections, known=False, effective="")


def _namesake(edition: Edition, folders: Folders) -> Edition | None:
    # The described edition with the game, language, version and title of the generic ``edition``.
    def named(each: Edition) -> tuple[str, ...]:
        return each.game, each.language, each.version.casefold(), each.kind, slug(each.title)

    described = (each.edition for each in described_editions(folders))
    return next((each for each in described if named(each) == named(edition)), None)


def _generic(document: Document, known: Recognition | None) -> Edition:
    # Documents in the folder of a game are editions of that game; any other is a game of its own.
    language = detect(document.text[:20_000]) or LANGUAGES[0]
    version = _own_version(document)
    game = slug(document.folder)

    title = title_of(document)
    kind = kind_of_title(title)

    def edition_in(layout: Layout) -> Edition:
        own = slug(title) or slug(PurePath(document.file).stem)
        name = edition_id(game or "unknown", language, version if game else "", kind)
        if own not in ("", game) and not (game and is_numbered(version)):
            name = f"{name}-{own}"
        return Edition(
            id=name,
            game=game or name,
            language=language,
            version=version,
            title=title or get_language(language).unknown_rulebook,
            layout=layout.name,
            known=False,
            kind=kind,
        )

    found = known or recognise(document, edition_in)
    edition = replace(edition_in(found.layout), reading_score=found.score)
    if found.draft:
        document.drafts[edition.layout, edition.title, edition.language] = found.draft
    return edition


def edition_id(
    game: str, language: str, version: str, kind: DocumentKind = DocumentKind.RULES
) -> str:
    """Return the id of an edition, made of its game, its kind unless it is a rulebook, its
    language, and its version if it has one.

    The id does not depend on the words of the document, so that links survive corrections.
    """
    subject = game if kind is DocumentKind.RULES else f"{game}-{kind}"
    number = re.sub(r"[^a-z0-9.]", "", version.lower()).strip(".")
    return f"{subject}-{language}-{number}" if number else f"{subject}-{language}"


def distinct_ids(
    documents: Sequence[tuple[Document, Edition]], taken: Collection[str]
) -> list[str]:
    """Return distinct ids for ``documents`` with the same edition id, made with their titles if
    these differ, otherwise with their file names; ids in ``taken`` are not used.
    """
    titles = ["" if edition.succeeds else slug(edition.title) for _, edition in documents]
    names = [slug(PurePath(document.file).stem) for document, _ in documents]
    found: list[str] = []
    for number, (_, edition) in enumerate(documents):
        titled = f"{edition.id}-{titles[number]}"
        distinct = titles.count(titles[number]) == 1 and titles[number]
        free = distinct and not edition.id.endswith(f"-{titles[number]}") and titled not in taken
        id = base = titled if free else f"{edition.id}-{names[number]}".rstrip("-")
        count = 1
        while id in found or id in taken:
            count += 1
            id = f"{base}-{count}"
        found.append(id)
    return found


def _printed_version(document: Document, described: DescribedEdition) -> str:
    # The version printed at the same place as in the described edition, or else the first one.
    printed = described.edition.version.casefold()
    for line in (line for line in described.recognise if printed and printed in line):
        for candidate in _head(document):
            if match := re.fullmatch(_any_version(line, printed), candidate):
                return match.group(1)
    return _own_version(document)


def _any_version(line: str, version: str) -> str:
    # A pattern for ``line`` with any version number (the first group) instead of ``version``.
    before, match, after = line.partition(version) if version else (line, "", "")
    return re.escape(before) + (r"(\d[\w.]*?)" + re.escape(after) if match else "")


def _own_version(document: Document) -> str:
    if found := imprint.version(document):
        return found.value
    # The file's title may come from a template, and its dates say only when it was written.
    said = document.extracted.title if document.extracted else ""
    is_own = slug(title_of(document)) in slug(said) if said else False
    return imprint.named_version(said) if is_own else ""
