"""Recognises from its content which edition a document is."""

from __future__ import annotations

import re
from dataclasses import replace

from corpus import similarity
from corpus.blocks import BlockKind
from corpus.document import Document
from corpus.edition_files import DescribedEdition, described_editions, kind_of_title, plain_line
from corpus.effective_dates import effective_date
from corpus.formats.lines import front_title
from corpus.languages import LANGUAGES, any_of, detect, get_language
from corpus.layouts import LAYOUTS, MIN_SCORE, Layout, Recognition, recognition
from corpus.model import DocumentKind, Edition
from corpus.printed_head import printed_head
from corpus.printed_titles import printed_title
from corpus.titles import slug
from corpus.versions import version_key
from corpus.workspace import Folders

HEAD_LINES = 40  # lines with text at the top of a document, where its title and version are printed
LONGEST_TITLE = 100  # characters
SAME = 0.9  # share of an edition's text in the same edition in another format
VERSION_LINES = 200  # lines in which a document of no described edition may print its version

_DAY = r"\d{1,2}(?:er|st|nd|rd|th|\.|º|°)?\s+(?:\w{2}\s+)?[^\W\d]{3,12},?\s+(?:\w{2,3}\s+)?\d{4}"  # a date is no number of a version
_DATED = re.compile(
    rf"\W*{any_of('labels.as_of')}\W+({_DAY}|\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{2,4}}|[^\W\d]{{3,10}} (?:\d{{1,2}}, )?\d{{4}})\W*\Z",
    re.IGNORECASE,
)
_VERSION = re.compile(
    rf"\b{any_of('labels.version')}\W+(?:v\.?)?(?!{_DAY})(\d+(?:\.\d+)*\w*)", re.IGNORECASE
)
_REVISION = re.compile(
    rf"\b(?:{any_of('labels.revision')}\W+(?!{_DAY})|v\.?\s?(?=\d+\.))(\d+(?:\.\d+)*\w*)",
    re.IGNORECASE,
)
_CONTENTS = re.compile(any_of("sections.contents"), re.IGNORECASE)
_FILE_NAME = re.compile(r"\.\w{2,4}$|^(?:untitled|document\d*|microsoft word\b.*)$", re.IGNORECASE)


def identify(
    document: Document, folders: Folders = None, known: Recognition | None = None
) -> Edition:
    """The edition of ``document`` among those described in ``folders``; its date of effect is read
    from the document if no file has it.

    1. The edition whose file names this document by its hash, else one whose ``recognise`` lines are all in the first `HEAD_LINES`
       lines of the document, else one whose text the document has in another format, unless it prints another version.
    2. Else a newer version of the edition that `predecessor` finds.
    3. Else a generic edition, with the language detected from its text, and the layout that
    explains most of it.

    ``known`` is how the layout of the document was recognised before, None where it was not.
    """
    edition = _identify(document, folders, known)
    return (
        edition
        if edition.effective
        else replace(edition, effective=effective_date(document, edition.language))
    )


def _identify(document: Document, folders: Folders, known: Recognition | None) -> Edition:
    if described := recognised(document, folders):
        return described.edition
    found = _nearest(document, folders)
    if found and _is_same(document, *found):
        return found[0].edition
    found_layout = known or recognition(document)
    if found:
        return _newer_version(
            document,
            found[0],
            found_layout.layout,
            {described.edition.id for described in described_editions(folders)},
        )
    return _generic(document, found_layout)


def recognised(document: Document, folders: Folders = None) -> DescribedEdition | None:
    """The edition described in ``folders`` that ``document`` is, as far as its hash or its first
    lines say.
    """
    head, printed = _head(document), printed_head(document)
    fitting = [
        each
        for each in described_editions(folders)
        if document.sha256 == each.document or each.has_lines(head) or each.has_letters(printed)
    ]
    return max(
        fitting,
        key=lambda each: (each.document == document.sha256, -each.rank, len(each.recognise)),
        default=None,
    )


