"""Recognises from its content which edition a document is."""

from __future__ import annotations

import re
from dataclasses import replace

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
from corpus.model import DocumentKind, Edition, version_key
from corpus.title_page import title_of
from corpus.titles import slug
from corpus.workspace import Folders

SAME = 0.9  # share of an edition's text in the same edition in another format

_HEAD_PAGES = 2  # on which running heads may have the title
_TITLE_LINES = 3  # of a title, in narrow columns


def identify(
    document: Document, folders: Folders = None, known: Recognition | None = None
) -> Edition:
    """Return the edition of ``document`` among those described in ``folders``; its date of effect
    is read from the document if no file has it.

    1. The edition whose file names this document by its hash, else one whose ``recognise`` lines
       are all in the first `HEAD_LINES` lines of the document, else one whose text the document has
       in another format, unless it prints another version.
    2. Else a newer version of the edition that `predecessor` finds. A document in the folder of a
       game is none of another game's.
    3. Else a generic edition, with the language detected from its text, and the layout that
       explains most of it. `corpus.read` takes over what the document was read as to find out.

    ``known`` is how the layout of the document was recognised before, None where it was not.
    """
    described = recognised(document, folders)
    if described is None and (same := _nearest(document, folders)) and _is_same(document, *same):
        described = same[0]
    found = None if described else _nearest(document, folders, slug(document.folder))
    if described:
        edition = described.edition
    elif found:
        taken = {each.edition.id for each in described_editions(folders)}
        edition = _newer_version(document, found[0], known, taken)
    else:
        edition = _generic(document, known)
    if edition.effective:
        return edition
    found_date = imprint.effective(document, edition.language)
    return replace(edition, effective=found_date.value) if found_date else edition


def recognised(document: Document, folders: Folders = None) -> DescribedEdition | None:
    """Return the edition described in ``folders`` that ``document`` is, as far as its hash or its
    first lines say.
    """
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
    """Return the described edition that ``document`` seems to be another version of, and the share
    of its text in the document (0.0 to 1.0).

    None if the share is less than `similarity.MIN_CONTAINMENT` for every edition, of the game in
    whose folder the document is if it is in one.
    """
    found = _nearest(document, folders, slug(document.folder))
    return (found[0].edition, found[1]) if found else None


def recognition_lines(document: Document, edition: str, folders: Folders = None) -> tuple[str, ...]:
    """Return lines of ``document`` by which it could be recognised: the ``recognise`` lines of
    ``edition``, with any version number.
    """
    head = [line.text for line in document.lines if plain_line(line.text)][:HEAD_LINES]
    lines = []
    for each in described_editions(folders):
        for line in each.recognise if each.edition.id == edition else ():
            pattern = re.compile(_any_version(line, each.edition.version.casefold()))
            lines.append(next((text for text in head if pattern.fullmatch(plain_line(text))), ""))
    return tuple(" ".join(re.sub(r"[*_#]", "", line).split()) for line in lines if line)


def _head(document: Document) -> list[str]:
    return [plain for line in document.lines if (plain := plain_line(line.text))][:HEAD_LINES]


def _printed_head(document: Document) -> set[str]:
    # The letters of blocks and printed lines at the beginning of what is no text file, and of some
    # of these lines together.
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
    # Whether it is the edition, extracted from another format than text.
    edition = described.edition
    printed = _printed_version(document, described).casefold().removesuffix(edition.language)
    same_version = printed in ("", edition.version.casefold())
    return document.extracted is not None and share >= SAME and same_version


def _newer_version(
    document: Document, described: DescribedEdition, known: Recognition | None, taken: set[str]
) -> Edition:
    older = described.edition
    version = _printed_version(document, described)
    stem = older.id.removesuffix(older.version).rstrip("-.")
    id = f"{stem}-{re.sub(r'[^a-z0-9.]', '', version.lower())}" if version else stem
    if not version or id in taken:
        id += f"-{document.sha256[:8]}"
    layout = older.layout
    if document.extracted is None and LAYOUTS[layout].score(document.body) < MIN_SCORE:
        layout = (known or recognise(document, lambda _: older)).layout.name
    # A correction without an anchor could fit a line by chance.
    corrections = tuple(each for each in older.corrections if each.anchor)
    return replace(
        older,
        id=id,
        version=version or "?",
        layout=layout,
        corrections=corrections,
        known=False,
        succeeds=older.id,
        effective="",
    )


def _generic(document: Document, known: Recognition | None) -> Edition:
    # Documents in the folder of a game are editions of that game; any other is a game of its own.
    language = detect(document.text[:20_000]) or LANGUAGES[0]
    version = _own_version(document)
    game = slug(document.folder)

    title = title_of(document)
    kind = kind_of_title(title)

    def edition_in(layout: Layout) -> Edition:
        name = edition_id(game or "unknown", language, version if game else "", document, kind)
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
    game: str,
    language: str,
    version: str,
    document: Document,
    kind: DocumentKind = DocumentKind.RULES,
) -> str:
    """Return the id of an edition: its game, language and version, with its kind if it is no
    rulebook.

    Where it has no version, the beginning of the document's hash stands for it.
    """
    subject = game if kind is DocumentKind.RULES else f"{game}-{kind}"
    number = re.sub(r"[^a-z0-9.]", "", version.lower()).strip(".") or document.sha256[:8]
    return f"{subject}-{language}-{number}"


def _printed_version(document: Document, described: DescribedEdition) -> str:
    # The version printed where the described edition prints its own, else the first one.
    printed = described.edition.version.casefold()
    for line in (line for line in described.recognise if printed and printed in line):
        for candidate in _head(document):
            if match := re.fullmatch(_any_version(line, printed), candidate):
                return match.group(1)
    return _own_version(document)


def _any_version(line: str, version: str) -> str:
    # A pattern in which any version number, the first group, may stand in place of ``version``.
    before, match, after = line.partition(version) if version else (line, "", "")
    return re.escape(before) + (r"(\d[\w.]*?)" + re.escape(after) if match else "")


def _own_version(document: Document) -> str:
    found = imprint.version(document)
    return found.value if found else ""
