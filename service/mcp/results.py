"""Results of the MCP server's tools: short, as assistants need them, and each passage cited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from corpus.cards.model import Card
from corpus.display import display
from corpus.model import DocumentKind, Entry, Passage, Role
from corpus.rulings.model import Authority, Ruling
from glossary.comparison import EntryPair
from index.cards.card_store import CardHit
from index.layers.passages import CardPassage, ruling_passage, texts_in
from index.model import CardTextHit, Hit, LayerHit, RulingHit, SearchResult
from index.ranking.confidence import Settlement
from service.answers.answer import (
    see_also,
    shown_confidence,
)
from service.answers.below import read_with, shown_of, shown_text
from service.answers.citations import citation_label, edition_name, entry_name
from service.answers.context import estimate_tokens
from service.answers.notes import notes_out
from service.answers.sources import (
    card_citation_out,
    marker_table,
    ruling_citation_out,
)
from service.browse.edition_contents import section_page
from service.core.displayed import display_spans, repaired_display, telling_spans
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.comparison import differences_text
from service.schemas.answer import AS_OF, NOTES, SETTLED, NoteOut
from service.schemas.base import DescribedModel, compact_json
from service.schemas.grounding import ContextOut
from service.schemas.passage import EFFECTIVE


class ToolResult(DescribedModel):
    """Base class of the results of tools and their parts. The title in JSON schemas is the class
    name without "Result".
    """

    model_config = ConfigDict(
        model_title_generator=lambda model: model.__name__.removesuffix("Result")
    )


REPAIRED_WORDS = Field(
    default=None,
    description=(
        "The words with what the document has lost or misread. For understanding; do not quote it."
    ),
)


_MOST_AFTER = 1_000  # most bytes of the text after the first passage


class QuotationResult(ToolResult):
    """A passage of a rulebook, a ruling or a text of a card, word for word. Empty fields are left
    out.
    """

    label: str
    """The citation."""
    words: str
    """The words as printed. Quote from them; change nothing."""
    decides: list[str] = Field([])
    """The parts of the words that answer, unless all of them do."""
    marker: str
    """Put it in brackets after a quotation from this text; verify checks it."""
    entry: str | None = None
    """The id of the entry, for read_entry."""
    layer: Literal["ruling", "card"] | None = None
    """Missing if the passage is printed in a rulebook."""
    authority: Authority | None = None
    """Who made the ruling."""
    date: str | None = None
    """The date of a ruling or an erratum (ISO 8601)."""
    before: str | None = None
    """The lead-in, or the question that was ruled on."""
    after: str | None = None
    """Of the first passage: the text it announces, or the rest of its entry; […]: and more."""
    only_in: str | None = None
    """The format that the rule is limited to."""
    superseded: bool | None = None
    """True if other words have replaced these."""
    settles: bool | None = None
    """True for an official ruling on the very question."""
    also: list[str] = Field([])
    """The citations of other places where the same words are printed."""
    repaired: str | None = REPAIRED_WORDS


class FoundCardResult(ToolResult):
    """A card with its texts in the language asked for, otherwise in English; errata come first."""

    card: str
    """The id, for rulings_of."""
    game: str
    names: dict[str, str]
    """The names by language."""
    matched: str | None
    """The name that was found; null if a number was found."""
    certainty: float
    """How well the name fits, from 0 to 1."""
    type: str
    traits: dict[str, str]
    """The traits as printed, by language."""
    products: list[str]
    """The products with the card, each with the card's number there."""
    formats: dict[str, str]
    """The status by format: legal, banned, a day from which the card is legal, or "until" and the
    day of its rotation.
    """
    texts: list[QuotationResult]
    rulings: int
    """The number of rulings on the card outside the rulebooks, for rulings_of."""


class CardsFoundResult(ToolResult):
    """The cards that a name may mean, the likeliest first."""

    cards: list[FoundCardResult]


class NamedCardResult(ToolResult):
    """A card by id and name."""

    card: str
    game: str
    name: str


