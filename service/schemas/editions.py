"""What translators and editors ask for: comparisons, new versions, terms, and what is wrong in print."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from corpus.model import Fault, Kind
from glossary.check import Certainty, Sort
from glossary.check.renderings import How
from glossary.comparison import Status
from glossary.comparison.changes import Became
from glossary.comparison.edition_comparison import Sort as DifferenceSort
from glossary.comparison.new_version import Care
from service.schemas.base import Lines, Parameters, Result, Span, words_of

ComparisonFormat = Literal["json", "csv", "html", "xlsx", "tbx", "tbx3", "tmx"]
TermsFormat = Literal["json", "csv", "xlsx", "tbx", "tbx3"]
GameName = Annotated[str, Field(description="The game: see `game` of GET /v1/editions.", json_schema_extra={"format": "game"})]


class ComparisonParameters(Parameters):
    """In what format."""

    format: Annotated[
        ComparisonFormat | None, Field(description="JSON where it is not given; tbx is ISO 30042:2008, tbx3 that of 2019.")
    ] = None


class ComparisonPath(Parameters):
    """Which editions."""

    left: Annotated[str, Field(description="The id of an edition.")]
    right: Annotated[str, Field(description="The id of another edition of the same game.")]


class TermsParameters(Parameters):
    """Of which game, in what format."""

    game: GameName
    format: Annotated[TermsFormat | None, Field(description="JSON where it is not given; tbx is ISO 30042:2008, tbx3 that of 2019.")] = None


class TermsCheckParameters(Parameters):
    """Of which game."""

    game: GameName


class ComparedEntry(Result):
    """An entry of one side."""

    entry: str
    heading: str
    title: str
    lines: Lines


class ComparedPassage(Result):
    """A passage of one side."""

    passage: str
    lines: Lines
    spans: list[Span]
    display: str


class Difference(Result):
    """What only one side has; for terms, concept ids."""

    sort: Annotated[str, words_of(DifferenceSort)]
    left: list[str]
    right: list[str]


class FacingPassages(Result):
    """Passages that face each other."""

    status: Status
    moved: bool
    left: list[ComparedPassage]
    right: list[ComparedPassage]
    differences: list[Difference]


class Sides(Result):
    """What each side refers to and the other does not, by entry id."""

    left: list[str]
    right: list[str]


class Pair(Result):
    """Entries that face each other."""

    concept: str | None
    status: Status
    renamed: Annotated[bool, Field(description="Whether the two versions head it otherwise.")]
    left: list[ComparedEntry]
    right: list[ComparedEntry]
    references: Sides
    rows: list[FacingPassages]


class Comparison(Result):
    """Two editions side by side, entry by entry, passage by passage."""

    left: str
    right: str
    summary: Annotated[dict[str, int], Field(description="How many entries there are of each status.")]
    entries: list[Pair]


class Wording(Result):
    """What one language calls a term."""

    name: str | None
    further: list[str]
    abbreviations: list[str]
    slang: list[str]
    part_of_speech: str | None


class TermSource(Result):
    """An entry that a term is defined in."""

    edition: str
    entry: str
    heading: str
    kind: Kind
    line: int


class Term(Result):
    """A term in every language that has it."""

    concept: str | None
    names: dict[str, Wording]
    symbols: list[str]
    sources: list[TermSource]


class Terms(Result):
    """The term list of a game."""

    game: str
    languages: list[str]
    editions: list[str]
    terms: list[Term]


class Finding(Result):
    """Something wrong in print: what stands there, what is meant, how sure, and why."""

    edition: str
    line: int | None
    sort: Sort
    printed: str
    meant: str | None
    certainty: Certainty
    why: str


class Rendering(Result):
    """One way in which an edition calls a concept."""

    form: str
    forms: dict[str, int]
    how: How
    meant: str | None
    count: int
    lines: list[int]
    also: Annotated[list[str], Field(description="Other concepts that are called the same.")]


class EditionUse(Result):
    """What one edition calls a concept."""

    name: str
    renderings: list[Rendering]


class ConceptUse(Result):
    """What the editions call a concept, by edition."""

    concept: str
    editions: dict[str, EditionUse]


class TermsCheck(Result):
    """How consistently the editions of a game use its terms."""

    game: str
    editions: list[str]
    concepts: list[ConceptUse]
    findings: list[Finding]


class ChangedPassage(Result):
    """Where a passage stands."""

    passage: str
    lines: Lines


class Matched(Result):
    """Passages of the old and the new version that are the same or nearly so."""

    left: list[ChangedPassage]
    right: list[ChangedPassage]
    likeness: float


class Change(Result):
    """What became of an entry."""

    became: list[Became]
    left: list[ComparedEntry]
    right: list[ComparedEntry]
    references: Sides
    passages: list[Matched]


class ChangeSummary(Result):
    """How many entries and passages became what."""

    entries: dict[str, int]
    passages: dict[str, int]


class LostConcept(Result):
    """An entry that is no longer tied to its concept."""

    concept: str
    left: ComparedEntry
    right: ComparedEntry


class FollowedConcept(Result):
    """An entry tied to its concept by its text alone."""

    concept: str
    right: ComparedEntry


class ChangedConcepts(Result):
    """What became of the concepts."""

    carried: int
    lost: list[LostConcept]
    followed: list[FollowedConcept]


class OrphanedPhrasings(Result):
    """Phrasings that lost their passage, and where they probably belong."""

    fingerprint: str
    at: str
    left: ChangedPassage
    right: list[ChangedPassage]
    likeness: float


class ChangedPhrasings(Result):
    """What became of the phrasings."""

    passages: int
    texts: int
    orphaned: list[OrphanedPhrasings]


class Correction(Result):
    """A correction of the older version."""

    line: int
    fault: Fault
    printed: str
    to: Annotated[int | None, Field(description="Where its line stands now.")] = None


class ChangedCorrections(Result):
    """What became of the corrections."""

    carried: int
    moved: list[Correction]
    unfit: list[Correction]


class Unresolved(Result):
    """A reference that leads nowhere."""

    line: int
    raw: str


class Attention(Result):
    """What a person has to look at, with the lines in the old and the new version."""

    care: Care
    left: int | None
    right: int | None
    what: str


class Changes(Result):
    """What changed in an edition against the version before it."""

    left: str
    right: str
    summary: ChangeSummary
    entries: list[Change]
    concepts: ChangedConcepts
    phrasings: ChangedPhrasings
    corrections: ChangedCorrections | None
    unresolved: list[Unresolved]
    findings: list[Finding] | None
    attention: list[Attention]
