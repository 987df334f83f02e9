"""A message for a chat: the best passage, quoted intact or visibly cut, with citation and link; the next ones cited."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from corpus.model import Passage, Span
from index.library.library import Library
from index.model import SearchResult
from service.answers.answer import Json, citation_json, citation_label, entry_url, judgement_json
from service.answers.chat.markup import MARKUP_STYLES, MarkupStyle, StyledText
from service.answers.chat.truncation import CUT, truncate
from service.answers.highlighting import display_spans
from service.core.i18n import N_, translate
from service.core.snapshot import Snapshot
from service.schemas.limits import MESSAGE_LIMITS, MessageFormat

MOST_FURTHER = 3  # passages that are cited behind the one that is quoted

_UNSETTLED = N_("The rulebook does not settle this")
_FALLBACK = N_("What holds then")
_NEAREST = N_("Nearest passages")
_FURTHER = N_("Further passages")
_NOTHING = N_("No passage has anything to do with these words. Try other words, or search in all rulebooks.")
_ROOM = 100  # units that a quotation gets at least; label and link are shortened for it
_SHORT_LABEL = 60  # characters of a label that had to be shortened


@dataclass(frozen=True)
class ChatMessage:
    """A message and what is in it.

    ``limit`` is in `units`; ``cut`` says that the quotation is not whole; ``cited`` are the passages that are named, first
    the one that is ``quoted``.
    """

    text: str
    format: MessageFormat
    limit: int
    cut: bool
    quoted: Passage | None
    cited: tuple[Passage, ...]

    @property
    def length(self) -> int:
        """How long the text is, in `units`."""
        return utf16_length(self.text)


def utf16_length(text: str) -> int:
    """The length of ``text`` in UTF-16 code units, which is how Telegram counts; code points, Discord's count, are never more."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def message_json(snapshot: Snapshot, found: SearchResult, written: ChatMessage) -> Json:
    """The body of an answer in a chat form."""
    return {
        **judgement_json(snapshot, found),
        "format": written.format.value,
        "message": written.text,
        "length": written.length,
        "limit": written.limit,
        "cut": written.cut,
        "citations": [citation_json(snapshot.library, passage) for passage in written.cited],
    }


def compose_message(library: Library, found: SearchResult, form: MessageFormat, base: str | None, limit: int | None = None) -> ChatMessage:
    """What was found as a message in ``form``, at most ``limit`` `units` long, with links below the address ``base``, if there is one.

    ``limit`` is at most that of the platform (`MESSAGE_LIMITS`), which holds where none is given; from `LEAST_MESSAGE` on it is never
    exceeded. A question that the rulebook leaves open is called so in its own language; then the game's own rule for such
    cases is quoted, else the nearest passage, called nearest.
    """
    markup, limit = MARKUP_STYLES[form], min(limit or MESSAGE_LIMITS[form], MESSAGE_LIMITS[form])

    def headed(text: str) -> str:
        return markup.heading(translate(found.language, text))

    hits = list(found.hits)
    first = hits[0] if hits else None
    opening, further = [], _FURTHER
    if not found.answered:
        opening.append(headed(_UNSETTLED))
        further = _NEAREST
        if found.fallback:
            opening.append(headed(_FALLBACK))
            quoted, marks = found.fallback, []
        elif first:
            opening.append(headed(_NEAREST))
    if first and (found.answered or not found.fallback):
        quoted, marks = first.passage, display_spans(first.passage, first.highlights)
        hits = hits[1:]
    elif found.answered or not found.fallback:
        opening.append(markup.escape(translate(found.language, _NOTHING)))
        return ChatMessage(markup.block.join(opening), form, limit, False, None, ())

    entry = library.entry[quoted.entry]
    language = library.edition[entry.edition].language
    if marks == [Span(0, len(quoted.display))]:
        marks = []  # nothing stands out where everything is set off

    closing = _closing(markup, library, quoted, base, limit - _ROOM - utf16_length(markup.block.join([*opening, "", ""])))

    def whole(runs: Iterable[StyledText], *more: str) -> str:
        return markup.block.join([*opening, markup.quotation(runs, language), closing, *more])

    runs, cut = truncate(quoted.display, marks, lambda runs: utf16_length(whole(runs)) <= limit)
    text, cited = whole(runs), [quoted]
    lines = [headed(further) if further is _FURTHER or found.fallback else ""]
    for hit in hits:
        if len(cited) <= MOST_FURTHER and all(hit.passage.entry != other.entry for other in cited):
            lines.append(f"• {markup.link_citation(citation_label(library, hit.passage), entry_address(library, hit.passage, base))}")
            longer = whole(runs, markup.line.join(filter(None, lines)))
            if utf16_length(longer) > limit:
                break
            text, cited = longer, [*cited, hit.passage]
    return ChatMessage(text, form, limit, cut, quoted, tuple(cited))


def _closing(markup: MarkupStyle, library: Library, passage: Passage, base: str | None, room: int) -> str:
    """Citation and link of what is quoted; shortened where there is no ``room`` for them, the link left out as the last resort."""
    named, link = citation_label(library, passage), entry_address(library, passage, base)
    short = named if len(named) <= _SHORT_LABEL else f"{named[: _SHORT_LABEL - len(CUT)].rsplit(' ', 1)[0]} {CUT}"
    forms = [f"— {markup.link_citation(each, to)}" for each, to in ((named, link), (short, link), (named, None), (short, None))]
    return next((each for each in forms if utf16_length(each) <= room), forms[-1])


def entry_address(library: Library, passage: Passage, base: str | None) -> str | None:
    """The whole address of the page of the entry of ``passage``, in characters that no markup takes for its own; None without ``base``."""
    if base is None:
        return None
    return quote(base.rstrip("/"), safe=":/[]%~") + quote(entry_url(library.entry[passage.entry]), safe="/")
