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
from glossary.term_list import TermKind
from service.schemas.base import LinePair, RequestParams, ResponseModel, SpanPair, inline_enum

ComparisonFormat = Literal["json", "csv", "html", "xlsx", "tbx", "tbx3", "tmx"]
TermsFormat = Literal["json", "csv", "xlsx", "tbx", "tbx3", "tmx"]
GameName = Annotated[str, Field(description="The game: see `game` of GET /v1/editions.", json_schema_extra={"format": "game"})]


class ComparisonParams(RequestParams):
    """In what format."""

    format: Annotated[
        ComparisonFormat | None, Field(description="JSON where it is not given; tbx is ISO 30042:2008, tbx3 that of 2019.")
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


class HintEvidenceOut(ResponseModel):
    """The words that a number, a term or a condition was read from."""

    value: Annotated[str, Field(description="The number in figures, the id of the concept, or what the condition says.")]
    words: Annotated[str, Field(description="As they stand in the passage: `vier` for 4.")]
    passage: Annotated[str, Field(description="The id of the passage.")]
    span: Annotated[SpanPair, Field(description="Where they stand in `display` of the passage.")]


class DifferenceOut(ResponseModel):
    """What only one side has; for terms and false friends, concept ids; for conditions, what they say: `only`, `unless`."""

    sort: Annotated[DifferenceKind, inline_enum(DifferenceKind), Field(title="Sort")]
    left: list[str]
    right: list[str]
    left_evidence: list[HintEvidenceOut] = Field(
        default=[], description="The words of the left side that it was read from.", exclude_if=lambda found: not found
    )
    right_evidence: list[HintEvidenceOut] = Field(
        default=[], description="The words of the right side that it was read from.", exclude_if=lambda found: not found
    )


class FacingPassagesOut(ResponseModel):
    """Passages that face each other."""

    status: ComparisonStatus
    moved: bool
    left: list[ComparedPassageOut]
    right: list[ComparedPassageOut]
    differences: list[DifferenceOut]
    doubtful: list[DifferenceOut] = Field(
        default=[],
        description="Hints that a reader may well find to be none: what may only be put in other words. They make no difference.",
        exclude_if=lambda found: not found,
    )


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