def predecessor(document: Document, folders: Folders = None) -> tuple[Edition, float] | None:
    """The described edition that ``document`` seems to be another version of, and the share of its
    text in the document (0.0 to 1.0).

    None if the share is less than `similarity.MIN_CONTAINMENT` for every edition.
    """
    found = _nearest(document, folders)
    return (found[0].edition, found[1]) if found else None


def recognition_lines(document: Document, edition: str, folders: Folders = None) -> tuple[str, ...]:
    """Lines of ``document`` by which it could be recognised: the ``recognise`` lines of
    ``edition``, with any version number.
    """
    described = next(
        (each for each in described_editions(folders) if each.edition.id == edition), None
    )
    if described is None:
        return ()
    patterns = [
        re.compile(_any_version(line, described.edition.version.casefold()))
        for line in described.recognise
    ]
    head = [line.text for line in document.lines if plain_line(line.text)][:HEAD_LINES]
    found = (
        next((text for text in head if pattern.fullmatch(plain_line(text))), None)
        for pattern in patterns
    )
    return tuple(" ".join(re.sub(r"[*_#]", "", text).split()) for text in found if text)


def _head(document: Document) -> list[str]:
    return [plain for line in document.lines if (plain := plain_line(line.text))][:HEAD_LINES]


def _nearest(document: Document, folders: Folders) -> tuple[DescribedEdition, float] | None:
    shingles = similarity.shingles(similarity.compared_text(document))
    shares = [
        (described, similarity.containment(described.sketch, shingles))
        for described in described_editions(folders)
    ]
    best = max((share for _, share in shares), default=0.0)
    if best < similarity.MIN_CONTAINMENT:
        return None
    # A document may contain all of an older version and most of the newest one. Then it is a
    # version of the newest one.
    near = [
        pair
        for pair in shares
        if pair[1] >= max(similarity.MIN_CONTAINMENT, best - similarity.MARGIN)
    ]
    return max(near, key=lambda pair: (version_key(pair[0].edition.version), pair[1]))


def _is_same(document: Document, described: DescribedEdition, share: float) -> bool:
    """Whether ``document``, extracted from another format than text, is the ``described`` edition,
    ``share`` of whose text it has.
    """
    edition = described.edition
    printed = _printed_version(document, described).casefold().removesuffix(edition.language)
    return (
        document.extracted is not None
        and share >= SAME
        and printed in ("", edition.version.casefold())
    )


def _newer_version(
    document: Document, described: DescribedEdition, layout: Layout, taken: set[str]
) -> Edition:
    """A new edition for ``document``, a newer version of the ``described`` one, with an id that is
    not in ``taken``.
    """
    older = described.edition
    version = _printed_version(document, described)
    stem = older.id.removesuffix(older.version).rstrip("-.")
    id = f"{stem}-{re.sub(r'[^a-z0-9.]', '', version.lower())}" if version else stem
    if not version or id in taken:
        id += f"-{document.sha256[:8]}"
    return replace(
        older,
        id=id,
        version=version or "?",
        layout=older.layout
        if document.extracted or LAYOUTS[older.layout].score(document.body) >= MIN_SCORE
        else layout.name,
        corrections=tuple(
            c for c in older.corrections if c.anchor
        ),  # without an anchor, one could fit a line by chance
        known=False,
        succeeds=older.id,
        effective="",
    )


def _generic(document: Document, found: Recognition) -> Edition:
    """An edition for a ``document`` of an unknown rulebook, with the language detected from its
    first 20,000 characters.

    Documents in the folder of a game are editions of that game; any other is a game of its own.
    """
    language = detect(document.text[:20_000]) or LANGUAGES[0]
    version = _first_version(document)
    game = slug(document.folder)
    title = _title(document, bool(game) or found.layout.titled)
    kind = kind_of_title(title)
    name = edition_id(game or "unknown", language, version if game else "", document, kind)
    return Edition(
        id=name,
        game=game or name,
        language=language,
        version=version,
        title=title or get_language(language).unknown_rulebook,
        layout=found.layout.name,
        known=False,
        reading_score=found.score,
        kind=kind,
    )