class CardRulingsResult(ToolResult):
    """Official and house rulings on the cards of one name, the newest first, by pages."""

    cards: list[NamedCardResult]
    """The cards meant: several if they have the same name."""
    total: int
    page: int
    pages: int
    rulings: list[QuotationResult]


def found_card_result(snapshot: Snapshot, hit: CardHit, language: str) -> FoundCardResult:
    """Return the card of ``hit``, with its texts in ``language``."""
    card = hit.card
    return FoundCardResult(
        card=card.id,
        game=card.game,
        names={code: card.name(code) for code in card.languages},
        matched=hit.name or None,
        certainty=round(hit.score, 3),
        type=card.faces[0].type,
        traits=card.faces[0].traits,
        products=[
            " ".join(
                filter(
                    None,
                    (
                        printing.products.get(language)
                        or next(iter(printing.products.values()), ""),
                        printing.number,
                    ),
                )
            )
            for printing in card.printings
        ],
        formats=card.formats,
        texts=[card_quotation(snapshot, text, language) for text in texts_in(card, language)],
        rulings=len(snapshot.index.rulings.of_card(card.game, card.id)),
    )


def named_card_result(card: Card, language: str) -> NamedCardResult:
    """Return ``card`` by id and name in ``language``."""
    return NamedCardResult(card=card.id, game=card.game, name=card.name(language))


def card_quotation(snapshot: Snapshot, quoted: CardPassage, language: str) -> QuotationResult:
    """Return a text of a card, cited in ``language``."""
    return QuotationResult(
        layer="card",
        label=card_citation_out(quoted, language).label,
        words=quoted.passage.display,
        marker=marker_table(snapshot).marker_of(quoted.passage),
        superseded=quoted.replaced or None,
        date=(quoted.erratum.date or None) if quoted.erratum else None,
    )


def ruling_quotation(
    snapshot: Snapshot, ruling: Ruling, language: str, older: bool = False
) -> QuotationResult:
    """Return the answer of ``ruling``, cited in ``language``; ``older``: it is older than the
    rulebook, which decides now.
    """
    passage = ruling_passage(ruling)
    return QuotationResult(
        layer="ruling",
        label=ruling_citation_out(ruling, passage, language, older).label,
        words=passage.display,
        marker=marker_table(snapshot).marker_of(passage),
        superseded=bool(ruling.superseded_by) or None,
        authority=ruling.authority,
        date=ruling.date or None,
        before=ruling.asked.text if ruling.asked else None,
    )


class AskedPartResult(ToolResult):
    """One of several questions in a text, with its best passage."""

    question: str
    settled: bool
    """False if the passage is only the nearest."""
    passage: QuotationResult | None


class AnswerResult(ToolResult):
    """The passages found for a question, the best first."""

    verdict: Settlement = SETTLED
    confidence: float
    language: str
    passages: list[QuotationResult]
    fallback: QuotationResult | None
    """The game's own rule for cases that its rulebook leaves open, if the verdict is open."""
    notes: list[str]
    parts: list[AskedPartResult] = Field([])
    """Each of several questions with its best passage."""
    as_of: str | None
    context: list[str]


class LinkResult(ToolResult):
    """An entry by id, title and resource."""

    entry: str
    title: str
    resource: str


class EntryTextResult(ToolResult):
    """An entry with its passages."""

    entry: str
    name: str
    kind: str
    number: str | None
    product: str | None
    edition: str
    resource: str
    passages: list[QuotationResult]


class RulingsResult(ToolResult):
    """Rulings and errata of a card in every edition, by pages."""

    total: int
    page: int
    pages: int
    rulings: list[EntryTextResult]


class EditionReadResult(ToolResult):
    """A loaded rulebook."""

    edition: str
    name: str
    game: str
    language: str
    version: str
    effective: str | None = EFFECTIVE
    kind: DocumentKind
    file: str
    sha256: str
    entries: int


