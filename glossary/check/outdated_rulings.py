"""Find rulings that rest on a rule which has changed since, or is gone: each has to be confirmed,
or superseded by a new one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from corpus.model import Entry, Kind, Passage, id_without_version, is_numbered, version_key
from corpus.rulings import Basis, Ruling, load_rulings
from corpus.rulings.model import wording
from corpus.workspace import workspace
from glossary.check.model import Finding, FindingKind, Reason, Why, because, report
from glossary.model import RulebookView

_VERSION = re.compile(r"\d[\w.]*")


class BasisChange(StrEnum):
    """The ways in which a rule that a ruling rests on can change."""

    CHANGED = "changed"
    GONE = "gone"


class OutdatedRuling(NamedTuple):
    """A ``ruling`` with one of its bases whose rule has changed in ``edition``, or is gone.

    ``before`` is the old rule, None if that version is not loaded; ``entry`` is the current rule,
    None if it is gone.
    """

    ruling: Ruling
    basis: Basis
    change: BasisChange
    edition: str
    before: Entry | None
    entry: Entry | None


class _Version:
    """A version of a rulebook with the text of each entry.

    ``id`` is its edition id. A document that a newer one of the same edition replaces
    (``is_replaced``) can also be named by its SHA-256.
    """

    def __init__(self, book: RulebookView):
        self.edition = book.edition
        self.id, _, digest = book.edition.id.partition("@")
        self.is_replaced = bool(digest)
        self.is_numbered = is_numbered(book.edition.version)
        self._book = book

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """The entries by their ids without the edition."""
        return {entry.id.partition("/")[2]: entry for entry in self._book.entries}

    @cached_property
    def wordings(self) -> Mapping[str, str]:
        """The `corpus.rulings.model.wording` of each entry's own passages, by entry id."""
        own: dict[str, list[Passage]] = defaultdict(list)
        for passage in self._book.passages:
            own[passage.entry].append(passage)
        return {id: wording(passages) for id, passages in own.items()}

    @cached_property
    def by_wording(self) -> Mapping[str, Entry]:
        """The last entry with each text, by the text."""
        return {said: entry for entry in self._book.entries if (said := self.says(entry))}

    @cached_property
    def numbered(self) -> Mapping[str, Entry]:
        """The rules by their numbers."""
        rules = (entry for entry in self._book.entries if entry.kind is Kind.RULE)
        return {entry.number: entry for entry in rules if entry.number}

    def says(self, entry: Entry | None) -> str:
        """Return the text of ``entry``, "" if there is none."""
        return self.wordings.get(entry.id, "") if entry else ""

    def follows(self, id: str) -> bool:
        """Return whether this is the edition ``id``, which need not be loaded, or a newer version
        of its rulebook.
        """
        if id in (self.id, self.edition.succeeds):
            return True
        stem = id_without_version(self.id, self.edition.version)
        older = id.removeprefix(stem) if stem and id.startswith(stem) else ""
        return bool(
            self.is_numbered
            and _VERSION.fullmatch(older)
            and version_key(older) <= version_key(self.edition.version)
        )


