"""Comparisons of editions and cards, changes between versions, terms, and misprints."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from corpus.model import Fault, Kind
from glossary.check import Certainty, FindingKind, Origin
from glossary.check.renderings import RenderingKind
from glossary.comparison import Agreement, ComparisonStatus, DifferenceKind
from glossary.comparison.card_texts import CardDifference
from glossary.comparison.new_version import ReviewReason
from glossary.comparison.reviews import ReviewState, ReviewStatus
from glossary.comparison.rewording import SubstanceChange
from glossary.comparison.version_changes import ChangeKind
from glossary.terms.term_list import TermKind, TermStatus
from service.schemas.base import UNLISTED, RequestParams, ResponseModel, inline_enum, left_out
from service.schemas.fields import EDITION_ID, EditionId, GameName, LinePair, SpanPair
from service.schemas.passage import StringSourceOut

TermsFormat = Literal["json", "csv", "xlsx", "tbx", "tbx3", "tmx"]
_REGION = "[a-z]{2}=[a-z]{2}(-[A-Z][a-z]{3})?-([A-Z]{2}|[0-9]{3})"
REGIONS = rf"^{_REGION}(,{_REGION})*$"
SourceName = Annotated[
    str | None,
    Field(
        description="The id of the edition that the others were translated from, or none; the only "
        "English one where it is not given.",
        json_schema_extra={"format": "edition", "pattern": EDITION_ID},
    ),
]
Regions = Annotated[
    str | None,
    Field(
        description="Tags with a region for files of translation tools: de=de-DE,it=it-IT.",
        json_schema_extra={"pattern": REGIONS},
    ),
]
_Status = Annotated[
    ComparisonStatus,
    Field(description="Whether only one side has it, both differ, or both say the same."),
]
_Agreement = Annotated[
    Agreement | None,
    Field(
        description="How far both sides say the same: every clause and term has its counterpart, "
        "some are unsure, or some have none. Null where only one has the entry, or the other has "
        "it elsewhere."
    ),
]
_PassageId = Annotated[str, Field(description="The id of the passage.")]
_Lines = Annotated[LinePair, Field(description="Its first and last line, from 1.")]


class ComparisonParams(RequestParams):
    """Options of a comparison, in any format."""

    review: Literal["open", "reviewed", "reworded"] | None = None
    """Only open differences, not reviewed in their present wording; only reviewed passages; or only
    passages reworded since their review. Not in html, tmx and tbx.
    """
    doubtful: bool = False
    """In tmx, with sentences that may not be true translations, and a note why."""
    as_printed: bool = False
    """In tmx, with known misprints uncorrected."""
    source: SourceName = None
    regions: Regions = None


class ComparisonPathParams(RequestParams):
    """The editions to compare."""

    left: EditionId
    right: EditionId
    """The id of another edition of the same game."""


class TermsParams(RequestParams):
    """The game and the options of its term list, in any format."""

    game: GameName
    cards: bool = False
    """With the names of the game's cards, their traits and products."""
    slang: bool = False
    """In csv and xlsx, with players' slang."""
    source: SourceName = None
    regions: Regions = None


class TermsQueryParams(TermsParams):
    """The parameters of a term list with its format, JSON by default."""

    format: TermsFormat | None = Field(None, json_schema_extra=UNLISTED)


class TermsCheckParams(RequestParams):
    """The game whose terms are checked."""

    game: GameName


class ComparedEntryOut(ResponseModel):
    """An entry of one side."""

    entry: str
    """The id of the entry."""
    heading: str
    """The heading as printed."""
    title: str
    """The heading as readers see it."""
    lines: _Lines


class ComparedPassageOut(ResponseModel):
    """A passage of one side."""

    passage: _PassageId
    lines: _Lines
    spans: list[SpanPair]
    """Its places in the text of the document."""
    display: str
    """Its text for readers."""


class HintEvidenceOut(ResponseModel):
    """The words that a number, a term or a condition was read from."""

    value: str
    """The number, the id of the concept, or the condition."""
    words: str
    """The words in the passage: `vier` for 4."""
    passage: _PassageId
    span: SpanPair
    """The place of the words in `display` of the passage."""


