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

    review: Literal["open", "reviewed", "reworded"] | None = Field(
        default=None,
        description="Only differences that nobody has reviewed as they are now, or passages that "
        "somebody has, or had before their wording changed. Not in html, tmx and tbx.",
    )
    doubtful: bool = Field(
        default=False,
        description="In tmx, with sentences that may be no true translation, and a note why.",
    )
    as_printed: bool = Field(
        default=False, description="In tmx, with the misprints that notes on editions know of."
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
    slang: bool = Field(default=False, description="In csv and xlsx, with what players say.")
    source: SourceName = None
    regions: Regions = None


class TermsQueryParams(TermsParams):
    """In what format: the address without it is that of JSON."""

    format: TermsFormat | None = Field(default=None, json_schema_extra=UNLISTED)


class TermsCheckParams(RequestParams):
    """Of which game."""

    game: GameName


class ComparedEntryOut(ResponseModel):
    """An entry of one side."""

    entry: str = Field(description="The id of the entry.")
    heading: str = Field(description="The heading as printed.")
    title: str = Field(description="The heading as readers see it.")
    lines: _Lines


class ComparedPassageOut(ResponseModel):
    """A passage of one side."""

    passage: _PassageId
    lines: _Lines
    spans: list[SpanPair] = Field(description="Where it stands in the text of the document.")
    display: str = Field(description="Its words as readers see them.")


class HintEvidenceOut(ResponseModel):
    """The words that a number, a term or a condition was read from."""

    value: str = Field(description="The number, the id of the concept, or the condition.")
    words: str = Field(description="As they stand in the passage: `vier` for 4.")
    passage: _PassageId
    span: SpanPair = Field(description="Where they stand in `display` of the passage.")


class DifferenceOut(ResponseModel):
    """What only one side has; for terms and false friends, concept ids; for conditions, what they
    say: `only`, `unless`.
    """

    sort: Annotated[
        DifferenceKind,
        inline_enum(DifferenceKind),
        Field(description="What differs.", title="Sort"),
    ]
    left: list[str] = Field(description="What only the left side has.")
    right: list[str] = Field(description="What only the right side has.")
    left_evidence: list[HintEvidenceOut] = left_out("The words that it was read from.", [])
    right_evidence: list[HintEvidenceOut] = left_out("The words that it was read from.", [])


class ReviewOut(ResponseModel):
    """What somebody has said of facing passages."""

    status: Annotated[
        ReviewStatus,
        inline_enum(ReviewStatus),
        Field(
            title="Status of review",
            description="Whether they are reviewed as they are now; reworded ones had other words.",
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
        description="Names them in files for review, in every version with these words; unique in "
        "a comparison."
    )
    status: _Status
    agreement: _Agreement = None
    moved: bool = Field(description="Whether it stands elsewhere in its entry, or in another one.")
    moved_to: list[str] = left_out(
        "Passages of the other edition, in other entries, that say what only one side has here.", []
    )
    by_hand: bool | None = left_out("Whether somebody has put them together or apart by hand.")
    left: list[ComparedPassageOut] = Field(description="The passages of the left side.")
    right: list[ComparedPassageOut] = Field(description="The passages of the right side.")
    source: list[ComparedPassageOut] | None = Field(
        default=None,
        description="What the source edition has for them; missing without one.",
        exclude_if=lambda source: source is None,
    )
    source_agreed: bool | None = Field(
        default=None,
        description="Whether both sides surely correspond to all of `source`; missing without it.",
        exclude_if=lambda agreed: agreed is None,
    )
    differences: list[DifferenceOut] = Field(description="What differs between them.")
    doubtful: list[DifferenceOut] = left_out(
        "QA warnings on what may only be put in other words. They make no difference.", []
    )
    review: ReviewOut | None = left_out("What somebody has said of them.")


class SidesOut(ResponseModel):
    """What each side refers to and the other does not, by entry id."""

    left: list[str] = Field(description="What only the left side refers to.")
    right: list[str] = Field(description="What only the right side refers to.")


class PairOut(ResponseModel):
    """Entries that face each other."""

    concept: str | None = Field(description="The id of the concept that ties them, if any.")
    status: _Status
    agreement: _Agreement = None
    renamed: bool = Field(description="Whether the two versions head it otherwise.")
    left: list[ComparedEntryOut] = Field(description="The entries of the left side.")
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
    source: str | None = left_out("The edition that both were translated from, if any.")
    summary: dict[str, int] = Field(description="How many entries there are of each status.")
    reviews: ReviewCountsOut = Field(description="How many differences are open, how many not.")
    entries: list[PairOut] = Field(description="The entries, in the order of the left edition.")


class WordingOut(ResponseModel):
    """What one language calls a term."""

    name: str | None = Field(description="The preferred name, if it is known.")
    further: list[str] = Field(description="Other names that rulebooks use.")
    abbreviations: list[str] = Field(description="Abbreviations of it.")
    slang: list[str] = Field(description="What players call it.")
    part_of_speech: str | None = Field(description="Null where it is not known.")
    status: Annotated[TermStatus, inline_enum(TermStatus)] = Field(
        title="TermStatus",
        description="Whether a rulebook here has it, somebody proposed it, or players say it.",
    )
    inflections: list[str] = Field(description="Those of `further` that are forms of another name.")
    proposed: list[str] = Field(description="Names and forms of it that stand in no rulebook here.")
    definition: str | None = left_out("The first sentence of its entry.")
    definition_source: str | None = left_out("The citation of the definition.")


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
            description="What it names, where that is nothing of the rules.",
            exclude_if=lambda kind: kind is TermKind.RULES,
        ),
    ] = TermKind.RULES
    concept: str | None = Field(description="The id of the concept, if it has one.")
    sense: str | None = left_out(
        "What it names of a concept that names several things: in play, out of play."
    )
    names: dict[str, WordingOut] = Field(description="What it is called, by language.")
    symbols: list[str] = Field(description="The symbols that stand for it.")
    sources: list[TermSourceOut] = Field(description="The entries that define it.")
    cards: list[str] = left_out("The ids of the cards that have the name.", [])
    passages: int = left_out("Of a candidate, in how many passages it stands.", 0)