class EditionsResult(ToolResult):
    """The loaded rulebooks."""

    index: str
    editions: list[EditionReadResult]


def quotation_result(snapshot: Snapshot, hit: Hit) -> QuotationResult:
    """Return the quotation of ``hit``, a passage of a rulebook."""
    passage, library = hit.passage, snapshot.library
    special = library.format_of(passage)
    return QuotationResult(
        label=citation_label(library, passage),
        words=passage.display,
        decides=_deciding(hit),
        marker=marker_table(snapshot).marker_of(passage),
        entry=passage.entry,
        also=[citation_label(library, other) for other in hit.duplicates],
        superseded=passage.role is Role.VOID or None,
        before=lead_in(passage),
        repaired=repaired_display(library, passage),
        only_in=special.name if special else None,
    )


def _deciding(hit: Hit) -> list[str]:
    """Return the parts of a passage that answer; [] if the whole passage does."""
    display = hit.passage.display
    spans = telling_spans(display, display_spans(hit.passage, hit.highlights))
    return [display[start:end] for start, end in spans]


def _passage_result(snapshot: Snapshot, hit: Hit, language: str) -> QuotationResult:
    """Return a hit of any layer for a question in ``language``."""
    if isinstance(hit, CardTextHit):
        found = card_quotation(snapshot, hit.quoted, language)
    elif isinstance(hit, RulingHit):
        found = ruling_quotation(snapshot, hit.ruling, language, hit.older)
        found = found.model_copy(update={"settles": hit.settles or None})
    else:
        return quotation_result(snapshot, hit)
    return found.model_copy(update={"decides": _deciding(hit)})


def lead_in(passage: Passage) -> str | None:
    """Return the lead-in of ``passage`` for display, or None."""
    return display(passage.announced) or None


def printed_result(snapshot: Snapshot, passage: Passage) -> QuotationResult:
    """Return the quotation of ``passage``, which is no search hit."""
    return quotation_result(snapshot, Hit(passage, 0.0, ()))


def _passage_results(snapshot: Snapshot, found: SearchResult) -> list[QuotationResult]:
    """Return the passages of ``found``, the first with the text to read after it."""
    results = [_passage_result(snapshot, hit, found.language) for hit in found.ranked]
    if results and not isinstance(found.ranked[0], LayerHit):
        announced, most = read_with(snapshot.library, found, found.ranked[0].passage)
        after = shown_text(announced, shown_of(announced, min(most, _MOST_AFTER)))
        results[0] = results[0].model_copy(update={"after": after or None})
    return results


def answer_result(snapshot: Snapshot, found: SearchResult) -> AnswerResult:
    """Return the answer to a question from its search result."""
    return AnswerResult(
        verdict=found.settled,
        confidence=shown_confidence(found.confidence),
        language=found.language,
        passages=_passage_results(snapshot, found),
        fallback=printed_result(snapshot, found.fallback)
        if found.fallback and not found.answered
        else None,
        notes=[note.text for note in notes_out(snapshot.library, found)],
        parts=[
            AskedPartResult(
                question=part.question,
                settled=part.answered,
                passage=_passage_result(snapshot, part.ranked[0], found.language)
                if part.ranked
                else None,
            )
            for part in found.parts
        ],
        as_of=found.query.as_of,
        context=list(found.follow_up.before) if found.follow_up else [],
    )


def resource_uri(entry: Entry) -> str:
    """Return the address of the resource for ``entry``."""
    return f"regula://entry/{entry.id}"


def link_result(snapshot: Snapshot, entry: Entry) -> LinkResult:
    """Return an entry as a link with its name."""
    return LinkResult(
        entry=entry.id, title=entry_name(snapshot.library, entry), resource=resource_uri(entry)
    )