class DifferenceOut(ResponseModel):
    """A difference in numbers, terms, conditions and the like: the values that only one side has.
    Terms and false friends are given by concept id, conditions by their meaning: `only`, `unless`.
    """

    sort: Annotated[DifferenceKind, inline_enum(DifferenceKind), Field(title="Sort")]
    """The kind of difference."""
    left: list[str]
    """The values that only the left side has."""
    right: list[str]
    """The values that only the right side has."""
    left_evidence: list[HintEvidenceOut] = left_out([])
    """The words with the values of `left`."""
    right_evidence: list[HintEvidenceOut] = left_out([])
    """The words with the values of `right`."""


class ReviewOut(ResponseModel):
    """A review of aligned passages by a person."""

    status: Annotated[ReviewStatus, inline_enum(ReviewStatus), Field(title="Status of review")]
    """Whether the present wording was reviewed, or an earlier one."""
    state: Annotated[ReviewState, inline_enum(ReviewState), Field(title="State")]
    """The state of the translation, as in XLIFF 2.1."""
    reviewer: str
    """The name of the reviewer."""
    date: str
    """The day of the review."""
    note: str
    """The remark of the reviewer, perhaps empty."""


class ReviewCountsOut(ResponseModel):
    """How many differences have been reviewed."""

    open: int
    """Differences not reviewed in their present wording."""
    reviewed: int
    """Differences reviewed in their present wording."""
    reworded: int
    """Open differences that were reviewed before their wording changed."""


class FacingPassagesOut(ResponseModel):
    """Aligned passages of two editions."""

    id: str
    """Their id in files for review, the same in every version with these words; unique in a
    comparison.
    """
    status: _Status
    agreement: _Agreement = None
    moved: bool
    """Whether one side has it elsewhere in the entry, or in another entry."""
    moved_to: list[str] = left_out([])
    """Passages of the other edition, in other entries, that say what only one side has here."""
    by_hand: bool | None = left_out()
    """Whether a person has aligned or separated them."""
    left: list[ComparedPassageOut]
    """The passages of the left side."""
    right: list[ComparedPassageOut]
    """The passages of the right side."""
    source: list[ComparedPassageOut] | None = Field(
        default=None, exclude_if=lambda source: source is None
    )
    """The aligned passages of the source edition; missing without one."""
    source_agreed: bool | None = Field(None, exclude_if=lambda agreed: agreed is None)
    """Whether both sides surely correspond to all of `source`; missing without it."""
    differences: list[DifferenceOut]
    """The differences between them."""
    doubtful: list[DifferenceOut] = left_out([])
    """QA warnings on differences that may only be in wording; they do not change `status`."""
    review: ReviewOut | None = left_out()
    """The review of the passages."""


class SidesOut(ResponseModel):
    """The ids of entries that only one side refers to."""

    left: list[str]
    """Entries that only the left side refers to."""
    right: list[str]
    """Entries that only the right side refers to."""


class PairOut(ResponseModel):
    """Aligned entries of two editions."""

    concept: str | None
    """The id of their common concept, if any."""
    status: _Status
    agreement: _Agreement = None
    renamed: bool
    """Whether the two versions have different headings."""
    left: list[ComparedEntryOut]
    """The entries of the left side."""
    right: list[ComparedEntryOut]
    """The entries of the right side."""
    source: list[ComparedEntryOut] | None = Field(
        default=None, exclude_if=lambda source: source is None
    )
    """The entries of the source edition; missing without one."""
    references: SidesOut
    """Entries that only one side refers to."""
    rows: list[FacingPassagesOut]
    """Their aligned passages."""


class ComparisonOut(ResponseModel):
    """Two editions side by side, entry by entry, passage by passage."""

    left: str
    """The id of the left edition."""
    right: str
    """The id of the right edition."""
    source: str | None = left_out()
    """The edition that both were translated from, if any."""
    summary: dict[str, int]
    """How many entries there are of each status."""
    reviews: ReviewCountsOut
    """How many differences are open, reviewed, reworded."""
    entries: list[PairOut]
    """The entries, in the order of the left edition."""


