"""Before an index replaces another, keep the passages that only the old one has, so that links to
them can show what changed, and the new entry of each old one, so that old addresses redirect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from corpus.dates import today
from corpus.model import Edition, Kind, Passage, Role, id_without_version, is_numbered, version_key
from glossary.comparison.version_changes import ChangeKind, compare_versions
from glossary.concepts import load_concepts, tie_entries
from glossary.matching.printed_ties import tie_cards
from glossary.word_tables import WordTables
from index.building.snapshots import Snapshots
from index.cards.card_store import FOLDER as CARDS
from index.cards.card_store import CardStore
from index.files.durable import file_digest
from index.layers.passages import card_passages, ruling_passages
from index.layers.ruling_store import RULINGS, RulingStore
from index.library.former_entries import FormerEntries, FormerEntry, document_address
from index.library.former_file import FormerChange, FormerFile
from index.library.former_words import FormerPassage, FormerWords, quotation_hash
from index.library.library import IndexedRulebook, Library, load_library

QUOTABLE = (Role.TEXT, Role.VOID)  # passages that can be cited

_LIBRARY = "library"

Former = tuple[Passage, Callable[[], FormerPassage]]
"""A passage of an index, and a function that makes the record to keep of it."""


@contextmanager
def former_kept(
    snapshots: Snapshots, replaced: str | None, new: Path, report: Callable[[str], None]
) -> Iterator[FormerChange]:
    """Keep what the index in the folder ``new`` lacks, and publish that index inside the block.

    Kept are the passages of snapshot ``replaced`` that ``new`` lacks, and what its entries became;
    nothing if ``replaced`` is None. Yields the change with these records, to which more can be
    added.

    A failure to keep them is reported in one line and does not stop the build; links to these
    passages then cannot show the old words. The folder of ``snapshots`` has to be `locked`.
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
    except Exception as fault:  # an index of another version may raise anything
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
    # Small, since there may be two million of them.
    return hash((passage.id, quotation_hash(passage.display)))


def _of_rulebooks(folder: Path, index: str, other: Path) -> Iterator[Former]:
    """Yield the passages of rulebooks without an identical record in the ``other`` index."""
    library = load_library(folder)
    there = set(_record_hashes(other))
    for number, hashed in enumerate(_record_hashes(folder)):
        if hashed not in there and (passage := library.passages[number]).role in QUOTABLE:
            yield passage, partial(former_passage, library, passage, index)


def _record_hashes(folder: Path) -> Iterator[int]:
    with (folder / _LIBRARY / "passage.jsonl").open("rb") as file:
        yield from map(hash, file)


def former_passage(library: Library, passage: Passage, index: str) -> FormerPassage:
    """Return ``passage`` of a rulebook of ``library`` with its citation there; ``index`` is the id
    of the index.
    """
    entry = library.entry[passage.entry]
    edition = library.edition[entry.edition]
    title = entry.title
    if entry.kind is Kind.RULE and not entry.heading_spans:
        # A rule headed only by its number gets the title of its section.
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


_SAME_BOOK = 0.3  # share of an edition's passages that a following edition has, at least

Follower = tuple[str, bool]
"""The id of what an entry became, "" if it is gone, and whether its words have changed."""


def keep_former_entries(
    snapshots: Snapshots,
    replaced: str,
    new: Path,
    report: Callable[[str], None],
    change: FormerChange,
) -> None:
    """Keep what the entries of snapshot ``replaced`` became in the index in the folder ``new``, as
    part of ``change``.

    A failure is reported in one line and does not stop the build.
    """
    try:
        names = [name for name in snapshots.files(replaced) if name.startswith("library")]
        before = snapshots.path(replaced)
        if all(
            (new / name).exists() and file_digest(new / name) == file_digest(before / name)
            for name in names
        ):
            return
        snapshots.verify(replaced, names=names)
        _keep(FormerEntries(snapshots.folder), load_library(before), load_library(new), change)
    except Exception as fault:  # an index of another version may raise anything
        report(
            f"what the entries of index {replaced} became could not be kept ({fault}); links to "
            "those that have moved lead nowhere"
        )