class TermsOut(ResponseModel):
    """The term list of a game."""

    game: str = Field(description="The game of the list.")
    source: str | None = left_out("The edition that the others were translated from, if any.")
    languages: list[str] = Field(description="The languages that the list has names in.")
    editions: list[str] = Field(description="The ids of the editions that the terms are from.")
    terms: list[TermOut] = Field(description="The terms, in the order of their names.")


class FindingOut(ResponseModel):
    """Something wrong in print: what stands there, what is meant, how sure, and why."""

    edition: str = Field(description="The id of the edition.")
    line: int | None = Field(description="The line of the document; null for the whole of it.")
    sort: FindingKind = Field(description="What kind of fault it is, as docs/check.md lists them.")
    printed: str = Field(description="What stands there.")
    meant: str | None = Field(description="What is meant; null where that is not known.")
    certainty: Certainty = Field(description="How sure it is that this is a fault.")
    why: str = Field(description="Why it is one, in English.")
    origin: Origin = Field(description="Whether print, or a scan or conversion, is at fault.")
    origin_why: str = Field(description="Why the fault is taken to be of this origin.")


class RenderingOut(ResponseModel):
    """One way in which an edition calls a concept."""

    form: str = Field(description="The form that is printed most often.")
    forms: dict[str, int] = Field(description="How often each form is printed.")
    how: RenderingKind = Field(description="Whether it is its name, another one, a typo.")
    meant: str | None = Field(description="What a typo is meant to be.")
    count: int = Field(description="How often the concept is called so.")
    lines: list[int] = Field(description="The lines of the document where it stands.")
    also: list[str] = Field(description="Other concepts that are called the same.")


class EditionUseOut(ResponseModel):
    """What one edition calls a concept."""

    name: str = Field(description="What the edition calls it in its heading.")
    renderings: list[RenderingOut] = Field(description="The ways in which it is called.")


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

    passage: _PassageId
    lines: _Lines


class ChangedWordsOut(ResponseModel):
    """Words that stand in each other's place; empty where one version has none there."""

    left: str = Field(description="The words of the older edition.")
    right: str = Field(description="The words of the newer edition.")


class MatchedOut(ResponseModel):
    """Passages of the old and the new version that are the same or nearly so."""

    left: list[ChangedPassageOut] = Field(description="The passages of the older edition.")
    right: list[ChangedPassageOut] = Field(description="The passages of the newer edition.")
    likeness: float = Field(description="How alike they are, from 0 to 1.")
    words: list[ChangedWordsOut] = Field(description="The words that changed, in order.")
    renamed: bool = Field(
        description="Whether all of these are words that are renamed throughout: see `renamed`."
    )
    substance: list[SubstanceChange] = Field(
        description="What may make it another rule, the surest first."
    )


