"""Write citations: names and addresses of editions, entries, pages, lines, rulings, cards and
games.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode

from corpus.cards.model import Card
from corpus.languages import get_language
from corpus.model import Edition, Entry, Passage
from corpus.rulings.model import Authority, Ruling
from index.layers.passages import CardPassage
from index.library.library import Library
from index.library.special_formats import SpecialFormat
from index.model import Query
from service.core.i18n import N_, day_in_words, language_in_words, translate

IN_EFFECT = N_("in effect from %(day)s")
ONLY_IN_FORMAT = N_("Only in the format “%(name)s”")


@dataclass(frozen=True)
class Citation:
    """The place of an entry or a passage, in words.

    Attributes:
        entry_name: The title of the entry, with the cited ``item`` of a list in it:
            "Mitgliedschaft, 3.".
        page: The page of the document or the printed page (see `Library.page`), None without pages
            and index.
        printed: The number printed on this page.
        lines: The lines with their abbreviation: "Z. 103–105".
        paged: Whether the document has pages; then the page is cited, as lines exist only in the
            extracted text.
        on_sheet: Whether this page has no printed number while the numbers of other pages differ
            from their sheets.
    """

    edition: Edition
    entry: Entry
    edition_name: str
    entry_name: str
    page: int | None
    printed: str
    lines: str
    paged: bool
    on_sheet: bool
    item: str = ""

    @property
    def label(self) -> str:
        """Edition, entry and page ("S. 3"), or lines without pages: "Marvel Champions
        Referenzhandbuch 1.5 (de), Aktivierung, Z. 103".
        """
        return f"{self.name}, {self.position}"

    @property
    def name(self) -> str:
        """Edition and entry."""
        return f"{self.edition_name}, {self.entry_name}"

    @property
    def position(self) -> str:
        """The page if the document has pages, otherwise the lines, with abbreviation."""
        return (self.page_reference if self.paged else None) or self.lines

    @property
    def page_reference(self) -> str | None:
        """The page with its abbreviation, "S. 3", or None."""
        words = get_language(self.edition.language).citation
        word = words.sheet if self.on_sheet else words.page
        return f"{word} {self.page_name}" if self.page else None

    @property
    def page_name(self) -> str:
        """The printed number of the page or, without one, the number of the sheet."""
        return self.printed or str(self.page or "")


def cite(library: Library, thing: Entry | Passage) -> Citation:
    """Return the citation of an entry or a passage."""
    entry = library.entry[thing.entry] if isinstance(thing, Passage) else thing
    edition = library.edition[entry.edition]
    source = library.sources[edition.id]
    page, printed = library.page(thing), library.printed_page(thing)
    item = thing.item if isinstance(thing, Passage) else ""
    return Citation(
        edition=edition,
        entry=entry,
        edition_name=edition_name(edition),
        entry_name=", ".join(filter(None, (entry_name(library, entry), item))),
        page=page,
        printed=printed,
        lines=line_range(edition.language, *thing.lines),
        paged=bool(source.page_sizes),
        on_sheet=bool(page) and not printed and source.counts_otherwise,
        item=item,
    )


def citation_label(library: Library, passage: Passage) -> str:
    """Return the citation of ``passage`` in one line: edition, entry, and page or lines."""
    return cite(library, passage).label


def quoted_citation(library: Library, passage: Passage) -> str:
    """Return a quotation to paste: „…“ – Marvel Champions Referenzhandbuch 1.5, Aktivierung, S. 3.

    It has the whole passage as displayed, with line breaks, since an omitted part could matter. If
    known, the date in effect follows the version, in the edition's language. Without pages, the
    lines are cited.
    """
    citation = cite(library, passage)
    edition = citation.edition
    effective = effective_label(edition.language, edition)
    title = " ".join(filter(None, (edition.full_title, f"({effective})" if effective else "")))
    position = citation.page_reference or citation.lines
    return f"{quotation(passage, edition.language)} – {title}, {citation.entry_name}, {position}"


def quotation(passage: Passage, language: str) -> str:
    """Return the whole ``passage`` in the quotation marks of ``language``."""
    opening, closing = get_language(language).citation.quotes
    return f"{opening}{passage.display.strip()}{closing}"


def edition_name(edition: Edition) -> str:
    """Return title, version and language of ``edition`` in one line."""
    return " ".join(filter(None, (edition.full_title, f"({edition.language})")))


def effective_label(language: str, edition: Edition) -> str:
    """Return in ``language`` from when ``edition`` is in effect, or "" if that is unknown."""
    return (
        translate(language, IN_EFFECT) % {"day": day_in_words(language, edition.effective)}
        if edition.effective
        else ""
    )


def entry_name(library: Library, entry: Entry) -> str:
    """Return the title of ``entry``, with its number if the heading has it. A subsection, whose
    title many entries may share, is preceded by the title of its parent.
    """
    number, heading = (entry.number or "").casefold(), entry.heading.casefold()
    numbered = entry.kind == "section" and number and number in heading
    if numbered and number not in entry.title.casefold():
        return f"{entry.number} {entry.title}"
    if entry.kind == "subsection" and entry.parent and entry.parent in library.entry:
        return f"{entry_name(library, library.entry[entry.parent])}, {entry.title}"
    return entry.title


def entry_url(entry: Entry) -> str:
    """Return the address of the page of ``entry`` on this service."""
    return f"/e/{entry.id}"


def page_address(sha256: str, number: int) -> str:
    """Return the address of page ``number`` of a document on this service."""
    return f"/documents/{sha256}/pages/{number}"


def marked_page_url(library: Library, thing: Entry | Passage, number: int) -> str:
    """Return the address of page ``number`` of the document of ``thing``, with ``thing`` marked on
    the page.
    """
    entry = library.entry[thing.entry] if isinstance(thing, Passage) else thing
    page = page_address(library.sources[entry.edition].sha256, number)
    return f"{page}?{marked_thing(thing)}#passage"


def marked_thing(thing: Entry | Passage) -> str:
    """Return the query parameters that identify an entry or a passage: "entry=…&passage=2"."""
    if isinstance(thing, Passage):
        return urlencode({"entry": thing.entry, "passage": thing.ordinal}, safe="/")
    return urlencode({"entry": thing.id}, safe="/")


def special_format_label(language: str, special: SpecialFormat) -> str:
    """Return the label of a rule limited to the ``special`` format, in ``language``."""
    return translate(language, ONLY_IN_FORMAT) % {"name": special.name}


def line_range(language: str, first: int, last: int) -> str:
    """Return lines as cited in ``language``: "Z. 103–105", "r. 103"."""
    return f"{get_language(language).citation.line} {first}" + (f"–{last}" if last > first else "")


_CARDS_NAMED = 3  # most cards in the label of a ruling
AUTHORITIES = {
    Authority.PUBLISHER: N_("Official ruling"),
    Authority.DESIGNER: N_("Official ruling of the designer"),
    Authority.HEAD_JUDGE: N_("Ruling of the head judge"),
    Authority.HOUSE: N_("House ruling"),
}
UNDATED = N_("undated")
NOT_PRINTED = N_("not in the rulebook")
SUPERSEDED = N_("superseded")
OLDER = N_("older than the rulebook")
OTHER_CARDS = N_("Rulings on single cards")
_SPOKEN = N_("in %(language)s")
_CARD_TEXT = N_("Card text")
_ERRATUM = N_("Erratum of the card")


def ruling_label(ruling: Ruling, language: str, older: bool = False) -> str:
    """Return the label of ``ruling`` in ``language``: "Official ruling, 2 March 2025, not in the
    rulebook – Otter – Publisher's forum (de)".
    """
    published = " ".join(filter(None, (ruling.source, f"({ruling.answer.language})")))
    named = [card for card in ruling.cards if not card[:1].isdigit()]  # some are codes
    cards = ", ".join(named[:_CARDS_NAMED]) + " …" * (len(named) > _CARDS_NAMED)
    return " – ".join(filter(None, (ruling_title(ruling, language, older), cards, published)))


def ruling_title(ruling: Ruling, language: str, older: bool = False) -> str:
    """Return the `ruling_label` without cards and place of publication, but with the language of
    the ruling if it is not ``language``.
    """
    said = [translate(language, AUTHORITIES[ruling.authority])]
    said.append(
        day_in_words(language, ruling.date) if ruling.date else translate(language, UNDATED)
    )
    said.append(translate(language, NOT_PRINTED))
    if (spoken := ruling.answer.language) != language:
        said.append(
            translate(language, _SPOKEN) % {"language": language_in_words(language, spoken)}
        )
    if ruling.superseded_by:
        said.append(translate(language, SUPERSEDED))
    if older:
        said.append(translate(language, OLDER))
    return ", ".join(said)


def card_label(quoted: CardPassage, language: str) -> str:
    """Return the label of a card text in ``language``: "Card text, Otter (de)"."""
    spoken = quoted.text.quoted.language
    return f"{card_title(quoted, language)}, {quoted.name(spoken)} ({spoken})"


def card_title(quoted: CardPassage, language: str) -> str:
    """Return the kind of a card text in ``language``: "Card text", "Erratum of the card, 4 November
    2022".
    """
    if quoted.erratum is None:
        return translate(language, _CARD_TEXT)
    kind = translate(language, _ERRATUM)
    return f"{kind}, {day_in_words(language, quoted.erratum.date)}" if quoted.erratum.date else kind


def ruling_url(ruling: Ruling) -> str:
    """Return the address of ``ruling`` on this service."""
    return f"/rulings/{quote(ruling.id)}"


def card_url(card: Card) -> str:
    """Return the address of the page of ``card`` on this service."""
    return f"/cards/{quote(card.game)}/{quote(card.slug)}"


def game_title(library: Library, game: str) -> str:
    """Return the title of ``game``: its id in words or, if no edition of it is described, the title
    of the first edition.
    """
    editions = [edition for edition in library.editions if edition.game == game]
    return (
        game.replace("-", " ").title()
        if any(edition.known for edition in editions)
        else editions[0].title
    )


def games_to_name(library: Library, query: Query) -> dict[str, str]:
    """Return the titles of all games by id if ``query`` may search several games; {} otherwise."""
    if query.edition or query.game or query.document or len(library.games) < 2:
        return {}
    return {game: game_title(library, game) for game in library.games}


def unnamed_game(library: Library, query: Query, passage: Passage) -> str:
    """Return the game of ``passage`` if ``query`` searches several games and the citation does not
    name the game; otherwise "".
    """
    citation = cite(library, passage)
    title = games_to_name(library, query).get(citation.edition.game, "")
    return "" if title.casefold() in citation.edition_name.casefold() else title
