"""Before an index replaces another, keep the words that only the other has, so that links to them
can say what has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path

from corpus.model import Kind, Passage, Role
from glossary.word_tables import WordTables
from index.building.followed_entries import keep_former_entries
from index.building.snapshots import Snapshots
from index.cards.card_store import FOLDER as CARDS
from index.cards.card_store import CardStore
from index.files.durable import file_digest
from index.layers.passages import card_passages, ruling_passages
from index.layers.ruling_store import RULINGS, RulingStore
from index.library.former_file import FormerChange, FormerFile
from index.library.former_words import FormerPassage, FormerWords, quotation_hash
from index.library.library import Library, load_library

QUOTABLE = (Role.TEXT, Role.VOID)  # passages that can be cited

_LIBRARY = "library"

Former = tuple[Passage, Callable[[], FormerPassage]]
"""A passage of an index, and what makes it one to keep."""


@contextmanager
def former_kept(
    snapshots: Snapshots, replaced: str | None, new: Path, report: Callable[[str], None]
) -> Iterator[FormerChange]:
    """Publish the index in the folder ``new`` inside: then the words of snapshot ``replaced`` that
    it does not have are kept, and what its entries became; nothing where there was none. Yields the
    change that has them, which can be added to.

    What keeps it from that is reported in a line and stops nobody: links to these words then cannot
    say what they were. The folder of ``snapshots`` has to be `locked`.
    """
    change = FormerFile(snapshots.folder).change()
    if replaced is not None:
        keep_former_entries(snapshots, replaced, new, report, change)
        _keep_former_words(snapshots, replaced, new, report, change)
    try:
        yield change
        try:
            change.publish()
        except OSError as fault:
            report(f"what index {replaced} had and is gone now could not be kept ({fault})")
    finally:
        change.discard()


def _keep_former_words(
    snapshots: Snapshots,
    replaced: str,
    new: Path,
    report: Callable[[str], None],
    change: FormerChange,
) -> None:
    try:
        lost = _lost(snapshots, replaced, new)
        if (first := next(lost, None)) is not None:
            FormerWords(snapshots.folder).keep(chain([first], lost), change)
    except Exception as fault:  # what reading an index of another version raises is anybody's guess
        report(
            f"the words of index {replaced} that are gone now could not be kept ({fault}); links "
            "to them will not show them"
        )


def _lost(snapshots: Snapshots, replaced: str, new: Path) -> Iterator[FormerPassage]:
    old = snapshots.path(replaced)
    for read, part in ((_of_rulebooks, _LIBRARY), (_of_rulings, RULINGS), (_of_cards, CARDS)):
        names = [name for name in snapshots.files(replaced) if name.startswith(part)]
        if all(
            (new / name).exists() and file_digest(new / name) == file_digest(old / name)
            for name in names
        ):
            continue
        snapshots.verify(replaced, names=names)
        here = {_mark(passage) for passage, _ in read(new, "", old)}
        for passage, former in read(old, replaced, new):
            if _mark(passage) not in here:
                yield former()


def _mark(passage: Passage) -> int:
    # Of two million passages there are as many, so they have to be small.
    return hash((passage.id, quotation_hash(passage.display)))


def _of_rulebooks(folder: Path, index: str, other: Path) -> Iterator[Former]:
    """Yield the passages of rulebooks, but for those of which the ``other`` index has the same
    record.
    """
    library = load_library(folder)
    there = set(_record_hashes(other))
    for number, hashed in enumerate(_record_hashes(folder)):
        if hashed not in there and (passage := library.passages[number]).role in QUOTABLE:
            yield passage, partial(former_passage, library, passage, index)


def _record_hashes(folder: Path) -> Iterator[int]:
    with (folder / _LIBRARY / "passage.jsonl").open("rb") as file:
        yield from map(hash, file)


def former_passage(library: Library, passage: Passage, index: str) -> FormerPassage:
    """Return ``passage`` of a rulebook of ``library`` as it is cited there; ``index`` is the id of
    its index.
    """
    entry = library.entry[passage.entry]
    edition = library.edition[entry.edition]
    title = entry.title
    if entry.kind is Kind.RULE and not entry.heading_spans:
        # A rule that prints nothing but its number before its text: the section says what it is.
        around = reversed(library.path(entry))
        title = next((each.title for each in around if each.kind is not Kind.RULE), title)
    return _former(
        passage,
        edition.game,
        edition.language,
        source=edition.title,
        version=edition.version,
        effective=edition.effective,
        title=title,
        number=entry.number or "",
        page=library.printed_page(passage) or library.page(passage),
        paged=bool(library.sources[edition.id].page_sizes),
        index=index,
    )


def _of_rulings(folder: Path, index: str, other: Path) -> Iterator[Former]:
    for ruling in RulingStore.load(folder / RULINGS):
        former = partial(
            _former,
            game=ruling.game,
            language=ruling.answer.language,
            source=ruling.source,
            title=", ".join(ruling.cards) or ruling.id,
            effective=ruling.date,
            index=index,
            authority=ruling.authority,
        )
        for passage in ruling_passages(ruling):
            yield passage, partial(former, passage)


def _of_cards(folder: Path, index: str, other: Path) -> Iterator[Former]:
    if not (folder / CARDS).exists():
        return
    cards = CardStore.load(folder / CARDS, WordTables({}))
    for game in cards.games:
        for card in cards.of_game(game):
            for text in card_passages(card):
                language = text.text.quoted.language
                yield (
                    text.passage,
                    partial(
                        _former,
                        text.passage,
                        game,
                        language,
                        title=card.name(language),
                        effective=text.erratum.date if text.erratum else "",
                        index=index,
                    ),
                )


def _former(
    passage: Passage,
    game: str,
    language: str,
    *,
    title: str,
    effective: str,
    index: str,
    source: str = "",
    version: str = "",
    number: str = "",
    page: int | str | None = None,
    paged: bool = False,
    authority: str = "",
) -> FormerPassage:
    return FormerPassage(
        id=passage.id,
        hash=quotation_hash(passage.display),
        text=passage.text,
        display=passage.display,
        lead_in=passage.lead_in,
        game=game,
        language=language,
        source=source,
        version=version,
        effective=effective,
        title=title,
        number=number,
        lines=passage.lines,
        page=page,
        paged=paged,
        authority=authority,
        index=index,
    )