class RenamingOut(ResponseModel):
    """Words that the newer edition has replaced throughout, such as a renamed term."""

    left: str = Field(description="The words of the older edition.")
    right: str = Field(description="The words of the newer edition.")
    entries: list[ComparedEntryOut] = Field(
        description="The entry that is headed so in either edition, if there is one."
    )
    places: list[MatchedOut] = Field(description="The passages in which they are replaced.")


class ChangeOut(ResponseModel):
    """What became of an entry."""

    became: list[ChangeKind] = Field(description="What became of it.")
    left: list[ComparedEntryOut] = Field(description="The entries of the older edition.")
    right: list[ComparedEntryOut] = Field(description="The entries of the newer edition.")
    references: SidesOut = Field(description="What only one of them refers to.")
    substance: list[SubstanceChange] = Field(
        description="What may make it other rules, the surest first."
    )
    only_renamed: bool = Field(
        description="Whether nothing changed but words that are renamed throughout."
    )
    passages: list[MatchedOut] = Field(description="The passages that changed, facing each other.")


class ChangeSummaryOut(ResponseModel):
    """How many entries and passages became what."""

    entries: dict[str, int] = Field(description="How many entries became what.")
    passages: dict[str, int] = Field(description="How many passages became what.")
    substance: int = Field(description="How many passages may say something else than before.")


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
    lost: list[LostConceptOut] = Field(description="Entries that lost their concept.")
    followed: list[FollowedConceptOut] = Field(
        description="Entries tied to one by their text alone."
    )


class OrphanedPhrasingsOut(ResponseModel):
    """Phrasings that lost their passage, and where they probably belong."""

    fingerprint: str = Field(description="Names the words of the passage that they are for.")
    at: str = Field(description="Where that passage stood.")
    left: ChangedPassageOut = Field(description="That passage in the older edition.")
    right: list[ChangedPassageOut] = Field(description="Passages that they probably belong to.")
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
    to: int | None = left_out("Where its line stands now.")


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
    left: int | None = Field(description="The line in the older edition, if any.")
    right: int | None = Field(description="The line in the newer edition, if any.")
    what: str = Field(description="What it is about, in English.")


class ChangesOut(ResponseModel):
    """What changed in an edition against the version before it."""

    left: str = Field(description="The id of the older edition.")
    right: str = Field(description="The id of the newer edition.")
    summary: ChangeSummaryOut = Field(description="How much became what.")
    renamed: list[RenamingOut] = Field(
        description="Words that are replaced throughout, each with all its places."
    )
    entries: list[ChangeOut] = Field(description="The entries that changed.")
    concepts: ChangedConceptsOut = Field(description="What became of the ties to concepts.")
    phrasings: ChangedPhrasingsOut = Field(description="What became of the phrasings of players.")
    corrections: ChangedCorrectionsOut | None = Field(
        description="What became of corrections, if there are any."
    )
    unresolved: list[UnresolvedOut] = Field(description="References that lead nowhere.")
    findings: list[FindingOut] | None = Field(
        description="What is newly wrong; null if not looked for."
    )
    attention: list[AttentionOut] = Field(description="What a person has to look at.")


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
    translated_name: str | None = Field(description="What the face is called in the language.")
    sort: Annotated[
        CardDifference,
        inline_enum(CardDifference),
        Field(
            title="Difference",
            description="`card`: it has no name in the language; `face`: a face of it has none; "
            "`text`: a text is missing; `untranslated`: a text is the English one.",
        ),
    ]
    english: ComparedCardTextOut | None = Field(description="The English text, if any.")
    translation: ComparedCardTextOut | None = Field(description="The text in the language, if any.")


class CardComparisonOut(ResponseModel):
    """The cards of a game in one language beside the English ones: whatever differs."""

    game: str = Field(description="The game of the cards.")
    language: str = Field(description="The language that was compared with English.")
    cards: int = Field(description="How many cards were compared.")
    summary: dict[str, int] = Field(description="How many differences there are of each sort.")
    differences: list[CardDifferenceOut] = Field(description="Whatever differs.")
