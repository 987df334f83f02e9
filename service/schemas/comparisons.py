"""What translators and editors ask for: comparisons, new versions, terms, and what is wrong in
print.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from corpus.model import Fault, Kind
from glossary.check import Certainty, FindingKind, Origin
from glossary.check.renderings import RenderingKind
from glossary.comparison import ComparisonStatus, DifferenceKind
from glossary.comparison.card_texts import CardDifference
from glossary.comparison.new_version import ChangeKind, ReviewReason
from glossary.comparison.reviews import ReviewState, ReviewStatus
from glossary.terms.term_list import TermKind
from service.schemas.base import UNLISTED, RequestParams, ResponseModel, inline_enum
from service.schemas.fields import EDITION_ID, EditionId, GameName, LinePair, SpanPair
from service.schemas.layers import StringSourceOut

TermsFormat = Literal["json", "csv", "xlsx", "tbx", "tbx3", "tmx"]
REGIONS = r"^[a-z]{2}=[a-z]{2}(-[A-Z][a-z]{3})?-([A-Z]{2}|[0-9]{3})(,[a-z]{2}=[a-z]{2}(-[A-Z][a-z]{3})?-([A-Z]{2}|[0-9]{3}))*$"


SourceName = Annotated[
    str | None,
    Field(
        description="The id of the edition that the others were translated from, or none; the only English one where it is not given.",
        json_schema_extra={"format": "edition", "pattern": EDITION_ID},
    ),
]
Regions = Annotated[
    str | None,
    Field(
        description="Tags with a region for files of translation tools (tmx, tbx): de=de-DE,it=it-IT. Languages alone where not given.",
        json_schema_extra={"pattern": REGIONS},
    ),
]


class ComparisonParams(RequestParams):
    """What to choose of a comparison, whatever its format."""

    review: Literal["open", "reviewed", "reworded"] | None = Field(
        default=None,
        description="Only differences that nobody has reviewed as they are now, or passages that somebody has, or that had been before"
        " their wording changed. json, csv, xlsx, xliff and the formats for review know it.",
    )
    doubtful: bool = Field(
        default=False,
        description="In tmx, with the sentences that may be no true translation, each with a note that says why.",
    )
    source: SourceName = None
    regions: Regions = None


class ComparisonPathParams(RequestParams):
    """Which editions."""

    left: EditionId
    right: EditionId = Field(description="The id of another edition of the same game.")


class TermsParams(RequestParams):
    """Of which game; what to choose of its term list, whatever its format."""

    game: GameName
    cards: bool = Field(
        default=False, description="With the names of the game's cards, their traits and products."
    )
    source: SourceName = None
    regions: Regions = None


class TermsQueryParams(TermsParams):
    """In what format: the address without it is that of JSON, and every other format has an address
    of its own, too.
    """

    format: TermsFormat | None = Field(default=None, json_schema_extra=UNLISTED)


class TermsCheckParams(RequestParams):
    """Of which game."""

    game: GameName


class ComparedEntryOut(ResponseModel):
    """An entry of one side."""

    entry: str = Field(description="The id of the entry.")
    heading: str = Field(description="The heading as printed.")
    title: str = Field(description="The heading as readers see it.")
    lines: LinePair = Field(description="The first and the last line of it, counted from 1.")


class ComparedPassageOut(ResponseModel):
    """A passage of one side."""

    passage: str = Field(description="The id of the passage.")
    lines: LinePair = Field(description="The first and the last line of it, counted from 1.")
    spans: list[SpanPair] = Field(
        description="Where it stands, in characters of the text of the document."
    )
    display: str = Field(description="Its words as readers see them.")


class HintEvidenceOut(ResponseModel):
    """The words that a number, a term or a condition was read from."""

    value: str = Field(
        description="The number in figures, the id of the concept, or what the condition says."
    )
    words: str = Field(description="As they stand in the passage: `vier` for 4.")
    passage: str = Field(description="The id of the passage.")
    span: SpanPair = Field(description="Where they stand in `display` of the passage.")


class DifferenceOut(ResponseModel):
    """What only one side has; for terms and false friends, concept ids; for conditions, what they
    say: `only`, `unless`.
    """

    sort: Annotated[
        DifferenceKind,
        inline_enum(DifferenceKind),
        Field(
            description="What differs: numbers, symbols, names, terms, references, words, conditions, false friends.",
            title="Sort",
        ),
    ]
    left: list[str] = Field(description="What only the left side has.")
    right: list[str] = Field(description="What only the right side has.")
    left_evidence: list[HintEvidenceOut] = Field(
        default=[],
        description="The words of the left side that it was read from.",
        exclude_if=lambda found: not found,
    )
    right_evidence: list[HintEvidenceOut] = Field(
        default=[],
        description="The words of the right side that it was read from.",
        exclude_if=lambda found: not found,
    )


class ReviewOut(ResponseModel):
    """What somebody has said of facing passages."""

    status: Annotated[
        ReviewStatus,
        inline_enum(ReviewStatus),
        Field(
            title="Status of review",
            description="Whether they are reviewed as they are now; reworded ones were, with other words.",
        ),
    ]
    state: Annotated[
        ReviewState,
        inline_enum(ReviewState),
        Field(title="State", description="How far they are, in the words of XLIFF 2.1."),
    ]
    reviewer: str = Field(description="Who has said so.")
    date: str = Field(description="On which day.")
    note: str = Field(description="What about it; empty where nothing is.")


class ReviewCountsOut(ResponseModel):
    """How many differences have been reviewed."""

    open: int = Field(description="Differences that nobody has reviewed as they are now.")
    reviewed: int = Field(description="Differences that somebody has.")
    reworded: int = Field(
        description="Open ones that had been reviewed before their wording changed."
    )


class FacingPassagesOut(ResponseModel):
    """Passages that face each other."""

    id: str = Field(
        description="Names them in files for review; the same in every version that has these words. Unique in a comparison."
    )
    status: ComparisonStatus = Field(
        description="Whether only one side has it, both differ, or both say the same."
    )
    moved: bool = Field(description="Whether it stands elsewhere in its entry, or in another one.")
    left: list[ComparedPassageOut] = Field(
        description="The passages of the left side; several where they are divided otherwise."
    )
    right: list[ComparedPassageOut] = Field(description="The passages of the right side.")
    source: list[ComparedPassageOut] | None = Field(
        default=None,
        description="What the source edition has for them; missing without one.",
        exclude_if=lambda source: source is None,
    )
    source_agreed: bool | None = Field(
        default=None,
        description="Whether both sides correspond to all of `source`; where not, one of them has no part in it, or the alignment is in"
        " doubt. Missing without a source edition.",
        exclude_if=lambda agreed: agreed is None,
    )
    differences: list[DifferenceOut] = Field(description="What differs between them.")
    doubtful: list[DifferenceOut] = Field(
        default=[],
        description="Hints that a reader may well find to be none: what may only be put in other words. They make no difference.",
        exclude_if=lambda found: not found,
    )
    review: ReviewOut | None = Field(
        default=None,
        description="What somebody has said of them; left out where nobody has.",
        exclude_if=lambda review: review is None,
    )


class SidesOut(ResponseModel):
    """What each side refers to and the other does not, by entry id."""

    left: list[str] = Field(description="What only the left side refers to.")
    right: list[str] = Field(description="What only the right side refers to.")


class PairOut(ResponseModel):
    """Entries that face each other."""

    concept: str | None = Field(
        description="The id of the concept that ties them; null where none does."
    )
    status: ComparisonStatus = Field(
        description="Whether only one side has it, both differ, or both say the same."
    )
    renamed: bool = Field(description="Whether the two versions head it otherwise.")
    left: list[ComparedEntryOut] = Field(
        description="The entries of the left side; several where they are divided otherwise."
    )
    right: list[ComparedEntryOut] = Field(description="The entries of the right side.")
    source: list[ComparedEntryOut] | None = Field(
        default=None,
        description="The entries of the source edition; missing without one.",
        exclude_if=lambda source: source is None,
    )
    references: SidesOut = Field(description="What only one side refers to.")
    rows: list[FacingPassagesOut] = Field(description="Their passages, facing each other.")


class ComparisonOut(ResponseModel):
    """Two editions side by side, entry by entry, passage by passage."""

    left: str = Field(description="The id of the left edition.")
    right: str = Field(description="The id of the right edition.")
    source: str | None = Field(
        default=None,
        description="The edition that both were translated from, the third column; missing without one.",
        exclude_if=lambda source: source is None,
    )
    summary: dict[str, int] = Field(description="How many entries there are of each status.")
    reviews: ReviewCountsOut = Field(
        description="Of its differences, how many are open and how many somebody has reviewed."
    )
    entries: list[PairOut] = Field(
        description="The entries that face each other, in the order of the left edition."
    )


class WordingOut(ResponseModel):
    """What one language calls a term."""

    name: str | None = Field(
        description="The preferred name; null where only abbreviations or slang are known."
    )
    further: list[str] = Field(description="Other names that rulebooks use.")
    abbreviations: list[str] = Field(description="Abbreviations of it.")
    slang: list[str] = Field(description="What players call it.")
    part_of_speech: str | None = Field(
        description="The part of speech; null where it is not known."
    )


class TermSourceOut(ResponseModel):
    """An entry that a term is defined in."""

    edition: str = Field(description="The id of the edition.")
    entry: str = Field(description="The id of the entry.")
    heading: str = Field(description="The heading of the entry, as printed.")
    kind: Kind = Field(description="What the entry is.")
    line: int = Field(description="The line of the document where the entry begins.")


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
    concept: str | None = Field(
        description="The id of the concept; null where none ties the entries of the term."
    )
    names: dict[str, WordingOut] = Field(description="What it is called, by language.")
    symbols: list[str] = Field(description="The symbols that stand for it.")
    sources: list[TermSourceOut] = Field(
        description="The entries that define it, in every edition."
    )
    cards: list[str] = Field(
        default=[],
        description="The ids of the cards that have the name.",
        exclude_if=lambda cards: not cards,
    )


class TermsOut(ResponseModel):
    """The term list of a game."""

    game: str = Field(description="The game of the list.")
    source: str | None = Field(
        default=None,
        description="The edition that the others were translated from; its language is the first of `languages`. Missing without one.",
        exclude_if=lambda source: source is None,
    )
    languages: list[str] = Field(description="The languages that the list has names in.")
    editions: list[str] = Field(description="The ids of the editions that the terms are from.")
    terms: list[TermOut] = Field(description="The terms, in the order of their names.")


class FindingOut(ResponseModel):
    """Something wrong in print: what stands there, what is meant, how sure, and why."""

    edition: str = Field(description="The id of the edition.")
    line: int | None = Field(
        description="The line of the document; null for a finding on the whole."
    )
    sort: FindingKind = Field(description="What kind of fault it is, as docs/check.md lists them.")
    printed: str = Field(description="What stands there.")
    meant: str | None = Field(description="What is meant; null where that is not known.")
    certainty: Certainty = Field(description="How sure it is that this is a fault.")
    why: str = Field(description="Why it is one, in English.")
    origin: Origin = Field(
        description="Whose fault it most likely is: the publisher's, or that of a scan or conversion."
    )
    origin_why: str = Field(description="Why the fault is taken to be of this origin.")


class RenderingOut(ResponseModel):
    """One way in which an edition calls a concept."""

    form: str = Field(description="The form that is printed most often.")
    forms: dict[str, int] = Field(description="How often each form is printed.")
    how: RenderingKind = Field(
        description="How it fits what the term is called: its name, another one, a slip."
    )
    meant: str | None = Field(description="What a slip is meant to be; null where it is none.")
    count: int = Field(description="How often the concept is called so.")
    lines: list[int] = Field(description="The lines of the document where it stands.")
    also: list[str] = Field(description="Other concepts that are called the same.")


class EditionUseOut(ResponseModel):
    """What one edition calls a concept."""

    name: str = Field(description="What the edition calls it in its heading.")
    renderings: list[RenderingOut] = Field(
        description="The ways in which it is called, with where each stands."
    )


class ConceptUseOut(ResponseModel):
    """What the editions call a concept, by edition."""

    concept: str = Field(description="The id of the concept, game first.")
    editions: dict[str, EditionUseOut] = Field(
        description="What each edition calls it, by the id of the edition."
    )


class TermsCheckOut(ResponseModel):
    """How consistently the editions of a game use its terms."""

    game: str = Field(description="The game of the terms.")
    editions: list[str] = Field(description="The ids of the editions that were looked through.")
    concepts: list[ConceptUseOut] = Field(description="What each concept is called, and how often.")
    findings: list[FindingOut] = Field(description="What is wrong with the terms.")


class ChangedPassageOut(ResponseModel):
    """Where a passage stands."""

    passage: str = Field(description="The id of the passage.")
    lines: LinePair = Field(description="The first and the last line of it, counted from 1.")


class MatchedOut(ResponseModel):
    """Passages of the old and the new version that are the same or nearly so."""

    left: list[ChangedPassageOut] = Field(description="The passages of the older edition.")
    right: list[ChangedPassageOut] = Field(description="The passages of the newer edition.")
    likeness: float = Field(description="How alike they are, from 0 to 1.")


class ChangeOut(ResponseModel):
    """What became of an entry."""

    became: list[ChangeKind] = Field(
        description="What became of it: new, gone, moved, renamed, reworded."
    )
    left: list[ComparedEntryOut] = Field(description="The entries of the older edition.")
    right: list[ComparedEntryOut] = Field(description="The entries of the newer edition.")
    references: SidesOut = Field(description="What only one of them refers to.")
    passages: list[MatchedOut] = Field(description="The passages that changed, facing each other.")


class ChangeSummaryOut(ResponseModel):
    """How many entries and passages became what."""

    entries: dict[str, int] = Field(description="How many entries became what.")
    passages: dict[str, int] = Field(description="How many passages became what.")


class LostConceptOut(ResponseModel):
    """An entry that is no longer tied to its concept."""

    concept: str = Field(description="The id of the concept.")
    left: ComparedEntryOut = Field(description="The entry of the older edition.")
    right: ComparedEntryOut = Field(description="The entry of the newer edition.")


class FollowedConceptOut(ResponseModel):
    """An entry tied to its concept by its text alone."""

    concept: str = Field(description="The id of the concept.")
    right: ComparedEntryOut = Field(description="The entry of the newer edition.")


class ChangedConceptsOut(ResponseModel):
    """What became of the concepts."""

    carried: int = Field(description="How many entries keep their concept.")
    lost: list[LostConceptOut] = Field(
        description="Entries that are no longer tied to their concept."
    )
    followed: list[FollowedConceptOut] = Field(
        description="Entries that are tied to one by their text alone."
    )


class OrphanedPhrasingsOut(ResponseModel):
    """Phrasings that lost their passage, and where they probably belong."""

    fingerprint: str = Field(
        description="Names the passage that they were written for, by a hash of its words."
    )
    at: str = Field(description="Where that passage stood, as the file of phrasings has it.")
    left: ChangedPassageOut = Field(description="That passage in the older edition.")
    right: list[ChangedPassageOut] = Field(
        description="The passages of the newer edition that they probably belong to."
    )
    likeness: float = Field(description="How alike the first of these is, from 0 to 1.")


class ChangedPhrasingsOut(ResponseModel):
    """What became of the phrasings."""

    passages: int = Field(description="How many passages have phrasings.")
    texts: int = Field(description="How many phrasings they have in all.")
    orphaned: list[OrphanedPhrasingsOut] = Field(description="Phrasings that lost their passage.")


class CorrectionOut(ResponseModel):
    """A correction of the older version."""

    line: int = Field(description="The line in the older edition.")
    fault: Fault = Field(description="What kind of fault it corrects.")
    printed: str = Field(description="What is printed.")
    to: int | None = Field(
        default=None, description="Where its line stands now.", exclude_if=lambda line: line is None
    )


class ChangedCorrectionsOut(ResponseModel):
    """What became of the corrections."""

    carried: int = Field(description="How many corrections still fit where they stood.")
    moved: list[CorrectionOut] = Field(description="Corrections whose line stands elsewhere now.")
    unfit: list[CorrectionOut] = Field(description="Corrections whose line is not found again.")


class UnresolvedOut(ResponseModel):
    """A reference that leads nowhere."""

    line: int = Field(description="The line of the document that it stands on.")
    raw: str = Field(description="What is printed.")


class AttentionOut(ResponseModel):
    """What a person has to look at, with the lines in the old and the new version."""

    care: ReviewReason = Field(description="Why it has to be looked at.")
    left: int | None = Field(description="The line in the older edition; null where it has none.")
    right: int | None = Field(description="The line in the newer edition; null where it has none.")
    what: str = Field(description="What it is about, in English.")


class ChangesOut(ResponseModel):
    """What changed in an edition against the version before it."""

    left: str = Field(description="The id of the older edition.")
    right: str = Field(description="The id of the newer edition.")
    summary: ChangeSummaryOut = Field(
        description="How many entries, and how many passages, became what."
    )
    entries: list[ChangeOut] = Field(description="The entries that changed.")
    concepts: ChangedConceptsOut = Field(description="What became of the ties to concepts.")
    phrasings: ChangedPhrasingsOut = Field(description="What became of the phrasings of players.")
    corrections: ChangedCorrectionsOut | None = Field(
        description="What became of corrections; null where the older edition has none."
    )
    unresolved: list[UnresolvedOut] = Field(
        description="References of the newer edition that lead nowhere."
    )
    findings: list[FindingOut] | None = Field(
        description="What is wrong in the newer edition that was not in the older; null where that was not looked for."
    )
    attention: list[AttentionOut] = Field(
        description="What a person has to look at, the most pressing first."
    )


class CardComparisonPathParams(RequestParams):
    """Of which game."""

    game: GameName = Field(description="A game with cards in several languages.")


class CardComparisonParams(RequestParams):
    """In what language."""

    language: str = Field(description="The language that is compared with English: de, it.")


class ComparedCardTextOut(ResponseModel):
    """A text of a card, word for word, and what in it the other language has nothing for."""

    text: str = Field(description="The text as it stands in the file.")
    spans: list[SpanPair] = Field(description="Of what differs, in characters of `text`.")
    words: list[str] = Field(description="What stands at each span.")
    source: StringSourceOut = Field(description="The place in the file.")


class CardDifferenceOut(ResponseModel):
    """A difference between a card and its translation; a side is missing where there is no text."""

    card: str = Field(description="The id of the card.")
    slug: str = Field(description="The last part of the card's address.")
    face: int = Field(ge=1, description="Which face of the card, counted from 1.")
    name: str = Field(description="What the face is called in English.")
    translated_name: str | None = Field(
        description="What the face is called in the language; null where it has no name in it."
    )
    sort: Annotated[
        CardDifference,
        inline_enum(CardDifference),
        Field(
            title="Difference",
            description="`card`: it has no name in the language; `face`: a face of it has none; `text`: a text is missing; "
            "`untranslated`: a text is the English one.",
        ),
    ]
    english: ComparedCardTextOut | None = Field(
        description="The English text; null where there is none."
    )
    translation: ComparedCardTextOut | None = Field(
        description="The text in the language; null where there is none."
    )


class CardComparisonOut(ResponseModel):
    """The cards of a game in one language beside the English ones: whatever differs, in the order
    of the cards.
    """

    game: str = Field(description="The game of the cards.")
    language: str = Field(description="The language that was compared with English.")
    cards: int = Field(description="How many cards were compared.")
    summary: dict[str, int] = Field(description="How many differences there are of each sort.")
    differences: list[CardDifferenceOut] = Field(
        description="Whatever differs, in the order of the cards."
    )
