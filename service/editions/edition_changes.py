"""Changes between two versions of a rulebook: reports, and the news of an edition."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from corpus.document import Document, UnreadableDocument
from corpus.errors import NotFound
from corpus.model import Correction, Edition, Entry, Passage, Rulebook
from glossary.comparison.new_version import NewVersion, ReviewReason
from glossary.comparison.passage_matches import PassageMatch
from glossary.comparison.renamings import Renaming
from glossary.comparison.rewording import TextRun, diff_words
from glossary.comparison.version_changes import ChangeKind, EntryChange, VersionChanges
from index.building.snapshots import Damaged, Snapshots
from index.building.version_lookup import (
    compare_indexed,
    compare_versions,
    documents_of_snapshot,
    previous_version,
    read_document,
)
from index.library.library import IndexedRulebook, Library
from service.core.i18n import N_, TranslatableText
from service.core.jobs.stored_works import Work, stored
from service.core.problems import Problem
from service.core.snapshot import Snapshot, SnapshotContents
from service.editions.comparison import compared_entry_out, unknown_edition
from service.editions.comparison_view import RowSide, row_side, short_edition_name
from service.editions.findings import finding_out
from service.schemas.comparisons import (
    AttentionOut,
    ChangedConceptsOut,
    ChangedCorrectionsOut,
    ChangedPassageOut,
    ChangedPhrasingsOut,
    ChangedWordsOut,
    ChangeOut,
    ChangesOut,
    ChangeSummaryOut,
    CorrectionOut,
    FollowedConceptOut,
    LostConceptOut,
    MatchedOut,
    OrphanedPhrasingsOut,
    RenamingOut,
    SidesOut,
    UnresolvedOut,
)

_REASON_TITLES = {
    ReviewReason.CORRECTION_UNFIT: "Corrections whose line is not found again",
    ReviewReason.CONCEPT_LOST: "Entries that have lost their concept",
    ReviewReason.CONCEPT_FOLLOWED: "Concepts tied by text alone: confirm the heading in "
    "glossary/concepts",
    ReviewReason.PHRASINGS_ORPHANED: "Phrasings that lost their passage, and where they probably "
    "belong",
    ReviewReason.PHRASINGS_CHANGED: "Phrasings whose passage changed in substance: see 'regula "
    "phrasings changed'",
    ReviewReason.RULING_OUTDATED: "Rulings outside the rulebook whose rule has changed or is gone",
    ReviewReason.SUBSTANCE: "Rules that may say something else than before",
    ReviewReason.TERM_RENAMED: "Terms renamed",
    ReviewReason.ENTRY_RENAMED: "Entries renamed",
    ReviewReason.ENTRY_DIVIDED: "Entries split or merged",
    ReviewReason.DOUBTFUL: "Passages reworded so much that they may be others",
    ReviewReason.NO_CONCEPT: "New entries without concept",
    ReviewReason.REFERENCE_SHIFTED: "References whose number now means another rule",
    ReviewReason.REFERENCE_LOST: "References that lead nowhere",
    ReviewReason.FINDING: "New findings of regula check",
}
_SHOWN = 20  # items of one reason that the report for a terminal lists
_WORDINGS = 4  # changed places of a passage that it shows
_LONGEST_WORDING = 12  # words of such a place that it shows in full


def changes_summary(changes: VersionChanges) -> str:
    """Return the number of changed entries in one line: "8 new, 1 gone, 12 changed"."""
    others = {ChangeKind.NEW, ChangeKind.GONE, ChangeKind.SAME}
    counts = {
        "new": changes.counts[ChangeKind.NEW],
        "gone": changes.counts[ChangeKind.GONE],
        "changed": sum(others.isdisjoint(change.kinds) for change in changes.entries),
    }
    return _counted(counts, "{count} {name}", ", ") or "nothing changed"


def _counted(counts: Mapping[str, int], form: str, between: str) -> str:
    parts = (form.format(name=name, count=count) for name, count in counts.items() if count)
    return between.join(parts)


def _became(match: PassageMatch) -> str:
    if match.same_words:
        return "same"
    return "reworded" if match.left and match.right else "new" if match.right else "gone"


def passage_counts(passages: Iterable[PassageMatch]) -> dict[str, int]:
    """Return the numbers of passages that are the same, reworded, new and gone."""
    return dict.fromkeys(("same", "reworded", "new", "gone"), 0) | Counter(map(_became, passages))


def changes_out(version: NewVersion) -> ChangesOut:
    """Return the changes in a new version. ``corrections`` and ``findings`` are None if they were
    not compared.
    """
    changes, corrected, findings = version.changes, version.corrected, version.findings
    return ChangesOut(
        left=changes.left.id,
        right=changes.right.id,
        summary=ChangeSummaryOut(
            entries={kind.value: count for kind, count in changes.counts.items()},
            passages=passage_counts(changes.passages),
            substance=sum(bool(match.substance) for match in changes.passages),
        ),
        renamed=[
            RenamingOut(
                left=renaming.left,
                right=renaming.right,
                entries=[compared_entry_out(entry) for entry in renaming.entries],
                places=[_matched_out(match) for match in renaming.places],
            )
            for renaming in changes.renamed
        ],
        entries=[_change_out(change) for change in _changed(changes)],
        concepts=ChangedConceptsOut(
            carried=len(version.concepts),
            lost=[
                LostConceptOut(
                    concept=concept, left=compared_entry_out(old), right=compared_entry_out(new)
                )
                for concept, old, new in version.lost
            ],
            followed=[
                FollowedConceptOut(concept=concept, right=compared_entry_out(new))
                for concept, new in version.inferred
            ],
        ),
        phrasings=ChangedPhrasingsOut(
            passages=len(version.phrased),
            texts=_phrasing_count(version),
            orphaned=[
                OrphanedPhrasingsOut(
                    fingerprint=each.phrasings.fingerprint,
                    at=each.phrasings.at,
                    left=_passages_out([each.passage])[0],
                    right=_passages_out(each.candidates),
                    likeness=round(each.likeness, 3),
                )
                for each in version.orphaned
            ],
        ),
        corrections=ChangedCorrectionsOut(
            carried=len(corrected.carried),
            moved=[_correction_out(old, to=new.line) for old, new in corrected.moved],
            unfit=[_correction_out(correction) for correction in corrected.unfit],
        )
        if corrected
        else None,
        unresolved=[UnresolvedOut(line=each.line, raw=each.raw) for each in version.unresolved],
        findings=None if findings is None else [finding_out(finding) for finding in findings],
        attention=[
            AttentionOut(care=each.reason, left=each.left, right=each.right, what=each.subject)
            for each in version.review_items
        ],
    )


def _changed(changes: VersionChanges) -> list[EntryChange]:
    return [change for change in changes.entries if change.kinds != (ChangeKind.SAME,)]


def _change_out(change: EntryChange) -> ChangeOut:
    return ChangeOut(
        became=list(change.kinds),
        left=[compared_entry_out(entry) for entry in change.left],
        right=[compared_entry_out(entry) for entry in change.right],
        references=SidesOut(left=list(change.references[0]), right=list(change.references[1])),
        substance=list(change.substance),
        only_renamed=change.only_renamed,
        passages=[
            _matched_out(match)
            for match in change.passages
            if not match.same_words or _changes_entry(match, change)
        ],
    )


def _matched_out(match: PassageMatch) -> MatchedOut:
    return MatchedOut(
        left=_passages_out(match.left),
        right=_passages_out(match.right),
        likeness=round(match.likeness, 3),
        words=[
            ChangedWordsOut(left=" ".join(old), right=" ".join(new))
            for old, new in match.rewordings
        ],
        renamed=match.renamed,
        substance=list(match.substance),
    )


def _changes_entry(match: PassageMatch, change: EntryChange) -> bool:
    """Return whether a passage is in another entry than before."""
    if not (change.left and change.right):
        return True
    return match.left[0].entry != change.left[0].id or match.right[0].entry != change.right[0].id


def _phrasing_count(version: NewVersion) -> int:
    language = version.changes.right.language
    return sum(1 for phrasings in version.phrased.values() for _ in phrasings.all(language))


def _passages_out(passages: Iterable[Passage]) -> list[ChangedPassageOut]:
    return [ChangedPassageOut(passage=each.id, lines=list(each.lines)) for each in passages]


def _correction_out(correction: Correction, to: int | None = None) -> CorrectionOut:
    return CorrectionOut(
        line=correction.line, fault=correction.fault, printed=correction.printed, to=to
    )


def changes_text(version: NewVersion) -> str:
    """Return the report for a terminal: what changed, what was kept, and what a person has to
    check.
    """
    changes, corrected, items = version.changes, version.corrected, version.review_items
    kinds = {kind.value: count for kind, count in changes.counts.items()}
    passages = passage_counts(changes.passages)
    others = sum(bool(match.substance) for match in changes.passages)
    substance = f"  ({others} in substance)" if others else ""
    lost = f", {len(version.lost)} lost" if version.lost else ""
    orphaned = f", {len(version.orphaned)} lost their passage" if version.orphaned else ""
    inferred = f"({len(version.inferred)} by text alone)"
    phrasings = f"{_phrasing_count(version)} of {len(version.phrased)} passages"
    lines = [
        f"{changes.left.id} → {changes.right.id}",
        f"  entries    {_counted(kinds, '{name} {count}', '  ')}",
        f"  passages   {_counted(passages, '{name} {count}', '  ')}{substance}",
        f"  concepts   {len(version.concepts)} carried over {inferred}{lost}",
        f"  phrasings  {phrasings} carried over{orphaned}",
    ]
    if corrected:
        carried = f"{len(corrected.carried)} apply ({len(corrected.moved)} at another line)"
        lines.append(f"  corrections {carried}, {len(corrected.unfit)} do not")
    if changes.renamed:
        lines += ["", "Renamed throughout"]
        lines += [line for each in changes.renamed for line in _renaming_lines(each)]
    lines += ["", "Entries (lines of the old and of the new document)"]
    entry_lines = [
        line
        for change in _changed(changes)
        if not change.only_renamed
        for line in _change_lines(change)
    ]
    lines += entry_lines or ["  nothing changed"]
    lines += ["", f"For a human eye: {len(items) or 'nothing'}"]
    for reason, group in groupby(items, key=lambda item: item.reason):
        here = list(group)
        lines.append(f"  {_REASON_TITLES[reason]} ({len(here)})")
        for item in here[:_SHOWN]:
            lines.append(f"    {item.left or '–':>5} → {item.right or '–':<5} {item.subject}")
        if len(here) > _SHOWN:
            lines.append(f"    … and {len(here) - _SHOWN} more (--json has all)")
    return "\n".join(lines)


def _renaming_lines(renaming: Renaming) -> Iterator[str]:
    yield f"  {renaming.left} → {renaming.right} ({len(renaming.places)} passages)"
    places = "; ".join(" ".join(_places(match).split()) for match in renaming.places)
    yield from textwrap.wrap(places, 88, initial_indent=" " * 8, subsequent_indent=" " * 8)


def _change_lines(change: EntryChange) -> Iterator[str]:
    sides = [" + ".join(e.title for e in side) for side in (change.left, change.right) if side]
    titles = " → ".join(dict.fromkeys(sides))
    yield f"  {_places(change)} {', '.join(change.kinds)}: {titles}"
    for match in change.passages:
        if change.left and change.right and (not match.same_words or _changes_entry(match, change)):
            if match.renamed:
                continue
            what = _became(match)
            if what == "reworded":
                what = f"likeness {match.likeness:.2f}"
            if match.substance:
                what += f", in substance: {', '.join(match.substance)}"
            yield f"        {_places(match)} {'moved' if match.same_words else what}"
            for old, new in match.rewordings[:_WORDINGS]:
                yield f"                      {_shortened(old)} → {_shortened(new)}"
            if len(match.rewordings) > _WORDINGS:
                more = len(match.rewordings) - _WORDINGS
                yield f"                      … and {more} more (--json has all)"
    for what, names in zip(
        ("no longer refers to", "now refers to"), change.references, strict=True
    ):
        if names:
            yield f"        {what} {', '.join(names)}"


def _shortened(words: Sequence[str]) -> str:
    if not words:
        return "–"
    if len(words) > _LONGEST_WORDING:
        words = (*words[: _LONGEST_WORDING // 2], "…", *words[-_LONGEST_WORDING // 2 :])
    return f"[{' '.join(words)}]"


def _places(each: EntryChange | PassageMatch) -> str:
    """Return the first lines of both sides: " 103 → 110  "."""
    old, new = (str(side[0].lines.first) if side else "–" for side in (each.left, each.right))
    return f"{old:>5} → {new:<5}"


class NoOlderVersion(NotFound):
    """There is no older version of a rulebook."""


def find_rulebook(name: str, rulebooks: Sequence[Rulebook], others: Sequence[Rulebook]) -> Rulebook:
    """Return the rulebook called ``name``: the id of an edition, a file name or the beginning of a
    SHA-256 among ``rulebooks`` and ``others`` (from published indexes), or the path of any file.
    Raises `NotFound`.
    """
    for book in (*rulebooks, *others):
        if name in (book.edition.id, book.document.file, book.document.sha256[:8]):
            return book
    path = Path(name)
    if not path.is_file():
        known = ", ".join(book.edition.id for book in rulebooks)
        raise NotFound(f"no edition and no file {name!r}; there are: {known}")
    try:
        document = Document.from_bytes(path.name, path.read_bytes())
    except UnreadableDocument as fault:
        raise NotFound(str(fault)) from fault
    found = read_document(document)
    if found is None:
        raise NotFound(f"{name}: the reader of its layout failed")
    return found


def version_before(
    right: Rulebook, rulebooks: Sequence[Rulebook], others: Sequence[Rulebook]
) -> Rulebook | None:
    """Return the last version before ``right`` among ``rulebooks`` and ``others``, if any."""
    sha256 = right.document.sha256
    books = [book for book in (*rulebooks, *others) if book.document.sha256 != sha256]
    return previous_version(right.edition, books)


def find_version_pairs(
    name: str | None, against: str | None, rulebooks: Sequence[Rulebook], others: Sequence[Rulebook]
) -> Iterator[tuple[Rulebook, Rulebook]]:
    """Yield pairs of an older and a newer version: with ``name`` as the newer, else with every
    rulebook that has an older version here. Raises `NoOlderVersion`, and `NotFound` for an unknown
    name.
    """
    if name is not None:
        right = find_rulebook(name, rulebooks, others)
        if against:
            left: Rulebook | None = find_rulebook(against, rulebooks, others)
        else:
            left = version_before(right, rulebooks, others)
        if left is None:
            raise NoOlderVersion(
                f"{name}: no older version is here; put its file beside the new one or name it "
                "with --against"
            )
        yield left, right
        return
    found = [(version_before(right, rulebooks, others), right) for right in rulebooks]
    if not any(left for left, _ in found):
        raise NoOlderVersion(
            "no rulebook here has an older version; name two with regula changes NEW --against OLD"
        )
    yield from ((left, right) for left, right in found if left)


def edition_changes(snapshot: Snapshot, edition: str, patience: float | None = None) -> ChangesOut:
    """Return the changes in an ``edition`` of a ``snapshot`` since the version before it there;
    cached. Raises `NotFound`, `NoOlderVersion`, and what `stored` raises.
    """
    _last_two_versions(snapshot.library, edition)
    return snapshot.cache.get(
        ("changes", edition),
        lambda: ChangesOut.model_validate_json(stored(snapshot, changes_work(edition), patience)),
        most=8,
    )


def changes_work(edition: str) -> Work[bytes]:
    """Return the job that compares an ``edition`` with the version before it."""
    return Work(("changes", edition), _render_changes, (edition,))


def _render_changes(snapshot: SnapshotContents, edition: str) -> bytes:
    versions = _last_two_versions(snapshot.library, edition)
    found = changes_out(compare_indexed(*versions, snapshot.library))
    return found.model_dump_json(by_alias=True).encode()


def former_version(library: Library, edition: str) -> Edition | None:
    """Return the version before an ``edition`` in the ``library``, if any."""
    try:
        return _last_two_versions(library, edition)[0].edition
    except NotFound:
        return None


def _last_two_versions(library: Library, edition: str) -> tuple[IndexedRulebook, IndexedRulebook]:
    """Return the version before an ``edition``, and the edition. Raises what `edition_changes`
    raises.
    """
    right = next((book for book in library.rulebooks if book.edition.id == edition), None)
    if right is None:
        raise NotFound(unknown_edition(library.edition, edition))
    others = [book for book in library.rulebooks if book is not right]
    left = previous_version(right.edition, others)
    if left is None:
        text = N_("%(edition)s: no older version is here")
        raise NoOlderVersion(TranslatableText(text, {"edition": edition}))
    return left, right


def describe_new_versions(snapshots: Snapshots, old: str, new: str) -> Iterator[str]:
    """Yield a line for each document of snapshot ``new`` that is a new version of one of snapshot
    ``old``.
    """
    try:
        new_rulebooks, old_rulebooks = (
            [
                book
                for document in documents_of_snapshot(snapshots, id)
                if (book := read_document(document))
            ]
            for id in (new, old)
        )
    except Damaged:  # the old one may be damaged; the new one has been checked
        return
    unchanged = {book.document.sha256 for book in old_rulebooks}
    for right in new_rulebooks:
        left = version_before(right, new_rulebooks, old_rulebooks)
        if left and right.document.sha256 not in unchanged:
            changes = compare_versions(left, right, new_rulebooks).changes
            summary = f"{changes_summary(changes)} against {changes.left.id}"
            yield f"{changes.right.id}: {summary}; see 'regula changes {changes.right.id}'"


class NewsKind(StrEnum):
    """The kind of news on an entry; if several apply, the first."""

    NEW = "new"
    REMOVED = "removed"
    REWORDED = "reworded"
    RENUMBERED = "renumbered"  # or renamed, divided, joined, moved
    REFERENCES = "references"  # refers to other entries than before


_NEWS_OF = {
    ChangeKind.NEW: NewsKind.NEW,
    ChangeKind.GONE: NewsKind.REMOVED,
    ChangeKind.REWORDED: NewsKind.REWORDED,
    **dict.fromkeys(
        (
            ChangeKind.RENUMBERED,
            ChangeKind.RENAMED,
            ChangeKind.SPLIT,
            ChangeKind.MERGED,
            ChangeKind.MOVED,
        ),
        NewsKind.RENUMBERED,
    ),
    ChangeKind.REFERENCES: NewsKind.REFERENCES,
}


@dataclass(frozen=True)
class ChangedWords:
    """A passage before and now; words that only one side has are marked."""

    left: RowSide
    right: RowSide


@dataclass(frozen=True)
class NewsItem:
    """A change of entries, ``left`` in the version before, ``right`` in the new one."""

    kind: NewsKind
    became: tuple[ChangeKind, ...]
    left: tuple[Entry, ...]
    right: tuple[Entry, ...]
    changes: ChangeOut

    @property
    def id(self) -> str:
        """The HTML id on the page."""
        return (self.right or self.left)[0].id


class RenamedTerm(NamedTuple):
    """A term with another name throughout, and the ``entries`` that use it."""

    left: str
    right: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class EditionNews:
    """The news of the edition ``right`` since ``left``, the version before it. An entry in
    which only ``renamed`` terms changed is no item.
    """

    left: Edition
    right: Edition
    items: tuple[NewsItem, ...]
    renamed: tuple[RenamedTerm, ...] = ()

    @cached_property
    def counts(self) -> Mapping[NewsKind, int]:
        """The number of items of each kind."""
        found = Counter(item.kind for item in self.items)
        return {kind: found[kind] for kind in NewsKind}

    @cached_property
    def by_entry(self) -> Mapping[str, NewsKind]:
        """The kind of news of new, reworded or renumbered entries of ``right``, by entry id."""
        shown = (NewsKind.NEW, NewsKind.REWORDED, NewsKind.RENUMBERED)
        return {
            entry.id: item.kind for item in self.items if item.kind in shown for entry in item.right
        }


def edition_news(snapshot: Snapshot, edition: str, patience: float | None = None) -> EditionNews:
    """Return the news of an ``edition``; cached. Raises what `edition_changes` raises."""
    return snapshot.cache.get(
        ("news", edition),
        lambda: build_news(snapshot.library, edition_changes(snapshot, edition, patience)),
        most=8,
    )


def news_badges(snapshot: Snapshot, edition: str) -> Mapping[str, NewsKind]:
    """Return the `EditionNews.by_entry` of an ``edition``; empty if it is not computed yet."""
    try:
        return edition_news(snapshot, edition, patience=0.0).by_entry
    except (NoOlderVersion, Problem):  # not ready, or logged already
        return {}


def build_news(library: Library, changes: ChangesOut) -> EditionNews:
    """Return ``changes`` as a list of news, without entries in which only the order of passages
    changed.
    """
    items = []
    order = list(NewsKind)
    for change in changes.entries:
        if change.only_renamed:
            continue
        kinds = {_NEWS_OF[became] for became in change.became if became in _NEWS_OF}
        if kinds:
            left, right = (
                tuple(library.entry[each.entry] for each in side)
                for side in (change.left, change.right)
            )
            kind = min(kinds, key=order.index)
            items.append(NewsItem(kind, tuple(change.became), left, right, change))
    renamed = []
    for each in changes.renamed:
        passages = [p.passage for place in each.places for p in place.right]
        entries = dict.fromkeys(passage.rpartition("#")[0] for passage in passages)
        found = tuple(library.entry[entry] for entry in entries)
        renamed.append(RenamedTerm(each.left, each.right, found))
    editions = library.edition[changes.left], library.edition[changes.right]
    return EditionNews(*editions, tuple(items), tuple(renamed))


def changed_words(library: Library, news: EditionNews, item: NewsItem) -> Iterator[ChangedWords]:
    """Yield the changed passages of ``item``, side by side."""
    for match in item.changes.passages:
        if match.renamed:
            continue
        left, right = (_passages(library, side) for side in (match.left, match.right))
        texts = [" ".join(passage.display for passage in side) for side in (left, right)]
        before: tuple[TextRun, ...]
        now: tuple[TextRun, ...]
        if all(texts) and match.likeness < 1:
            before, now = diff_words(texts[0], texts[1])
        else:
            # A text of one version is marked throughout, unless its whole entry is new or gone.
            changed = bool(item.left and item.right) and not all(texts)
            before, now = ((TextRun(text, changed=changed),) if text else () for text in texts)
        yield ChangedWords(
            row_side(news.left, short_edition_name(news.left), left, before),
            row_side(news.right, short_edition_name(news.right), right, now),
        )


def _passages(library: Library, side: Sequence[ChangedPassageOut]) -> list[Passage]:
    wanted = {each.passage for each in side}
    entries = dict.fromkeys(each.passage.rpartition("#")[0] for each in side)
    return [
        passage
        for entry in entries
        for passage in library.passages_of.get(entry, ())
        if passage.id in wanted
    ]