class WordingOut(ResponseModel):
    """The names of a term in one language."""

    name: str | None
    """The preferred name, if known."""
    further: list[str]
    """Other names that rulebooks use."""
    abbreviations: list[str]
    """Abbreviations of the term."""
    slang: list[str]
    """Names that players use."""
    part_of_speech: str | None
    """The part of speech, or null."""
    status: Annotated[TermStatus, inline_enum(TermStatus)] = Field(title="TermStatus")
    """Whether a rulebook here uses it, somebody proposed it, or players use it."""
    inflections: list[str]
    """The names in `further` that are forms of another name."""
    proposed: list[str]
    """Names and forms that are in no rulebook here."""
    definition: str | None = left_out()
    """The first sentence of its entry."""
    definition_source: str | None = left_out()
    """The citation of the definition."""


class TermSourceOut(ResponseModel):
    """An entry that a term is defined in."""

    edition: str
    """The id of the edition."""
    entry: str
    """The id of the entry."""
    heading: str
    """The heading of the entry, as printed."""
    kind: Kind
    """The kind of entry."""
    line: int
    """The line of the document where the entry begins."""


class TermOut(ResponseModel):
    """A term in every language that has it."""

    sort: Annotated[
        TermKind,
        inline_enum(TermKind),
        Field(title="TermSort", exclude_if=lambda kind: kind is TermKind.RULES),
    ] = TermKind.RULES
    """The kind of term, missing for terms of the rules."""
    concept: str | None
    """The id of the concept, if it has one."""
    sense: str | None = left_out()
    """The sense, if the concept has several: in play, out of play."""
    names: dict[str, WordingOut]
    """The names by language."""
    symbols: list[str]
    """The symbols that stand for it."""
    sources: list[TermSourceOut]
    """The entries that define it."""
    cards: list[str] = left_out([])
    """The ids of the cards with this name."""
    passages: int = left_out(0)
    """For a candidate, the number of passages that have it."""


class TermsOut(ResponseModel):
    """The term list of a game."""

    game: str
    """The game of the list."""
    source: str | None = left_out()
    """The edition that the others were translated from, if any."""
    languages: list[str]
    """The languages that the list has names in."""
    editions: list[str]
    """The ids of the editions that the terms are from."""
    terms: list[TermOut]
    """The terms, in the order of their names."""


class IgnoredOut(ResponseModel):
    """Who ignores a finding, since when, and why."""

    by: str
    """The name of the person."""
    date: str
    """The day (ISO 8601)."""
    because: str
    """The reason, in the person's words."""


class FindingOut(ResponseModel):
    """A probable misprint: the printed and the intended words, the certainty and the reason."""

    edition: str
    """The id of the edition."""
    line: int | None
    """The line of the document; null for the whole document."""
    sort: FindingKind
    """The kind of fault, as listed in docs/check.md."""
    printed: str
    """The printed words."""
    meant: str | None
    """The intended words; null if unknown."""
    certainty: Certainty
    """How sure it is that this is a fault."""
    why: str
    """The reason, in English."""
    origin: Origin
    """Whether print, or a scan or conversion, is at fault."""
    origin_why: str
    """The reason for this origin."""
    id: str | None = left_out()
    """The id, the same in every version with these words, if the finding can be ignored."""
    ignored: IgnoredOut | None = left_out()
    """Who ignores it, if anyone."""


class RenderingOut(ResponseModel):
    """One name that an edition uses for a concept."""

    form: str
    """The form that is printed most often."""
    forms: dict[str, int]
    """How often each form is printed."""
    how: RenderingKind
    """Whether it is the official name, another name, or a typo."""
    meant: str | None
    """The correct spelling of a typo."""
    count: int
    """How often the name is used."""
    lines: list[int]
    """The lines of the document with the name."""
    also: list[str]
    """Other concepts with the same name."""


