"""Finds references of every kind in any document: links, numbers of rules, names in lists, in
brackets and in the text, quoted titles.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.blocks import Link
from corpus.languages import any_of
from corpus.model import Fault, Passage, Role, Rulebook, Span
from corpus.titles import key
from corpus.versions import version_key
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from glossary.references.entry_finder import EntryFinder
from glossary.references.heading_lookup import SURE, HeadingMatch
from glossary.references.link_targets import LinkTargets
from glossary.references.linked_files import LinkedFiles, linked_name
from glossary.references.named_tokens import QUOTED, NamedToken, named_tokens
from glossary.references.number_tokens import NumberToken, number_tokens
from glossary.references.see_lists import DocumentOffsets

_SIGNS = " \t\n*_`"
_LISTED_WORDS = 6  # of a name that no heading has
_TITLE = re.compile(rf"\.?,?\s*\(?{QUOTED.pattern}")
_MARKUP = re.compile(
    r"\]\([^()\s]{1,300}\)|<[a-z/][^<>\n]{0,300}>|https?://\S+", re.IGNORECASE
)  # of which nothing is a reference
_SENTENCE = re.compile(r"[.!?]\s")
_FAQ = re.compile(rf"(?<!\w){any_of('sections.questions', 'sections.errata')}(?!\w)", re.IGNORECASE)
_PLACE = any_of("references.rule", "references.section", "labels.numbering")
_LINKED_NUMBER = re.compile(
    rf"\W*+(?:(?:{_PLACE})\s++|(?<=§)|(?<=§\s)|(?=[A-Z]{{1,3}}\.?\d|\d+(?:[.]\d|[a-z])))"
    r"(?P<number>(?:[A-Z]{1,3}\.?)?\d\w*+(?:[.]\w++)*+)\W*",
    re.IGNORECASE,
)
_EDGE = re.compile(
    rf"\W*+\d*+\W*+(?:(?:{_PLACE}|{any_of('sections.appendix')})\s+)?", re.IGNORECASE
)
_DOTTED = re.compile(r"(?<![\w.])(?P<number>(?:[A-Z]{1,3}\.?)?\d+(?:\.\d+)+(?:\.?[a-z])?)(?!\w)")


def find(rulebook: Rulebook, rulebooks: Sequence[Rulebook] = ()) -> list[Reference]:
    """All references of ``rulebook``; a name or number that it does not have is looked up in other
    editions of its game and language.
    """
    finder = _AnyReferenceFinder(rulebook, rulebooks)
    return [
        reference
        for passage in rulebook.passages
        if passage.role is not Role.LISTING
        for reference in finder.find(passage)
    ]


@dataclass(frozen=True, slots=True)
class _Printed:
    """A reference in a passage as printed: offsets into its text. ``target`` is set where it is
    already known.

    ``through`` is where what belongs to it ends: a title in quotation marks behind its number.
    """

    start: int
    end: int
    kind: ReferenceKind
    target: str | None
    problem: ReferenceProblem | None = None
    through: int = 0


class _AnyReferenceFinder:
    """Finds the references in the passages of one rulebook."""

    def __init__(self, rulebook: Rulebook, rulebooks: Sequence[Rulebook]):
        self._rulebook = rulebook
        edition = rulebook.edition
        others = [
            other
            for other in rulebooks
            if other is not rulebook
            and other.edition.id != edition.id
            and (other.edition.game, other.edition.language) == (edition.game, edition.language)
        ]
        self._own = EntryFinder(rulebook)
        self._others = [
            EntryFinder(other)
            for other in sorted(
                others, key=lambda each: version_key(each.edition.version), reverse=True
            )
        ]
        self._links = _whole_links(rulebook)
        self._targets = LinkTargets(rulebook) if self._links else None
        self._files = LinkedFiles(rulebook, [other for other in rulebooks if other is not rulebook])
        self._has_questions = any(
            _FAQ.fullmatch(entry.heading.strip(" .:0123456789")) for entry in rulebook.entries
        )
        self._corrections = {
            (line, c.printed): c
            for c in edition.corrections
            if c.fault is Fault.REFERENCE and c.fits(rulebook.document)
            for line in range(c.line, c.through + 1)
        }

    def find(self, passage: Passage) -> Iterator[Reference]:
        """The references in ``passage``."""
        taken = [markup.span() for markup in _MARKUP.finditer(passage.text)]
        offsets = DocumentOffsets(passage)
        for printed in (*self._linked(passage), *self._named(passage), *self._numbered(passage)):
            if printed.start < printed.end and not any(
                printed.start < end and start < printed.end for start, end in taken
            ):
                taken.append((printed.start, max(printed.end, printed.through)))
                if printed.target != passage.entry:
                    yield self._reference(passage, printed, offsets)

    def _reference(
        self, passage: Passage, printed: _Printed, offsets: DocumentOffsets
    ) -> Reference:
        span = Span(offsets(printed.start), offsets(printed.end - 1) + 1)
        raw, line = (
            " ".join(passage.text[printed.start : printed.end].split()),
            self._rulebook.document.line_at(span.start),
        )
        target, problem, meant = (
            printed.target,
            printed.problem,
            printed.target if printed.problem else None,
        )
        if (correction := self._corrections.get((line, raw))) is not None:
            match = (
                self._own.find(str(correction.meant), passage.entry)
                if correction.meant is not None
                else None
            )
            number = (
                self._own.number(str(correction.meant)) if correction.meant is not None else None
            )
            target = meant = number or (match.entry if match else None)
            problem = ReferenceProblem.TITLE_DIFFERS if target else ReferenceProblem.OUTSIDE
        if problem is ReferenceProblem.OUTSIDE:
            meant = None
        return Reference(
            entry=passage.entry,
            line=line,
            raw=raw,
            span=span,
            kind=printed.kind,
            target=target,
            problem=problem,
            meant=meant,
        )

    def _linked(self, passage: Passage) -> Iterator[_Printed]:
        """The links in ``passage`` that lead to an entry, or nowhere in the document."""
        if self._targets is None:
            return
        at = 0
        for start, end in passage.spans:
            first = bisect.bisect_left(self._links, Link(Span(start, start), ""))
            for link in self._links[
                first : bisect.bisect_left(self._links, Link(Span(end, end), ""))
            ]:
                text = self._rulebook.document.text[link.span.start : link.span.end]
                if link.span.end > end or not any(c.isalnum() for c in text):
                    continue
                elsewhere = self._files.entry(link)
                if elsewhere is None and self._targets.leads_out(link):
                    continue
                target = elsewhere or self._link_target(self._targets, link, text, passage.entry)
                if target is not None or not (
                    self._targets.may_lead_out(link) or linked_name(link)
                ):
                    missing = (
                        ReferenceProblem.OUTSIDE
                        if elsewhere
                        else None
                        if target
                        else ReferenceProblem.MISSING
                    )
                    first_sign = link.span.start + len(text) - len(text.lstrip(_SIGNS))
                    last_sign = link.span.end - len(text) + len(text.rstrip(_SIGNS))
                    yield _Printed(
                        at + first_sign - start,
                        at + last_sign - start,
                        ReferenceKind.INLINE,
                        target,
                        missing,
                    )
            at += end - start + 1

    def _link_target(self, targets: LinkTargets, link: Link, text: str, source: str) -> str | None:
        """The entry that ``link`` in the entry ``source`` leads to: that of its anchor, else the
        one that its ``text`` names.

        A link in a PDF leads to a place on a page, or only to a page; then what its text says
        counts more.
        """
        number = (
            _LINKED_NUMBER.fullmatch(text)
            or _DOTTED.search(text)
            or _LINKED_NUMBER.fullmatch(link.target.rpartition(":")[2])
        )
        numbered = self._own.number(number["number"]) if number else None
        if numbered is None and targets.may_lead_out(link):
            numbered = self._own.label(link.target.rpartition(":")[2])
        found = targets.exact(link)
        if found is not None and (numbered is None or targets.is_anchor(link)):
            return found
        match = self._own.in_text(text, source) if numbered is None else None
        if match is not None and not match.others and match.how in SURE:
            return match.entry
        return numbered or targets.near(link, text) or (match.entry if match else None)

    def _numbered(self, passage: Passage) -> Iterator[_Printed]:
        """The numbers that are those of rules, with a title in quotation marks behind them."""
        for token in number_tokens(passage.text):
            if self._is_outside(passage.text, token.start):
                continue
            title = _TITLE.match(passage.text, token.end)
            titled = self._own.strict(title[1].strip(" .,;")) if title else None
            printed = self._number(token)
            if printed and printed.target and self._is_heading(passage.text, token, printed.target):
                continue
            through = title.end() if title else 0
            if (
                titled is not None
                and "." in token.number
                and not (title and printed and self._is_titled(printed.target, title[1]))
            ):
                yield _Printed(
                    token.start,
                    token.end,
                    token.kind,
                    titled,
                    ReferenceProblem.WRONG_NUMBER,
                    through,
                )
            elif printed is not None and not (title and printed.target is None):
                yield _Printed(
                    token.start,
                    token.end,
                    token.kind,
                    printed.target,
                    printed.problem,
                    through if printed.target else 0,
                )

    def _number(self, token: NumberToken) -> _Printed | None:
        """The reference that a printed number is; None for a number that may be none."""
        look_up = EntryFinder.label if token.label else EntryFinder.number
        if (target := look_up(self._own, token.number)) is not None:
            return _Printed(token.start, token.end, token.kind, target)
        for other in self._others:
            if (target := look_up(other, token.number)) is not None:
                return _Printed(
                    token.start, token.end, token.kind, target, ReferenceProblem.OUTSIDE
                )
        if not token.sure or not self._own.is_in_sequence(token.number):
            return None
        return _Printed(token.start, token.end, token.kind, None, ReferenceProblem.MISSING)

    def _is_titled(self, target: str | None, title: str) -> bool:
        """Whether the entry ``target`` of this document or another has a title like ``title``: one
        with a word of it.
        """
        if target is None:
            return False
        return not self._own.has(target) or bool(
            set(key(self._own.title(target)).split()) & set(key(title).split())
        )

    def _is_heading(self, text: str, token: NumberToken, target: str) -> bool:
        """Whether a number begins a line and its title follows: a heading printed again at the edge
        of a page, and no reference.
        """
        before = text[text.rfind("\n", 0, token.start) + 1 : token.start]
        title = key(self._own.title(target)) if self._own.has(target) else ""
        return (
            bool(title)
            and bool(_EDGE.fullmatch(before))
            and key(text[token.end :][: 2 * len(title) + 20]).startswith(title)
        )

    def _is_outside(self, text: str, at: int) -> bool:
        """Whether the sentence before an offset names questions and answers, which this document
        does not have.
        """
        if self._has_questions:
            return False
        start = max(
            [
                max(0, at - 120),
                *(end.end() for end in _SENTENCE.finditer(text, max(0, at - 120), at)),
            ]
        )
        return bool(_FAQ.search(text, start, at))

    def _named(self, passage: Passage) -> Iterator[_Printed]:
        """The names in lists, in quotation marks and behind "see"; in a list, one without an entry
        counts beside one with an entry.
        """

        def look_up(token: NamedToken) -> _Printed | None:
            return self._name(passage, token)

        for group in named_tokens(passage, lambda token: look_up(token) is not None):
            found = [(token, look_up(token)) for token in group]
            known = any(printed for _, printed in found)
            for token, printed in found:
                if printed is not None:
                    yield printed
                elif (
                    token.listed
                    and known
                    and self._may_be_name(passage.text[token.start : token.end])
                ):
                    yield _Printed(
                        token.start, token.end, token.kind, None, ReferenceProblem.MISSING
                    )

    def _may_be_name(self, text: str) -> bool:
        return 0 < len(text.split()) <= _LISTED_WORDS and not text[0].isdigit()

    def _name(self, passage: Passage, token: NamedToken) -> _Printed | None:
        """The reference that a name is, also one that is only near to a heading where it is
        announced; None if no heading is like it.
        """
        name = " ".join(passage.text[token.start : token.end].replace("*", "").split())
        if not any(c.isalpha() for c in name) or self._is_outside(passage.text, token.start):
            return None
        if token.strict:
            target = self._own.strict(name)
            return _Printed(token.start, token.end, token.kind, target) if target else None
        match = self._own.find(name, passage.entry, near=token.near)
        if match is not None:
            return _Printed(token.start, token.end, token.kind, match.entry, _problem(match))
        for other in self._others:
            if (match := other.find(name, "")) is not None and match.how in SURE:
                return _Printed(
                    token.start, token.end, token.kind, match.entry, ReferenceProblem.OUTSIDE
                )
        return None


def _whole_links(rulebook: Rulebook) -> list[Link]:
    """The links of ``rulebook`` in order; a link that is one for each of its words or lines, as in
    a PDF, is one link.
    """
    found: list[Link] = []
    for link in sorted(link for block in rulebook.document.blocks for link in block.links):
        last = found[-1] if found else None
        if (
            last
            and last.target == link.target
            and rulebook.document.text[last.span.end : link.span.start].isspace()
        ):
            found[-1] = Link(Span(last.span.start, max(last.span.end, link.span.end)), link.target)
        else:
            found.append(link)
    return found


def _problem(match: HeadingMatch) -> ReferenceProblem | None:
    """What is wrong with a name that matches a heading so."""
    if match.others:
        return ReferenceProblem.AMBIGUOUS
    return None if match.how in SURE else ReferenceProblem.TITLE_DIFFERS