class RuleVersions:
    """The versions of the rulebooks of one game, for looking up the rules that rulings rest on.

    ``became`` maps entries of older versions to newer ones by id, as far as known; other entries
    are found by their address or their text.
    """

    def __init__(self, books: Iterable[RulebookView], became: Mapping[str, Entry] | None = None):
        self._versions = [_Version(book) for book in books]
        self._became = became or {}

    def outdated(self, rulings: Iterable[Ruling]) -> Iterator[OutdatedRuling]:
        """Yield the bases of current ``rulings`` whose rule has changed or is gone."""
        for ruling in rulings:
            for basis in ruling.bases if not ruling.superseded_by else ():
                if found := self._judged(ruling, basis):
                    yield found

    def unresolved(self, rulings: Iterable[Ruling]) -> Iterator[tuple[Ruling, Basis]]:
        """Yield the bases of ``rulings`` that name a rule which no loaded version has or had."""
        for ruling in rulings:
            for basis in ruling.bases:
                newest, before = self._line(ruling, basis)
                if newest is None:
                    yield ruling, basis
                    continue
                may_be_gone = basis.entry and (before is None or _slug(basis) in before.entries)
                if not may_be_gone and self._entry_now(newest, before, basis) is None:
                    yield ruling, basis

    def rules(self) -> Iterator[str]:
        """Yield the ids of all entries, and the numbers of all rules."""
        for version in self._versions:
            yield from (entry.id for entry in version.entries.values())
            yield from version.numbered

    def current_rule(self, ruling: Ruling, basis: Basis) -> tuple[Entry, str] | None:
        """Return the current version of the rule that ``basis`` names, and its text; None if it is
        not loaded.
        """
        newest, before = self._line(ruling, basis)
        entry = newest and self._entry_now(newest, before, basis)
        return (entry, newest.says(entry)) if newest and entry else None

    def _judged(self, ruling: Ruling, basis: Basis) -> OutdatedRuling | None:
        newest, before = self._line(ruling, basis)
        if newest is None:
            return None
        old = before.entries.get(_slug(basis)) if before and basis.entry else None
        entry = self._entry_now(newest, before, basis)
        then = basis.wording or (before.says(old) if before else "")
        if entry is None:
            return OutdatedRuling(ruling, basis, BasisChange.GONE, newest.edition.id, old, None)
        if then and then != newest.says(entry):
            return OutdatedRuling(ruling, basis, BasisChange.CHANGED, newest.edition.id, old, entry)
        return None

    def _line(self, ruling: Ruling, basis: Basis) -> tuple[_Version | None, _Version | None]:
        """Return the newest version of the rulebook of ``basis``, and the version that ``basis``
        names; None if they are not loaded.
        """
        if not basis.entry:
            same = [
                each
                for each in self._versions
                if each.edition.language == ruling.answer.language and each.numbered
            ]
            with_rule = [each for each in same if basis.number in each.numbered]
            return _newest(with_rule or same), None
        id = basis.entry.partition("/")[0]
        named = [each for each in self._versions if each.id == id]
        itself = max(named, key=lambda each: each.is_replaced, default=None)
        if itself and not itself.is_numbered:
            return next((each for each in named if not each.is_replaced), itself), itself
        return _newest(each for each in self._versions if each.follows(id)) or itself, itself

    def _entry_now(self, newest: _Version, before: _Version | None, basis: Basis) -> Entry | None:
        if not basis.entry:
            return newest.numbered.get(basis.number)
        slug = _slug(basis)
        if before is not None and before is not newest:
            became = self._became.get(f"{before.edition.id}/{slug}")
            if became is not None:
                return became
        said = before.says(before.entries.get(slug)) if before else ""
        return (
            newest.entries.get(slug)
            or (newest.by_wording.get(basis.wording) if basis.wording else None)
            or newest.by_wording.get(said)
        )


def _newest(versions: Iterable[_Version]) -> _Version | None:
    return max(
        (each for each in versions if each.is_numbered),
        key=lambda each: (version_key(each.edition.version), not each.is_replaced),
        default=None,
    )


def _slug(basis: Basis) -> str:
    return basis.entry.partition("/")[2]


def report_outdated_rulings(
    rulebook: RulebookView, rulebooks: Sequence[RulebookView]
) -> Iterator[Finding]:
    """Yield the rulings of the workspace whose rule ``rulebook`` has changed or dropped."""
    edition = rulebook.edition
    rulings = [each for each in load_rulings(edition.game, workspace()).rulings if each.bases]
    if not rulings:
        return
    versions = RuleVersions(book for book in rulebooks if book.edition.game == edition.game)
    for found in versions.outdated(rulings):
        if found.edition == edition.id:
            line = found.entry.lines.first if found.entry else None
            kind, why = FindingKind.RULING_OUTDATED, outdated_why(found)
            yield report(rulebook, line, kind, why, found.ruling.id)


def outdated_why(found: OutdatedRuling) -> tuple[Reason, ...]:
    """Return why a ruling is outdated, and what to do."""
    rule = found.basis.rule
    if found.entry is None:
        return because(Why.RULE_GONE, rule=rule) + because(Why.NAME_ANOTHER_RULE)
    return because(Why.RULE_CHANGED, rule=rule) + because(Why.CONFIRM, id=found.ruling.id)
