"""A whole entry as the tools give it: with what is around it, and a chapter with all rules in it, by pages."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from corpus.model import Entry, Role
from service.answers.answer import see_also
from service.answers.citations import citation_label, entry_name
from service.answers.markers import marker_table
from service.browse.section_contents import section_page
from service.core.repaired import repaired_display
from service.core.snapshot import Snapshot
from service.mcp.result_model import ToolResult
from service.mcp.results import REPAIRED_WORDS, EntryTextResult, LinkResult, entry_text_result, lead_in, link_result

LINKS = 40  # entries that are named in one list; a section can have hundreds


class SectionPassageResult(ToolResult):
    """A passage of an entry in a section, with a short citation."""

    words: str = Field(description="The passage as printed. Quote from it; change nothing.")
    marker: str
    label: str = Field(description="Its citation.")
    superseded: bool = False
    before: str | None = None
    repaired: str | None = REPAIRED_WORDS


class SectionEntryResult(ToolResult):
    """An entry in a section, with its passages."""

    entry: str
    name: str
    number: str | None
    level: int = Field(description="1 directly in the section, 2 in one of its entries, and so on.")
    passages: list[SectionPassageResult]


class SectionResult(ToolResult):
    """The entries in a section, by pages, in the order of print."""

    total: int
    page: int
    pages: int
    entries: list[SectionEntryResult]


class WholeEntryResult(EntryTextResult):
    """An entry with its passages, what is around and in it, and where it points; of long lists the beginning."""

    inside: list[LinkResult] = Field(description="The entries around it, outermost first.")
    holds: list[LinkResult] = Field(description="The entries directly in it.")
    see_also: list[LinkResult] = Field(description="The entries it refers to.")
    referred_to_by: list[LinkResult]
    contents: SectionResult | None = Field(
        description="The entries in it and all in them with their words: the rules of a chapter. Null where it holds none."
    )


def section_result(snapshot: Snapshot, entry: Entry, page: int) -> SectionResult | None:
    """Return ``page`` of what is in ``entry``, None where nothing is. Raises `Problem` 422 where there is no such page."""
    library, table = snapshot.library, marker_table(snapshot)
    shown = section_page(library, entry, page)
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
                    SectionPassageResult(
                        words=passage.display,
                        marker=table.marker_of(passage),
                        label=citation_label(library, passage),
                        superseded=passage.role is Role.VOID,
                        before=lead_in(passage),
                        repaired=repaired_display(library, passage),
                    )
                    for passage in library.passages_of.get(each.entry.id, ())
                ],
            )
            for each in shown.items
        ],
    )


def whole_entry_result(snapshot: Snapshot, entry: Entry, page: int = 1) -> WholeEntryResult:
    """Return an entry with its text and what is around it, and ``page`` of what is in it. Raises as `section_result`."""
    library = snapshot.library

    def links(entries: Sequence[Entry]) -> list[LinkResult]:
        return [link_result(snapshot, each) for each in entries[:LINKS]]

    return WholeEntryResult(
        **dict(entry_text_result(snapshot, entry)),
        inside=links(library.path(entry)[:-1]),
        holds=links(library.children_of.get(entry.id, ())),
        see_also=links(see_also(library, entry)),
        referred_to_by=links(library.referring_to.get(entry.id, ())),
        contents=section_result(snapshot, entry, page),
    )
