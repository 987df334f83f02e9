"""What translators and editors ask for: comparisons, new versions, terms, and what is wrong in print."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from corpus.model import Fault, Kind
from glossary.check import Certainty, FindingKind, Origin
from glossary.check.renderings import RenderingKind
from glossary.comparison import ComparisonStatus, DifferenceKind
from glossary.comparison.changes import ChangeKind
from glossary.comparison.new_version import ReviewReason
from glossary.comparison.review_marks import ReviewStatus
from glossary.comparison.reviews import ReviewState
from glossary.term_list import TermKind
from service.schemas.base import LinePair, RequestParams, ResponseModel, SpanPair, inline_enum

ComparisonFormat = Literal["json", "csv", "html", "xlsx", "tbx", "tbx3", "tmx", "xliff", "review-xlsx", "review-docx"]
TermsFormat = Literal["json", "csv", "xlsx", "tbx", "tbx3", "tmx"]
GameName = Annotated[str, Field(description="The game: see `game` of GET /v1/editions.", json_schema_extra={"format": "game"})]


class ComparisonParams(RequestParams):
    """In what format."""

    format: Annotated[
        ComparisonFormat | None, Field(description="JSON where it is not given; tbx is ISO 30042:2008, tbx3 that of 2019.")
    ] = None
    review: Annotated[
        Literal["open", "reviewed", "reworded"] | None,
        Field(
            description="Only differences that nobody has reviewed as they are now, or passages that somebody has, or that had been before"
            " their wording changed. json, csv, xlsx, xliff and the formats for review know it."
        ),
    ] = None


class ComparisonPathParams(RequestParams):
    """Which editions."""

    left: Annotated[str, Field(description="The id of an edition.")]
    right: Annotated[str, Field(description="The id of another edition of the same game.")]


class TermsParams(RequestParams):
    """Of which game, in what format."""

    game: GameName
    cards: Annotated[bool, Field(description="With the names of the game's cards, their traits and products.")] = False
    format: Annotated[TermsFormat | None, Field(description="JSON where it is not given; tbx is ISO 30042:2008, tbx3 that of 2019.")] = None


class TermsCheckParams(RequestParams):
    """Of which game."""

    game: GameName


class ComparedEntryOut(ResponseModel):
    """An entry of one side."""

    entry: str
    heading: str
    title: str
    lines: LinePair


class ComparedPassageOut(ResponseModel):
    """A passage of one side."""

    passage: str
    lines: LinePair
    spans: list[SpanPair]
    display: str


class DifferenceOut(ResponseModel):
    """What only one side has; for terms, concept ids."""

    sort: Annotated[DifferenceKind, inline_enum(DifferenceKind), Field(title="Sort")]
    left: list[str]
    right: list[str]


class ReviewOut(ResponseModel):
    """What somebody has said of facing passages."""

    status: Annotated[
        ReviewStatus,
        inline_enum(ReviewStatus),
        Field(title="Status of review", description="Whether they are reviewed as they are now; reworded ones were, with other words."),
    ]
    state: Annotated[
        ReviewState, inline_enum(ReviewState), Field(title="State", description="How far they are, in the words of XLIFF 2.1.")
    ]
    reviewer: Annotated[str, Field(description="Who has said so.")]
    date: Annotated[str, Field(description="On which day.")]
    note: Annotated[str, Field(description="What about it; empty where nothing is.")]


class ReviewCountsOut(ResponseModel):
    """How many differences have been reviewed."""

    open: Annotated[int, Field(description="Differences that nobody has reviewed as they are now.")]
    reviewed: Annotated[int, Field(description="Differences that somebody has.")]
    reworded: Annotated[int, Field(description="Open ones that had been reviewed before their wording changed.")]


class FacingPassagesOut(ResponseModel):
    """Passages that face each other."""

    id: Annotated[
        str, Field(description="Names them in files for review; the same in every version that has these words. Unique in a comparison.")
    ]
    status: ComparisonStatus
    moved: bool
    left: list[ComparedPassageOut]
    right: list[ComparedPassageOut]
    differences: list[DifferenceOut]
    review: Annotated[
        ReviewOut | None,
        Field(description="What somebody has said of them; left out where nobody has.", exclude_if=lambda review: review is None),
    ] = None


class SidesOut(ResponseModel):
    """What each side refers to and the other does not, by entry id."""

    left: list[str]
    right: list[str]


class PairOut(ResponseModel):
    """Entries that face each other."""

    concept: str | None
    status: ComparisonStatus
    renamed: Annotated[bool, Field(description="Whether the two versions head it otherwise.")]
    left: list[ComparedEntryOut]
    right: list[ComparedEntryOut]
    references: SidesOut
    rows: list[FacingPassagesOut]


class ComparisonOut(ResponseModel):
    """Two editions side by side, entry by entry, passage by passage."""

    left: str
    right: str
    summary: Annotated[dict[str, int], Field(description="How many entries there are of each status.")]
    reviews: Annotated[ReviewCountsOut, Field(description="How many differences have been reviewed.")]
    entries: list[PairOut]


class WordingOut(ResponseModel):
    """What one language calls a term."""

    name: str | None
    further: list[str]
    abbreviations: list[str]
    slang: list[str]
    part_of_speech: str | None


class TermSourceOut(ResponseModel):
    """An entry that a term is defined in."""

    edition: str
    entry: str
    heading: str
    kind: Kind
    line: int


class TermOut(ResponseModel):
    """A term in every language that has it."""

    sort: Annotated[
        TermKind,
        inline_enum(TermKind),
        Field(
            title="TermSort",
            description="What it names, where that is nothing of the rules: a card, a trait of cards, a product.",
            exclude_if=lambda kind: kind is TermKind.RULES,
        ),
    ] = TermKind.RULES
    concept: str | None
    names: dict[str, WordingOut]
    symbols: list[str]
    sources: list[TermSourceOut]
    cards: list[str] = Field(default=[], description="The ids of the cards that have the name.", exclude_if=lambda cards: not cards)


class TermsOut(ResponseModel):
    """The term list of a game."""

    game: str
    languages: list[str]
    editions: list[str]
    terms: list[TermOut]


class FindingOut(ResponseModel):
    """Something wrong in print: what stands there, what is meant, how sure, and why."""

    edition: str
    line: int | None
    sort: FindingKind
    printed: str
    meant: str | None
    certainty: Certainty
    why: str
    origin: Annotated[Origin, Field(description="Whose fault it most likely is: the publisher's, or that of a scan or conversion.")]
    origin_why: str


class RenderingOut(ResponseModel):
    """One way in which an edition calls a concept."""

    form: str
    forms: dict[str, int]
    how: RenderingKind
    meant: str | None
    count: int
    lines: list[int]
    also: Annotated[list[str], Field(description="Other concepts that are called the same.")]


class EditionUseOut(ResponseModel):
    """What one edition calls a concept."""

    name: str
    renderings: list[RenderingOut]


class ConceptUseOut(ResponseModel):
    """What the editions call a concept, by edition."""

    concept: str
    editions: dict[str, EditionUseOut]


class TermsCheckOut(ResponseModel):
    """How consistently the editions of a game use its terms."""

    game: str
    editions: list[str]
    concepts: list[ConceptUseOut]
    findings: list[FindingOut]


class ChangedPassageOut(ResponseModel):
    """Where a passage stands."""

    passage: str
    lines: LinePair


class MatchedOut(ResponseModel):
    """Passages of the old and the new version that are the same or nearly so."""

    left: list[ChangedPassageOut]
    right: list[ChangedPassageOut]
    likeness: float


class ChangeOut(ResponseModel):
    """What became of an entry."""

    became: list[ChangeKind]
    left: list[ComparedEntryOut]
    right: list[ComparedEntryOut]
    references: SidesOut
    passages: list[MatchedOut]


class ChangeSummaryOut(ResponseModel):
    """How many entries and passages became what."""

    entries: dict[str, int]
    passages: dict[str, int]


class LostConceptOut(ResponseModel):
    """An entry that is no longer tied to its concept."""

    concept: str
    left: ComparedEntryOut
    right: ComparedEntryOut


class FollowedConceptOut(ResponseModel):
    """An entry tied to its concept by its text alone."""

    concept: str
    right: ComparedEntryOut


class ChangedConceptsOut(ResponseModel):
    """What became of the concepts."""

    carried: int
    lost: list[LostConceptOut]
    followed: list[FollowedConceptOut]


class OrphanedPhrasingsOut(ResponseModel):
    """Phrasings that lost their passage, and where they probably belong."""

    fingerprint: str
    at: str
    left: ChangedPassageOut
    right: list[ChangedPassageOut]
    likeness: float


class ChangedPhrasingsOut(ResponseModel):
    """What became of the phrasings."""

    passages: int
    texts: int
    orphaned: list[OrphanedPhrasingsOut]


class CorrectionOut(ResponseModel):
    """A correction of the older version."""

    line: int
    fault: Fault
    printed: str
    to: Annotated[int | None, Field(description="Where its line stands now.", exclude_if=lambda line: line is None)] = None


class ChangedCorrectionsOut(ResponseModel):
    """What became of the corrections."""

    carried: int
    moved: list[CorrectionOut]
    unfit: list[CorrectionOut]


class UnresolvedOut(ResponseModel):
    """A reference that leads nowhere."""

    line: int
    raw: str


class AttentionOut(ResponseModel):
    """What a person has to look at, with the lines in the old and the new version."""

    care: ReviewReason
    left: int | None
    right: int | None
    what: str


class ChangesOut(ResponseModel):
    """What changed in an edition against the version before it."""

    left: str
    right: str
    summary: ChangeSummaryOut
    entries: list[ChangeOut]
    concepts: ChangedConceptsOut
    phrasings: ChangedPhrasingsOut
    corrections: ChangedCorrectionsOut | None
    unresolved: list[UnresolvedOut]
    findings: list[FindingOut] | None
    attention: list[AttentionOut]