def _keep(
    known: FormerEntries, old: Library, new: Library, change: FormerChange | None = None
) -> None:
    followers: dict[str, Follower] = {}
    lost: dict[str, FormerEntry] = {}
    day = today()
    for edition in old.editions:
        right = following_edition(edition, old, new)
        found = _followers(edition, right, old, new)
        followers[edition.id] = (right.id if right else "", False)
        followers |= found
        entries = old.entries_of(edition.id)
        for place, entry in enumerate(entries):
            now, reworded = found[entry.id]
            if now == entry.id:
                continue
            around = [entry.parent or "", *(e.id for e in reversed(entries[:place][-20:]))]
            around += [e.id for e in entries[place + 1 : place + 21]]
            near = [found[id][0] for id in around if id and found[id][0]] if not now else []
            lost[entry.id] = FormerEntry(
                id=entry.id,
                title=entry.title,
                number=entry.number or "",
                source=edition.full_title,
                language=edition.language,
                mark=_entry_mark(old, entry.id),
                now=now,
                reworded=reworded,
                near=tuple(dict.fromkeys(near))[:3],
                day=day,
            )
        now, title, language = right.id if right else "", edition.full_title, edition.language
        document = document_address(old.sources[edition.id].sha256)
        for id in (edition.id, document) if now != edition.id else (document,):
            lost[id] = FormerEntry(id, title, "", title, language, "", now, False, (), day)
    documents = {document_address(source.sha256) for source in new.sources.values()}
    lost = {id: each for id, each in lost.items() if id not in documents}
    there = set(old.entry)
    marks = {id: _entry_mark(new, id) for id in new.entry if id not in there}
    marks |= {edition.id: "" for edition in new.editions if edition.id not in old.edition}
    marks |= dict.fromkeys(documents, "")
    known.publish(followers, lost, marks, change)


def _entry_mark(library: Library, entry: str) -> str:
    return quotation_hash(" ".join(p.display for p in library.passages_of.get(entry, ())))


def following_edition(edition: Edition, old: Library, new: Library) -> Edition | None:
    """Return the edition of ``new`` that follows an ``edition`` of ``old``: the one with the same
    document, else with the same id, else a newer version, else the one with most of its passages.
    """
    sha256, stem = old.sources[edition.id].sha256, id_without_version(edition.id, edition.version)
    same = [each for each in new.editions if new.sources[each.id].sha256 == sha256]
    if same:
        return min(same, key=lambda each: (each.id != edition.id, each.game != edition.game))
    if edition.id in new.edition:
        return new.edition[edition.id]
    newer = [
        each
        for each in new.editions
        if each.succeeds == edition.id
        or (
            stem
            and is_numbered(edition.version)
            and is_numbered(each.version)
            and id_without_version(each.id, each.version) == stem
        )
    ]
    if newer:
        return max(newer, key=lambda each: version_key(each.version))
    said = {quotation_hash(p.display) for p in old.passages_in(edition.id)}
    shares: Counter[str] = Counter()
    for each in new.editions:
        if each.language == edition.language:
            here = {quotation_hash(p.display) for p in new.passages_in(each.id)}
            shares[each.id] = len(said & here)
    best = next(iter(shares.most_common(1)), ("", 0))
    return new.edition[best[0]] if said and best[1] >= _SAME_BOOK * len(said) else None


def _followers(
    edition: Edition, right: Edition | None, old: Library, new: Library
) -> dict[str, Follower]:
    """Return the entry of ``right`` that each entry of ``edition`` became, by id."""
    entries = old.entries_of(edition.id)
    if right is None:
        return {entry.id: ("", False) for entry in entries}
    same = {entry.id: f"{right.id}/{entry.id.partition('/')[2]}" for entry in entries}
    if all(
        now in new.entry and _entry_mark(old, id) == _entry_mark(new, now)
        for id, now in same.items()
    ):
        return {id: (now, False) for id, now in same.items()}
    before = f"{edition.id}@"  # entries of both need different ids
    left = IndexedRulebook(
        replace(edition, id=before),
        [
            replace(
                entry,
                id=_under(before, entry.id),
                edition=before,
                parent=_under(before, entry.parent) if entry.parent else None,
            )
            for entry in entries
        ],
        [
            replace(p, id=_under(before, p.id), entry=_under(before, p.entry))
            for p in old.passages_in(edition.id)
        ],
    )
    book = next(each for each in new.rulebooks if each.edition.id == right.id)
    tied = tie_entries(load_concepts(right.game), [left, book]).by_entry
    changes = compare_versions(left, book, {**tie_cards([left, book]), **tied}, {})
    found = {}
    for change in changes.entries:
        reworded = ChangeKind.REWORDED in change.kinds
        for entry in change.left:
            now = change.right[0].id if change.right else ""
            found[_under(edition.id, entry.id)] = (now, reworded)
    # Entries that an excerpt lacks are not compared.
    rest = {id: (now if now in new.entry else "", False) for id, now in same.items()}
    return {**rest, **found}


def _under(edition: str, id: str) -> str:
    return f"{edition}/{id.partition('/')[2]}"