def entry_text_result(
    snapshot: Snapshot, entry: Entry, passages: Sequence[Passage] | None = None
) -> EntryTextResult:
    """Return ``entry`` with its text, or only with ``passages``."""
    if passages is None:
        passages = snapshot.library.passages_of.get(entry.id, ())
    return EntryTextResult(
        entry=entry.id,
        name=entry_name(snapshot.library, entry),
        kind=entry.kind.value,
        number=entry.number,
        product=entry.product,
        edition=entry.edition,
        resource=resource_uri(entry),
        passages=[
            printed_result(snapshot, passage).model_copy(update={"entry": None})
            for passage in passages
        ],
    )


def editions_result(snapshot: Snapshot) -> EditionsResult:
    """Return the loaded rulebooks."""
    library = snapshot.library
    return EditionsResult(
        index=snapshot.id,
        editions=[
            EditionReadResult(
                edition=edition.id,
                name=edition_name(edition),
                game=edition.game,
                language=edition.language,
                version=edition.version,
                effective=edition.effective or None,
                kind=edition.kind,
                file=library.sources[edition.id].file,
                sha256=library.sources[edition.id].sha256,
                entries=len(library.entries_of(edition.id)),
            )
            for edition in library.editions
        ],
    )


LINKS = 10  # most entries in a list of links; a section can have hundreds
PAGE_LENGTH = 6_000  # characters on a page of an entry, about 2,000 tokens


class SectionEntryResult(ToolResult):
    """An entry in a section, with its passages."""

    entry: str
    name: str
    number: str | None
    level: int
    """1 for an entry directly in the section, 2 for an entry in one of these, and so on."""
    passages: list[QuotationResult]


class SectionResult(ToolResult):
    """The entries in a section, by pages, in printed order."""

    total: int
    page: int
    pages: int
    entries: list[SectionEntryResult]


class WholeEntryResult(EntryTextResult):
    """An entry by pages: its own passages, then the entries inside it. Only the first page has
    links to other entries, the first of long lists.
    """

    page: int
    pages: int

    inside: list[LinkResult]
    """The entries around it, outermost first."""
    holds: list[LinkResult]
    """The entries directly inside it."""
    see_also: list[LinkResult]
    """The entries it refers to."""
    referred_to_by: list[LinkResult]
    contents: SectionResult | None
    """All entries inside it, with their words: the rules of a chapter. Null if there are none."""


def section_result(snapshot: Snapshot, entry: Entry, page: int) -> SectionResult | None:
    """Return ``page`` of the entries inside ``entry``; None if there are none. Raises `Problem` 422
    for a page that does not exist.
    """
    library = snapshot.library
    shown = section_page(library, entry, page, PAGE_LENGTH)
    if shown is None:
        return None
    return SectionResult(
        total=shown.total,
        page=shown.number,
        pages=shown.pages,
        entries=[
            SectionEntryResult(
                entry=each.entry.id,
                name=entry_name(library, each.entry),
                number=each.entry.number,
                level=each.level,
                passages=[
                    printed_result(snapshot, passage).model_copy(update={"entry": None})
                    for passage in library.passages_of.get(each.entry.id, ())
                ],
            )
            for each in shown.items
        ],
    )


def whole_entry_result(snapshot: Snapshot, entry: Entry, page: int) -> WholeEntryResult:
    """Return ``page`` of ``entry``, with links to other entries on the first. Raises as
    `section_result` does.
    """
    library = snapshot.library

    def links(entries: Sequence[Entry]) -> list[LinkResult]:
        return [link_result(snapshot, each) for each in entries[:LINKS]] if page == 1 else []

    own = _own_pages(library.passages_of.get(entry.id, ()))
    # The entries inside begin on the last page with the entry's own passages.
    of_contents = max(page - len(own) + 1, 1)
    contents = section_result(snapshot, entry, of_contents)
    pages = len(own) - 1 + (contents.pages if contents else 1)
    if page > pages:
        raise Problem.out_of_range(f"The last page is {pages}.", "page")
    passages = own[page - 1] if page <= len(own) else ()
    return WholeEntryResult(
        **dict(entry_text_result(snapshot, entry, passages)),
        page=page,
        pages=pages,
        inside=links(library.path(entry)[:-1]),
        holds=links(library.children_of.get(entry.id, ())),
        see_also=links(see_also(library, entry)),
        referred_to_by=links(library.referring_to.get(entry.id, ())),
        contents=contents if page >= len(own) else None,
    )