def _title(document: Document, headed: bool) -> str:
    """What ``document`` is called: its first heading if its format marks it or it is ``headed`` by
    its title, else what the file says.

    Where sizes of lines are known it is the largest one of the first page, if nothing after it is
    as large. Where other headings are of the same level as the first one, or that heads the
    contents, it is no title if the file says one.
    """
    if headed and (printed := printed_title(document)):
        return printed
    own = " ".join(
        (document.extracted.title if document.extracted else front_title(document.text)).split()
    )[:LONGEST_TITLE]
    marked = [block for block in document.blocks if block.kind is BlockKind.HEADING and block.level]
    first = first_heading(document) if headed or marked[:1] else ""
    if (
        own
        and not _FILE_NAME.search(own)
        and (_CONTENTS.fullmatch(first) or any(b.level <= marked[0].level for b in marked[1:]))
    ):
        return own
    return own if _CONTENTS.fullmatch(first) else first or own


def edition_id(
    game: str,
    language: str,
    version: str,
    document: Document,
    kind: DocumentKind = DocumentKind.RULES,
) -> str:
    """The id of an edition: its game, language and version, with its kind if it is no rulebook.

    Where it has no version, the beginning of the document's hash stands for it.
    """
    subject = game if kind is DocumentKind.RULES else f"{game}-{kind}"
    return f"{subject}-{language}-{re.sub(r'[^a-z0-9.]', '', version.lower()).strip('.') or document.sha256[:8]}"


def first_heading(document: Document) -> str:
    """What stands first in ``document``: the heading that its format marks, else the line with text
    if it is short; "" if there is none.
    """
    blocks = document.blocks
    heading = next(
        (
            document.text[b.span.start : b.span.end]
            for b in blocks[:20]
            if b.kind is BlockKind.HEADING
        ),
        "",
    )
    line = next((line.text for line in document.lines if plain_line(line.text)), "")
    found = heading or (line if len(line) <= LONGEST_TITLE else "")
    return " ".join(re.sub(r"<[^<>]*>|[*_#=\ufeff]", "", found).split())[:LONGEST_TITLE]


def _printed_version(document: Document, described: DescribedEdition) -> str:
    """The version printed where the described edition prints its own, else the first one in the
    document; "" if there is none.
    """
    printed = described.edition.version.casefold()
    for line in (line for line in described.recognise if printed and printed in line):
        for candidate in _head(document):
            if match := re.fullmatch(_any_version(line, printed), candidate):
                return match.group(1)
    return _first_version(document)


def _any_version(line: str, version: str) -> str:
    """A pattern for ``line`` in which any version number, the first group, may stand in place of
    ``version``.
    """
    before, match, after = line.partition(version) if version else (line, "", "")
    return re.escape(before) + (r"(\d[\w.]*?)" + re.escape(after) if match else "")


def _first_version(document: Document) -> str:
    """The first version printed in ``document``, else in its head the revision ("Rev. 230712",
    "v2.1") or date; "" if there is none.
    """
    body = (
        document.line_at(document.extracted.body) if document.extracted else len(document.lines) + 1
    )
    lines = (
        *document.lines[: min(VERSION_LINES, body - 1)],
        *document.lines[body - 1 :][:HEAD_LINES],
    )  # footers stand at the end
    version = (m.group(1) for line in lines if (m := _VERSION.search(line.text)))
    revision = (
        m.group(1) for line in document.lines[:HEAD_LINES] if (m := _REVISION.search(line.text))
    )
    dated = (m.group(1) for line in document.lines[:HEAD_LINES] if (m := _DATED.match(line.text)))
    return next(version, "") or next(revision, "") or next(dated, "")
