"""Comparisons, new versions, terms, and what is wrong in print."""

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
    """What to choose of a comparison, whatever its format."""

    review: Literal["open", "reviewed", "reworded"] | None = None
    """Only differences that nobody has reviewed as they are now, or passages that somebody has, or
    had before their wording changed. Not in html, tmx and tbx.
    """
    doubtful: bool = False
    """In tmx, with sentences that may be no true translation, and a note why."""
    as_printed: bool = False
    """In tmx, with the misprints that notes on editions know of."""
    source: SourceName = None
    regions: Regions = None


class ComparisonPathParams(RequestParams):
    """Which editions."""

    left: EditionId
    right: EditionId
    """The id of another edition of the same game."""


class TermsParams(RequestParams):
    """Of which game; what to choose of its term list, whatever its format."""

    game: GameName
    cards: bool = False
    """With the names of the game's cards, their traits and products."""
    slang: bool = False
    """In csv and xlsx, with what players say."""
    source: SourceName = None
    regions: Regions = None


class TermsQueryParams(TermsParams):
    """In what format: the address without it is that of JSON."""

    format: TermsFormat | None = Field(None, json_schema_extra=UNLISTED)


class TermsCheckParams(RequestParams):
    """Of which game."""

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
    """Where it stands in the text of the document."""
    display: str
    """Its words as readers see them."""


class HintEvidenceOut(ResponseModel):
    """The words that a number, a term or a condition was read from."""

    value: str
    """The number, the id of the concept, or the condition."""
    words: str
    """As they stand in the passage: `vier` for 4."""
    passage: _PassageId
    span: SpanPair
    """Where they stand in `display` of the passage."""


class DifferenceOut(ResponseModel):
    """What only one side has; for terms and false friends, concept ids; for conditions, what they
    say: `only`, `unless`.
    """

    sort: Annotated[DifferenceKind, inline_enum(DifferenceKind), Field(title="Sort")]
    """What differs."""
    left: list[str]
    """What only the left side has."""
    right: list[str]
    """What only the right side has."""
    left_evidence: list[HintEvidenceOut] = left_out([])
    """The words that it was read from."""
    right_evidence: list[HintEvidenceOut] = left_out([])
    """The words that it was read from."""


class ReviewOut(ResponseModel):
    """What somebody has said of facing passages."""

    status: Annotated[ReviewStatus, inline_enum(ReviewStatus), Field(title="Status of review")]
    """Whether they are reviewed as they are now; reworded ones had other words."""
    state: Annotated[ReviewState, inline_enum(ReviewState), Field(title="State")]
    """How far they are, in the words of XLIFF 2.1."""
    reviewer: str
    """Who has said so."""
    date: str
    """On which day."""
    note: str
    """What about it; empty where nothing is."""


class ReviewCountsOut(ResponseModel):
    """How many differences have been reviewed."""

    open: int
    """Differences that nobody has reviewed as they are now."""
    reviewed: int
    """Differences that somebody has."""
    reworded: int
    """Open ones that had been reviewed before their wording changed."""


class FacingPassagesOut(ResponseModel):
    """Passages that face each other."""

    id: str
    """Names them in files for review, in every version with these words; unique in a comparison."""
    status: _Status
    agreement: _Agreement = None
    moved: bool
    """Whether it stands elsewhere in its entry, or in another one."""
    moved_to: list[str] = left_out([])
    """Passages of the other edition, in other entries, that say what only one side has here."""
    by_hand: bool | None = left_out()
    """Whether somebody has put them together or apart by hand."""
    left: list[ComparedPassageOut]
    """The passages of the left side."""
    right: list[ComparedPassageOut]
    """The passages of the right side."""
    source: list[ComparedPassageOut] | None = Field(
        default=None, exclude_if=lambda source: source is None
    )
    """What the source edition has for them; missing without one."""
    source_agreed: bool | None = Field(None, exclude_if=lambda agreed: agreed is None)
    """Whether both sides surely correspond to all of `source`; missing without it."""
    differences: list[DifferenceOut]
    """What differs between them."""
    doubtful: list[DifferenceOut] = left_out([])
    """QA warnings on what may only be put in other words. They make no difference."""
    review: ReviewOut | None = left_out()
    """What somebody has said of them."""