class EditionUseOut(ResponseModel):
    """The names that one edition uses for a concept."""

    name: str
    """The name in the edition's heading."""
    renderings: list[RenderingOut]
    """All names that it uses."""


class ConceptUseOut(ResponseModel):
    """The names that editions use for a concept."""

    concept: str
    """The id of the concept, game first."""
    editions: dict[str, EditionUseOut]
    """The names by the id of the edition."""


class TermsCheckOut(ResponseModel):
    """How consistently the editions of a game use its terms."""

    game: str
    """The game of the terms."""
    editions: list[str]
    """The ids of the editions checked."""
    concepts: list[ConceptUseOut]
    """The names of each concept, and how often they are used."""
    findings: list[FindingOut]
    """The findings on terms."""


class ChangedPassageOut(ResponseModel):
    """A passage by id and lines."""

    passage: _PassageId
    lines: _Lines


class ChangedWordsOut(ResponseModel):
    """Words that were replaced; a side is empty if words were only added or removed."""

    left: str
    """The words of the older edition."""
    right: str
    """The words of the newer edition."""


class MatchedOut(ResponseModel):
    """Passages of the old and the new version that are the same or nearly so."""

    left: list[ChangedPassageOut]
    """The passages of the older edition."""
    right: list[ChangedPassageOut]
    """The passages of the newer edition."""
    likeness: float
    """Their similarity, from 0 to 1."""
    words: list[ChangedWordsOut]
    """The words that changed, in order."""
    renamed: bool
    """Whether all changed words are renamed throughout the edition."""
    substance: list[SubstanceChange]
    """Changes that may alter the rule, the surest first."""


class RenamingOut(ResponseModel):
    """Words that the newer edition has replaced throughout, such as a renamed term."""

    left: str
    """The words of the older edition."""
    right: str
    """The words of the newer edition."""
    entries: list[ComparedEntryOut]
    """The entry with this heading in either edition, if any."""
    places: list[MatchedOut]
    """The passages in which they are replaced."""


class ChangeOut(ResponseModel):
    """The changes of an entry between two versions."""

    became: list[ChangeKind]
    """The kinds of change."""
    left: list[ComparedEntryOut]
    """The entries of the older edition."""
    right: list[ComparedEntryOut]
    """The entries of the newer edition."""
    references: SidesOut
    """Entries that only one version refers to."""
    substance: list[SubstanceChange]
    """Changes that may alter the rules, the surest first."""
    only_renamed: bool
    """Whether only words renamed throughout the edition changed."""
    passages: list[MatchedOut]
    """The changed passages of both versions, aligned."""


class ChangeSummaryOut(ResponseModel):
    """The numbers of entries and passages by kind of change."""

    entries: dict[str, int]
    """The number of entries by kind of change."""
    passages: dict[str, int]
    """The number of passages by kind of change."""
    substance: int
    """The number of passages that may state another rule than before."""


class LostConceptOut(ResponseModel):
    """An entry that has lost its concept."""

    concept: str
    """The id of the concept."""
    left: ComparedEntryOut
    """The entry of the older edition."""
    right: ComparedEntryOut
    """The entry of the newer edition."""


class FollowedConceptOut(ResponseModel):
    """An entry that was matched with its concept by its text alone."""

    concept: str
    """The id of the concept."""
    right: ComparedEntryOut
    """The entry of the newer edition."""


class ChangedConceptsOut(ResponseModel):
    """The concepts of entries after the change."""

    carried: int
    """How many entries keep their concept."""
    lost: list[LostConceptOut]
    """Entries that have lost their concept."""
    followed: list[FollowedConceptOut]
    """Entries that were matched with their concept by text alone."""


class OrphanedPhrasingsOut(ResponseModel):
    """Query variants that have lost their passage, and the passages they probably belong to."""

    fingerprint: str
    """The fingerprint of the words of their passage."""
    at: str
    """The former place of the passage."""
    left: ChangedPassageOut
    """The passage in the older edition."""
    right: list[ChangedPassageOut]
    """Passages that they probably belong to."""
    likeness: float
    """The similarity of the first of these, from 0 to 1."""