def _own_pages(passages: Sequence[Passage]) -> list[list[Passage]]:
    """Split ``passages`` into pages of about `PAGE_LENGTH`, at least one page."""
    pages: list[list[Passage]] = [[]]
    left = PAGE_LENGTH
    for passage in passages:
        if pages[-1] and len(passage.display) > left:
            pages.append([])
            left = PAGE_LENGTH
        pages[-1].append(passage)
        left -= len(passage.display)
    return pages


class ComparedRowResult(ToolResult):
    """Aligned passages of two editions; one side is empty if it has no such passage."""

    status: str
    left: list[QuotationResult]
    right: list[QuotationResult]
    differs_in: str


class ComparedEntryResult(ToolResult):
    """An entry in two editions; ``rows`` only if one entry was asked for."""

    status: str
    """only-left, only-right, changed or same."""
    left: list[LinkResult]
    right: list[LinkResult]
    differs_in: list[str]
    """Differences passage by passage, left | right."""
    rows: list[ComparedRowResult]


class ComparedResult(ToolResult):
    """Two editions side by side, by pages, entries that differ first."""

    left: str
    right: str
    summary: dict[str, int]
    """The number of entries by status."""
    total: int
    page: int
    pages: int
    entries: list[ComparedEntryResult]


def compared_entry_result(snapshot: Snapshot, pair: EntryPair, texts: bool) -> ComparedEntryResult:
    """Return an entry in two editions, with or without the ``texts`` of both sides."""
    return ComparedEntryResult(
        status=pair.status.value,
        left=[link_result(snapshot, entry) for entry in pair.left],
        right=[link_result(snapshot, entry) for entry in pair.right],
        differs_in=[words for row in pair.rows if (words := differences_text(row))]
        if pair.left and pair.right
        else [],
        rows=[
            ComparedRowResult(
                status=row.status.value,
                left=[printed_result(snapshot, passage) for passage in row.left],
                right=[printed_result(snapshot, passage) for passage in row.right],
                differs_in=differences_text(row),
            )
            for row in (pair.rows if texts else ())
        ],
    )


class KeptFeedbackResult(ToolResult):
    """The feedback that was stored."""

    verdict: str
    citation: str | None
    """The passage that the feedback is about; null if it is about the whole answer."""
    rank: int | None
    """The rank of the passage in the answer; null if it is not among the first twenty."""


class ContextPassageResult(ToolResult):
    """A passage of a prompt, by marker and entry."""

    marker: str
    entry: str


class ContextResult(ToolResult):
    """The best passages for a question as one block of text; the whole result has at most
    ``budget`` tokens.
    """

    question: str
    language: str
    answered: bool
    """False if no passage settles the question; the passages are then only the nearest."""
    settled: Settlement = SETTLED
    confidence: float
    index: str
    budget: int
    tokens: int
    """The tokens of the prompt."""
    left_out: int
    """The number of passages found that did not fit."""
    passages: list[ContextPassageResult]
    """The passages in the prompt, the best first; read_entry shows the text around them."""
    fallback: ContextPassageResult | None
    """The game's own rule for cases that its rulebook leaves open, also in the prompt."""
    notes: list[NoteOut] = NOTES
    as_of: Annotated[str | None, AS_OF] = None
    prompt: str
    """Instructions, then marker, citation label and words of each passage."""


def context_result(context: ContextOut) -> ContextResult:
    """Return ``context`` as the tool returns it, without repeated texts."""
    return ContextResult.model_validate(context.model_dump())


def context_result_size(context: ContextOut) -> int:
    """Return the number of tokens of `context_result`."""
    return estimate_tokens(compact_json(context_result(context).model_dump()))