class SidesOut(ResponseModel):
    """What each side refers to and the other does not, by entry id."""

    left: list[str]
    """What only the left side refers to."""
    right: list[str]
    """What only the right side refers to."""


class PairOut(ResponseModel):
    """Entries that face each other."""

    concept: str | None
    """The id of the concept that ties them, if any."""
    status: _Status
    agreement: _Agreement = None
    renamed: bool
    """Whether the two versions head it otherwise."""
    left: list[ComparedEntryOut]
    """The entries of the left side."""
    right: list[ComparedEntryOut]
    """The entries of the right side."""
    source: list[ComparedEntryOut] | None = Field(
        default=None, exclude_if=lambda source: source is None
    )
    """The entries of the source edition; missing without one."""
    references: SidesOut
    """What only one side refers to."""
    rows: list[FacingPassagesOut]
    """Their passages, facing each other."""


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
    """How many differences are open, how many not."""
    entries: list[PairOut]
    """The entries, in the order of the left edition."""


class WordingOut(ResponseModel):
    """What one language calls a term."""

    name: str | None
    """The preferred name, if it is known."""
    further: list[str]
    """Other names that rulebooks use."""
    abbreviations: list[str]
    """Abbreviations of it."""
    slang: list[str]
    """What players call it."""
    part_of_speech: str | None
    """Null where it is not known."""
    status: Annotated[TermStatus, inline_enum(TermStatus)] = Field(title="TermStatus")
    """Whether a rulebook here has it, somebody proposed it, or players say it."""
    inflections: list[str]
    """Those of `further` that are forms of another name."""
    proposed: list[str]
    """Names and forms of it that stand in no rulebook here."""
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
    """What the entry is."""
    line: int
    """The line of the document where the entry begins."""


class TermOut(ResponseModel):
    """A term in every language that has it."""

    sort: Annotated[
        TermKind,
        inline_enum(TermKind),
        Field(title="TermSort", exclude_if=lambda kind: kind is TermKind.RULES),
    ] = TermKind.RULES
    """What it names, where that is nothing of the rules."""
    concept: str | None
    """The id of the concept, if it has one."""
    sense: str | None = left_out()
    """What it names of a concept that names several things: in play, out of play."""
    names: dict[str, WordingOut]
    """What it is called, by language."""
    symbols: list[str]
    """The symbols that stand for it."""
    sources: list[TermSourceOut]
    """The entries that define it."""
    cards: list[str] = left_out([])
    """The ids of the cards that have the name."""
    passages: int = left_out(0)
    """Of a candidate, in how many passages it stands."""


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
    """Who ignores it."""
    date: str
    """Since when, as ISO 8601 writes a day."""
    because: str
    """Why, in their words."""


class FindingOut(ResponseModel):
    """Something wrong in print: what stands there, what is meant, how sure, and why."""

    edition: str
    """The id of the edition."""
    line: int | None
    """The line of the document; null for the whole of it."""
    sort: FindingKind
    """What kind of fault it is, as docs/check.md lists them."""
    printed: str
    """What stands there."""
    meant: str | None
    """What is meant; null where that is not known."""
    certainty: Certainty
    """How sure it is that this is a fault."""
    why: str
    """Why it is one, in English."""
    origin: Origin
    """Whether print, or a scan or conversion, is at fault."""
    origin_why: str
    """Why the fault is taken to be of this origin."""
    id: str | None = left_out()
    """What it is known by in every version with these words, where it can be ignored."""
    ignored: IgnoredOut | None = left_out()
    """Who ignores it, where somebody does."""