class ChangedPhrasingsOut(ResponseModel):
    """The query variants after the change."""

    passages: int
    """How many passages have query variants."""
    texts: int
    """How many query variants there are."""
    orphaned: list[OrphanedPhrasingsOut]
    """Query variants that have lost their passage."""


class CorrectionOut(ResponseModel):
    """A correction of the older version."""

    line: int
    """The line in the older edition."""
    fault: Fault
    """The kind of fault that it corrects."""
    printed: str
    """The printed words."""
    to: int | None = left_out()
    """The number of its line now."""


class ChangedCorrectionsOut(ResponseModel):
    """The corrections after the change."""

    carried: int
    """How many corrections still fit their line."""
    moved: list[CorrectionOut]
    """Corrections whose line has moved."""
    unfit: list[CorrectionOut]
    """Corrections whose line was not found again."""


class UnresolvedOut(ResponseModel):
    """A reference to nothing that exists."""

    line: int
    """The line of the document."""
    raw: str
    """The printed words."""


class AttentionOut(ResponseModel):
    """A change for a person to check, with the lines in the old and the new version."""

    care: ReviewReason
    """The reason for the check."""
    left: int | None
    """The line in the older edition, if any."""
    right: int | None
    """The line in the newer edition, if any."""
    what: str
    """The subject, in English."""


class ChangesOut(ResponseModel):
    """The changes of an edition since the version before."""

    left: str
    """The id of the older edition."""
    right: str
    """The id of the newer edition."""
    summary: ChangeSummaryOut
    """The numbers of changes."""
    renamed: list[RenamingOut]
    """Words that are replaced throughout, each with all its places."""
    entries: list[ChangeOut]
    """The entries that changed."""
    concepts: ChangedConceptsOut
    """The concepts of entries after the change."""
    phrasings: ChangedPhrasingsOut
    """The query variants after the change."""
    corrections: ChangedCorrectionsOut | None
    """The corrections after the change, if any."""
    unresolved: list[UnresolvedOut]
    """References to nothing that exists."""
    findings: list[FindingOut] | None
    """New findings; null if not checked."""
    attention: list[AttentionOut]
    """Changes for a person to check."""


class CardComparisonPathParams(RequestParams):
    """The game whose cards are compared."""

    game: GameName
    """A game with cards in several languages."""


class CardComparisonParams(RequestParams):
    """The language of the translations."""

    language: str
    """The language that is compared with English: de, it."""


class ComparedCardTextOut(ResponseModel):
    """A text of a card, word for word, and the parts of it that the other language lacks."""

    text: str
    """The text as in the file."""
    spans: list[SpanPair]
    """The places in `text` that differ."""
    words: list[str]
    """The words at each span."""
    source: StringSourceOut
    """The place in the file."""


class CardDifferenceOut(ResponseModel):
    """A difference between a card and its translation; a side is missing if it has no text."""

    card: str
    """The id of the card."""
    slug: str
    """The last part of the card's address."""
    face: int = Field(ge=1)
    """The number of the face, from 1."""
    name: str
    """The English name of the face."""
    translated_name: str | None
    """The translated name of the face."""
    sort: Annotated[CardDifference, inline_enum(CardDifference), Field(title="Difference")]
    """`card`: the card has no name in the language; `face`: a face has no name; `text`: a text is
    missing; `untranslated`: a text is in English.
    """
    english: ComparedCardTextOut | None
    """The English text, if any."""
    translation: ComparedCardTextOut | None
    """The text in the language, if any."""


class CardComparisonOut(ResponseModel):
    """The differences between the cards of a game in one language and in English."""

    game: str
    """The game of the cards."""
    language: str
    """The language that was compared with English."""
    cards: int
    """How many cards were compared."""
    summary: dict[str, int]
    """How many differences there are of each sort."""
    differences: list[CardDifferenceOut]
    """The differences."""
