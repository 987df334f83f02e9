"""The findings of the rulebook check, from a build or computed in the background, and their
reasons as sentences in the languages of the pages.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from pydantic import TypeAdapter

from corpus.cards.model import Card
from corpus.model import Edition, Entry, Rulebook
from glossary.check import (
    FINDING_TITLES,
    Certainty,
    Finding,
    FindingKind,
    Origin,
    OriginWhy,
    Reason,
    TieChecker,
    Value,
    Why,
    check_rulebook,
)
from glossary.references import find as find_references
from index.building.check_stage import FINDINGS
from service.core.i18n import DEFAULT, N_, translate
from service.core.jobs.stored_works import Preparing, Work, is_stored, stored
from service.core.problems import Problem
from service.core.snapshot import Snapshot, SnapshotContents
from service.editions.ignored_findings import IgnoredFindings, JudgedFinding, judged_findings
from service.schemas.comparisons import FindingOut, IgnoredOut

_LOG = logging.getLogger(__name__)
EditionFindings = Mapping[str, tuple[Finding, ...]]
_STORED_FINDINGS: TypeAdapter[EditionFindings] = TypeAdapter(dict[str, tuple[Finding, ...]])
# Findings about this project's own notes, which do not concern readers of the rulebook.
_PROJECT_NOTES = (
    FindingKind.CORRECTION_UNFIT,
    FindingKind.CONCEPT_UNFIT,
    FindingKind.TIE_PROPOSED,
    FindingKind.TIE_DOUBTFUL,
    FindingKind.PRODUCT_PROPOSED,
    FindingKind.NO_PHRASINGS,
)
CERTAINTIES = {
    Certainty.CERTAIN: N_("certain"),
    Certainty.LIKELY: N_("likely"),
    Certainty.POSSIBLE: N_("possible"),
}
ORIGINS = {
    Origin.PRINT: N_("print"),
    Origin.EXTRACTION: N_("scan or conversion"),
    Origin.UNCLEAR: N_("unclear"),
}

NOTES = frozenset(
    [
        N_("misread"),
        N_("icon misread"),
        N_("icon lost without trace"),
        N_("letter lost"),
        N_("two letters lost"),
        N_("letter misread"),
        N_("letter doubled in scanning"),
        N_("blank lost"),
        N_("hyphen and blank lost"),
        N_("misprint"),
        N_("speaks of the item above"),
        N_("hard line break inside a bullet"),
        N_("the end of the sentence is missing in print"),
    ]
)
_BETWEEN = "; "  # parts of a reason
_AND = N_("and")


def reason_text(reasons: Sequence[Reason]) -> str:
    """Return the reasons for a finding, in English, in one line."""
    return reason_in(DEFAULT, reasons) or ""


def reason_in(language: str, reasons: Sequence[Reason]) -> str | None:
    """Return the reasons for a finding, in ``language``; None if a note among them has no
    translation.
    """
    parts = []
    for reason in reasons:
        part = _note if reason.code is Why.NOTE else _sentence
        parts.append(part(language, reason))
    return None if None in parts else _BETWEEN.join(filter(None, parts))


def origin_reason(reason: OriginWhy | None, language: str = DEFAULT) -> str:
    """Return why a fault is attributed to its origin; "" if that was not examined."""
    return translate(language, f"origin: {reason}") if reason else ""


def _note(language: str, reason: Reason) -> str | None:
    """Return the note on a correction. Notes are free text, so only the usual ones are
    translated.
    """
    note = str(reason.values["note"])
    parts = note.split(_BETWEEN)
    if language == DEFAULT:
        return note
    known = NOTES.issuperset(parts)
    return _BETWEEN.join(translate(language, part) for part in parts) if known else None


def _sentence(language: str, reason: Reason) -> str:
    """Return the sentence of a reason, which may have another form for the plural; ``quoted``
    values are put in quotation marks, ``times`` and ``often`` become "3 times".
    """
    code = f"why: {reason.code}"
    sentence = translate(language, code)
    if reason.values.get("count", 1) != 1:
        several = translate(language, f"{code}, several")
        sentence = sentence if several.startswith(code) else several
    values = {
        name: _value(language, reason.code, name, value) for name, value in reason.values.items()
    }
    return sentence % values


def _value(language: str, code: Why, name: str, value: Value) -> str:
    if isinstance(value, tuple):
        return f" {translate(language, _AND)} ".join(value)
    if name == "quoted":
        return repr(value)
    if name in ("times", "often"):
        once = N_("%(count)s time") if code is Why.MORE_USUAL and name == "often" else N_("once")
        return translate(language, once if value == 1 else N_("%(count)s times")) % {"count": value}
    return str(value)


def check_editions(
    rulebooks: Sequence[Rulebook],
    edition: str | None,
    origins: Container[Origin] = frozenset(Origin),
    cards: Callable[[str], Iterable[Card]] = lambda game: (),
) -> Iterator[tuple[Rulebook, tuple[Finding, ...]]]:
    """Yield each of ``rulebooks``, or only ``edition``, with its findings of the given ``origins``;
    ``cards`` returns the cards of a game, whose names the check uses.
    """
    ties = TieChecker(rulebooks)
    for rulebook in rulebooks:
        if edition in (None, rulebook.edition.id):
            references = find_references(rulebook, rulebooks)
            names = card_names(cards(rulebook.edition.game), rulebook.edition.language)
            found = check_rulebook(rulebook, rulebooks, references, ties, names)
            yield rulebook, tuple(finding for finding in found if finding.origin in origins)


def card_names(cards: Iterable[Card], language: str) -> set[str]:
    """Return the names of ``cards`` in ``language``, including those with subtitles."""
    found = set()
    for face in (face for card in cards for face in card.faces):
        if name := face.names.get(language):
            subtitle = face.subtitles.get(language)
            found |= {name, f"{name} - {subtitle}"} if subtitle else {name}
    return found


def finding_out(finding: Finding, judged: JudgedFinding | None = None) -> FindingOut:
    """Return a finding; ``judged`` adds its key and who ignores it."""
    ignored = judged.ignored if judged else None
    return FindingOut(
        edition=finding.edition,
        line=finding.line,
        sort=finding.kind,
        printed=finding.printed,
        meant=finding.meant,
        certainty=finding.certainty,
        why=reason_text(finding.why),
        origin=finding.origin,
        origin_why=origin_reason(finding.origin_why),
        id=judged.key if judged else None,
        ignored=IgnoredOut(**ignored.model_dump(include={"by", "date", "because"}))
        if ignored
        else None,
    )


def findings_text(
    rulebook: Rulebook,
    found: Sequence[Finding],
    judged: Sequence[JudgedFinding] = (),
    ids: bool = False,
) -> str:
    """Return the findings of one rulebook by kind, for a terminal; ``judged`` says which are
    ignored, and why; with ``ids``, each has its key.
    """
    edition = rulebook.edition
    counts = Counter(finding.certainty for finding in found)
    summary = ", ".join(f"{counts[c]} {c.value}" for c in Certainty if counts[c]) or "nothing found"
    lines = [f"{edition.full_title} ({edition.id}, from {rulebook.document.file}): {summary}"]
    known = {id(each.finding): each for each in judged}
    if ignored := sum(each.ignored is not None for each in judged):
        lines[0] += f"; {ignored} ignored"
    extracted = rulebook.document.extracted
    lines += [f"  {note}" for note in (extracted.notes if extracted else ())]
    for kind, group in groupby(found, key=lambda finding: finding.kind):
        here = list(group)
        lines += ["", f"  {FINDING_TITLES[kind]} ({len(here)})"]
        for finding in here:
            place = f"{finding.line:6}" if finding.line is not None else " " * 6
            meant = f" → {finding.meant}" if finding.meant is not None else ""
            why = f"({reason_text(finding.why)}) [{finding.origin.value}]"
            line = f"  {place}  {finding.certainty.value:8}  {finding.printed}{meant}  {why}"
            if said := known.get(id(finding)):
                line += f" {said.key}" if ids else ""
                if by := said.ignored:
                    line += f" ignored by {by.by}, {by.date}: {by.because}"
            lines.append(line)
    return "\n".join(lines)


@dataclass(frozen=True)
class EntryFindings:
    """The findings in one entry: ``sure`` ones are certain or likely, ``doubtful`` ones possible;
    ``pending`` says that the check is not finished.
    """

    sure: tuple[Finding, ...] = ()
    doubtful: tuple[Finding, ...] = ()
    pending: bool = False


def snapshot_findings(snapshot: Snapshot) -> EditionFindings | None:
    """Return the findings of each edition of ``snapshot`` that could be checked, by its id; None
    while the check runs, which the first call starts.
    """
    try:
        return _checked(snapshot, begin=True)
    except Preparing:
        return None
    except Problem:  # logged already; the page shows everything else
        return {}


def reading_doubts(snapshot: Snapshot, edition: str, language: str) -> list[str]:
    """Return the parts of the document of ``edition`` that could not be read, as sentences in
    ``language``; none while the check runs.
    """
    found = (finished_findings(snapshot) or {}).get(edition, ())
    unread = (each for each in found if each.kind is FindingKind.UNREAD)
    return list(dict.fromkeys(filter(None, (reason_in(language, each.why) for each in unread))))


def finished_findings(snapshot: Snapshot) -> EditionFindings | None:
    """Return `snapshot_findings` if the check is finished, else None; it is not started."""
    try:
        return _checked(snapshot, begin=False)
    except Problem:
        return None


def _checked(snapshot: Snapshot, begin: bool) -> EditionFindings:
    """Return the findings of the build, else those of a helper process. Raises `Preparing` if that
    is not finished.
    """

    def read_built() -> EditionFindings | None:
        location = snapshot.location
        path = location / FINDINGS if isinstance(location, Path) else None
        if path is None or not path.exists():
            return None
        try:
            return _STORED_FINDINGS.validate_json(path.read_bytes())
        except (OSError, ValueError) as fault:
            _LOG.warning("%s cannot be read (%s); the rulebooks are checked anew", path, fault)
            return None

    def read() -> EditionFindings:
        if not begin and not (snapshot.folder and is_stored(snapshot.folder, FINDINGS_WORK)):
            raise Preparing
        return _STORED_FINDINGS.validate_json(stored(snapshot, FINDINGS_WORK, patience=0.0))

    built = snapshot.cache.get(("findings of the build",), read_built)
    return snapshot.cache.get(("findings",), read) if built is None else built


def _render_findings(snapshot: SnapshotContents) -> bytes:
    try:
        books = snapshot.rulebooks()
    except (LookupError, OSError) as fault:
        _LOG.warning("index %s cannot be checked: %s", snapshot.id, fault)
        books = []
    ties = TieChecker(books)
    found = {}
    for book in books:
        references = tuple(snapshot.library.references_in(book.edition.id))
        names = card_names(snapshot.cards.of_game(book.edition.game), book.edition.language)
        found[book.edition.id] = check_rulebook(book, books, references, ties, names)
    return _STORED_FINDINGS.dump_json(found)


FINDINGS_WORK: Work[bytes] = Work(("findings",), _render_findings, slow=True)


def edition_findings(
    snapshot: Snapshot, edition: Edition, ignored: IgnoredFindings
) -> list[JudgedFinding] | None:
    """Return the findings in ``edition``, including ``ignored`` ones; None while the check runs, or
    if the edition could not be checked.
    """
    found = (snapshot_findings(snapshot) or {}).get(edition.id)
    entries = snapshot.library.entries_of(edition.id)
    return None if found is None else judged_findings(found, edition, entries, ignored)


def entry_findings(snapshot: Snapshot, entry: Entry, ignored: IgnoredFindings) -> EntryFindings:
    """Return the findings in the lines of ``entry`` that are not ``ignored``, in the order of the
    lines.
    """
    edition = snapshot.library.edition[entry.edition]
    if snapshot_findings(snapshot) is None:
        return EntryFindings(pending=True)
    judged = edition_findings(snapshot, edition, ignored) or ()
    first, last = entry.lines
    here = [
        finding
        for _, finding, by in judged
        if first <= (finding.line or 0) <= last and finding.kind not in _PROJECT_NOTES and not by
    ]
    here.sort(key=lambda finding: finding.line or 0)
    return EntryFindings(
        sure=tuple(f for f in here if f.certainty is not Certainty.POSSIBLE),
        doubtful=tuple(f for f in here if f.certainty is Certainty.POSSIBLE),
    )