class RenderingOut(ResponseModel):
    """One way in which an edition calls a concept."""

    form: str
    """The form that is printed most often."""
    forms: dict[str, int]
    """How often each form is printed."""
    how: RenderingKind
    """Whether it is its name, another one, a typo."""
    meant: str | None
    """What a typo is meant to be."""
    count: int
    """How often the concept is called so."""
    lines: list[int]
    """The lines of the document where it stands."""
    also: list[str]
    """Other concepts that are called the same."""


class EditionUseOut(ResponseModel):
    """What one edition calls a concept."""

    name: str
    """What the edition calls it in its heading."""
    renderings: list[RenderingOut]
    """The ways in which it is called."""


class ConceptUseOut(ResponseModel):
    """What the editions call a concept, by edition."""

    concept: str
    """The id of the concept, game first."""
    editions: dict[str, EditionUseOut]
    """What each edition calls it, by the id of the edition."""


class TermsCheckOut(ResponseModel):
    """How consistently the editions of a game use its terms."""

    game: str
    """The game of the terms."""
    editions: list[str]
    """The ids of the editions that were looked through."""
    concepts: list[ConceptUseOut]
    """What each concept is called, and how often."""
    findings: list[FindingOut]
    """What is wrong with the terms."""


class ChangedPassageOut(ResponseModel):
    """Where a passage stands."""

    passage: _PassageId
    lines: _Lines


class ChangedWordsOut(ResponseModel):
    """Words that stand in each other's place; empty where one version has none there."""

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
    """How alike they are, from 0 to 1."""
    words: list[ChangedWordsOut]
    """The words that changed, in order."""
    renamed: bool
    """Whether all of these are words that are renamed throughout: see `renamed`."""
    substance: list[SubstanceChange]
    """What may make it another rule, the surest first."""


class RenamingOut(ResponseModel):
    """Words that the newer edition has replaced throughout, such as a renamed term."""

    left: str
    """The words of the older edition."""
    right: str
    """The words of the newer edition."""
    entries: list[ComparedEntryOut]
    """The entry that is headed so in either edition, if there is one."""
    places: list[MatchedOut]
    """The passages in which they are replaced."""


class ChangeOut(ResponseModel):
    """What became of an entry."""

    became: list[ChangeKind]
    """What became of it."""
    left: list[ComparedEntryOut]
    """The entries of the older edition."""
    right: list[ComparedEntryOut]
    """The entries of the newer edition."""
    references: SidesOut
    """What only one of them refers to."""
    substance: list[SubstanceChange]
    """What may make it other rules, the surest first."""
    only_renamed: bool
    """Whether nothing changed but words that are renamed throughout."""
    passages: list[MatchedOut]
    """The passages that changed, facing each other."""


class ChangeSummaryOut(ResponseModel):
    """How many entries and passages became what."""

    entries: dict[str, int]
    """How many entries became what."""
    passages: dict[str, int]
    """How many passages became what."""
    substance: int
    """How many passages may say something else than before."""


class LostConceptOut(ResponseModel):
    """An entry that is no longer tied to its concept."""

    concept: str
    """The id of the concept."""
    left: ComparedEntryOut
    """The entry of the older edition."""
    right: ComparedEntryOut
    """The entry of the newer edition."""


class FollowedConceptOut(ResponseModel):
    """An entry tied to its concept by its text alone."""

    concept: str
    """The id of the concept."""
    right: ComparedEntryOut
    """The entry of the newer edition."""


class ChangedConceptsOut(ResponseModel):
    """What became of the concepts."""

    carried: int
    """How many entries keep their concept."""
    lost: list[LostConceptOut]
    """Entries that lost their concept."""
    followed: list[FollowedConceptOut]
    """Entries tied to one by their text alone."""


class OrphanedPhrasingsOut(ResponseModel):
    """Phrasings that lost their passage, and where they probably belong."""

    fingerprint: str
    """Names the words of the passage that they are for."""
    at: str
    """Where that passage stood."""
    left: ChangedPassageOut
    """That passage in the older edition."""
    right: list[ChangedPassageOut]
    """Passages that they probably belong to."""
    likeness: float
    """How alike the first of these is, from 0 to 1."""


class ChangedPhrasingsOut(ResponseModel):
    """What became of the phrasings."""

    passages: int
    """How many passages have phrasings."""
    texts: int
    """How many phrasings they have in all."""
    orphaned: list[OrphanedPhrasingsOut]
    """Phrasings that lost their passage."""


class CorrectionOut(ResponseModel):
    """A correction of the older version."""

    line: int
    """The line in the older edition."""
    fault: Fault
    """What kind of fault it corrects."""
    printed: str
    """What is printed."""
    to: int | None = left_out()
    """Where its line stands now."""


class ChangedCorrectionsOut(ResponseModel):
    """What became of the corrections."""

    carried: int
    """How many corrections still fit where they stood."""
    moved: list[CorrectionOut]
    """Corrections whose line stands elsewhere now."""
    unfit: list[CorrectionOut]
    """Corrections whose line is not found again."""


class UnresolvedOut(ResponseModel):
    """A reference that leads nowhere."""

    line: int
    """The line of the document that it stands on."""
    raw: str
    """What is printed."""


class AttentionOut(ResponseModel):
    """What a person has to look at, with the lines in the old and the new version."""

    care: ReviewReason
    """Why it has to be looked at."""
    left: int | None
    """The line in the older edition, if any."""
    right: int | None
    """The line in the newer edition, if any."""
    what: str
    """What it is about, in English."""


class ChangesOut(ResponseModel):
    """What changed in an edition against the version before it."""

    left: str
    """The id of the older edition."""
    right: str
    """The id of the newer edition."""
    summary: ChangeSummaryOut
    """How much became what."""
    renamed: list[RenamingOut]
    """Words that are replaced throughout, each with all its places."""
    entries: list[ChangeOut]
    """The entries that changed."""
    concepts: ChangedConceptsOut
    """What became of the ties to concepts."""
    phrasings: ChangedPhrasingsOut
    """What became of the phrasings of players."""
    corrections: ChangedCorrectionsOut | None
    """What became of corrections, if there are any."""
    unresolved: list[UnresolvedOut]
    """References that lead nowhere."""
    findings: list[FindingOut] | None
    """What is newly wrong; null if not looked for."""
    attention: list[AttentionOut]
    """What a person has to look at."""


class CardComparisonPathParams(RequestParams):
    """Of which game."""

    game: GameName
    """A game with cards in several languages."""


class CardComparisonParams(RequestParams):
    """In what language."""

    language: str
    """The language that is compared with English: de, it."""


class ComparedCardTextOut(ResponseModel):
    """A text of a card, word for word, and what in it the other language has nothing for."""

    text: str
    """The text as it stands in the file."""
    spans: list[SpanPair]
    """Of what differs, in characters of `text`."""
    words: list[str]
    """What stands at each span."""
    source: StringSourceOut
    """The place in the file."""


class CardDifferenceOut(ResponseModel):
    """A difference between a card and its translation; a side is missing where there is no text."""

    card: str
    """The id of the card."""
    slug: str
    """The last part of the card's address."""
    face: int = Field(ge=1)
    """Which face of the card, counted from 1."""
    name: str
    """What the face is called in English."""
    translated_name: str | None
    """What the face is called in the language."""
    sort: Annotated[CardDifference, inline_enum(CardDifference), Field(title="Difference")]
    """`card`: it has no name in the language; `face`: a face of it has none; `text`: a text is
    missing; `untranslated`: a text is the English one.
    """
    english: ComparedCardTextOut | None
    """The English text, if any."""
    translation: ComparedCardTextOut | None
    """The text in the language, if any."""


class CardComparisonOut(ResponseModel):
    """The cards of a game in one language beside the English ones: whatever differs."""

    game: str
    """The game of the cards."""
    language: str
    """The language that was compared with English."""
    cards: int
    """How many cards were compared."""
    summary: dict[str, int]
    """How many differences there are of each sort."""
    differences: list[CardDifferenceOut]
    """Whatever differs."""
