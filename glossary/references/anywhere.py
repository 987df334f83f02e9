"""Find references of every kind in any document: links, rule numbers, quoted titles, and names in
lists, in brackets and in running text.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corpus.blocks import Link
from corpus.languages import any_of
from corpus.model import Passage, Role, Rulebook, Span, version_key
from corpus.titles import key
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from glossary.references.entry_finder import EntryFinder
from glossary.references.heading_lookup import SURE
from glossary.references.links import (
    LinkedFiles,
    LinkTargets,
    is_anchor,
    leads_out,
    linked_name,
    may_lead_out,
)
from glossary.references.name_tokens import QUOTED, NamedToken, named_tokens
from glossary.references.number_tokens import NumberChain, NumberToken, number_chains
from glossary.references.other_books import other_book
from glossary.references.resolved import DocumentOffsets, corrections_by_line, make_reference

_SIGNS = " \t\n*_`"
_LISTED_WORDS = 6  # most words of a listed name without an entry
_TITLE = re.compile(rf"\.?,?\s*\(?{QUOTED.pattern}")
# Markup contains no references.
_MARKUP = re.compile(r"\]\([^()\s]{1,300}\)|<[a-z/][^<>\n]{0,300}>|https?://\S+", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?]\s")
_FAQ = re.compile(rf"(?<!\w){any_of('sections.questions', 'sections.errata')}(?!\w)", re.IGNORECASE)
_PLACE = any_of("references.rule", "references.section", "labels.numbering")
_LINKED_NUMBER = re.compile(
    rf"\W*+(?:(?:{_PLACE})\s++|(?<=§)|(?<=§\s)|(?=[A-Z]{{1,3}}\.?\d|\d+(?:[.]\d|[a-z])))"
    r"(?P<number>(?:[A-Z]{1,3}\.?)?\d\w*+(?:[.]\w++)*)\W*",
    re.IGNORECASE,
)
_HEADS = re.compile(r"\s*+[.:–—-]\s*+[^\W\d]|\s++[A-ZÄÖÜÀÈÉ]")  # text after the number of a heading
_EDGE = re.compile(
    rf"\W*+\d*+\W*+(?:(?:{_PLACE}|{any_of('sections.appendix')})\s+)?", re.IGNORECASE
)
_PART_OF = re.compile(r"\s*+,?\s*+")  # "Titolo I, Cap. II, art. 36 del codice civile"
_DOTTED = re.compile(r"(?<![\w.])(?P<number>(?:[A-Z]{1,3}\.?)?\d+(?:\.\d+)+(?:\.?[a-z])?)(?!\w)")


def find(rulebook: Rulebook, rulebooks: Sequence[Rulebook] = ()) -> list[Reference]:
    """Return all references of ``rulebook``; names and numbers that it lacks are looked up in other
    editions of the same game and language.
    """
    finder = _AnyReferenceFinder(rulebook, rulebooks)
    return [
        reference
        for passage in rulebook.passages
        if passage.role is not Role.LISTING
        for reference in finder.find(passage)
    ]


class _Printed(NamedTuple):
    """A reference in a passage as printed, by offsets into its text, with its target entry.

    ``through`` is the end of the whole reference, including a quoted title after the number.
    ``also`` are further targets: the rules between the ends of a range, whose text is ``raw``.
    """

    start: int
    end: int
    kind: ReferenceKind
    target: str | None
    problem: ReferenceProblem | None = None
    through: int = 0
    also: tuple[str, ...] = ()
    raw: str = ""


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
        others.sort(key=lambda each: version_key(each.edition.version), reverse=True)
        self._own = EntryFinder(rulebook)
        self._others = [EntryFinder(other) for other in others]
        self._links = _whole_links(rulebook)
        self._targets = LinkTargets(rulebook) if self._links else None
        self._files = LinkedFiles(rulebook, [other for other in rulebooks if other is not rulebook])
        self._has_questions = any(
            _FAQ.fullmatch(entry.heading.strip(" .:0123456789")) for entry in rulebook.entries
        )
        self._corrections = corrections_by_line(rulebook)

    def find(self, passage: Passage) -> Iterator[Reference]:
        taken = [markup.span() for markup in _MARKUP.finditer(passage.text)]
        offsets = DocumentOffsets(passage)
        for printed in (*self._linked(passage), *self._named(passage), *self._numbered(passage)):
            if printed.start < printed.end and not any(
                printed.start < end and start < printed.end for start, end in taken
            ):
                taken.append((printed.start, max(printed.end, printed.through)))
                span = offsets.span(printed.start, printed.end)
                for target in (printed.target, *printed.also):
                    if target != passage.entry:
                        yield self._reference(passage, printed._replace(target=target), span)

    def _reference(self, passage: Passage, printed: _Printed, span: Span) -> Reference:
        raw = " ".join((printed.raw or passage.text[printed.start : printed.end]).split())
        target, problem = printed.target, printed.problem
        for correction in self._corrections.get(self._rulebook.document.line_at(span.start), ()):
            if correction.printed == raw:
                target = None
                if correction.meant is not None:
                    meant = str(correction.meant)
                    match = self._own.find(meant, passage.entry)
                    target = self._own.number(meant) or (match.entry if match else None)
                problem = ReferenceProblem.TITLE_DIFFERS if target else ReferenceProblem.OUTSIDE
        return make_reference(
            self._rulebook, passage.entry, span, raw, printed.kind, target, problem
        )

    def _linked(self, passage: Passage) -> Iterator[_Printed]:
        """Yield the links in ``passage`` that lead to an entry, or to a missing place here."""
        if self._targets is None:
            return
        at = 0
        for start, end in passage.spans:
            first = bisect.bisect_left(self._links, Link(Span(start, start), ""))
            last = bisect.bisect_left(self._links, Link(Span(end, end), ""))
            for link in self._links[first:last]:
                text = self._rulebook.document.text[link.span.start : link.span.end]
                if link.span.end > end or not any(c.isalnum() for c in text):
                    continue
                elsewhere = self._files.entry(link)
                if elsewhere is None and leads_out(link):
                    continue
                target = elsewhere or self._link_target(self._targets, link, text, passage.entry)
                if target is None and (may_lead_out(link) or linked_name(link)):
                    continue
                problem = None if target else ReferenceProblem.MISSING
                if elsewhere:
                    problem = ReferenceProblem.OUTSIDE
                first_sign = link.span.start + len(text) - len(text.lstrip(_SIGNS)) - start
                last_sign = link.span.end - len(text) + len(text.rstrip(_SIGNS)) - start
                kind = ReferenceKind.INLINE
                yield _Printed(at + first_sign, at + last_sign, kind, target, problem)
            at += end - start + 1

    def _link_target(self, targets: LinkTargets, link: Link, text: str, source: str) -> str | None:
        """Return the entry to which ``link`` in the entry ``source`` leads, by its anchor or its
        ``text``.

        A PDF link leads to a place on a page, or only to a page; then its text has priority.
        """
        behind_scheme = link.target.rpartition(":")[2]
        number = (
            _LINKED_NUMBER.fullmatch(text)
            or _DOTTED.search(text)
            or _LINKED_NUMBER.fullmatch(behind_scheme)
        )
        numbered = self._own.number(number["number"]) if number else None
        if numbered is None and may_lead_out(link):
            numbered = self._own.label(behind_scheme)
        found = targets.exact(link.target)
        if found is not None and (numbered is None or is_anchor(link)):
            return found
        match = self._own.in_text(text, source) if numbered is None else None
        if match is not None and not match.others and match.how in SURE:
            return match.entry
        return numbered or targets.near(link.target, text) or (match.entry if match else None)

    def _numbered(self, passage: Passage) -> Iterator[_Printed]:
        """Yield the rule numbers in ``passage``, with quoted titles after them."""
        text = passage.text
        chains = [
            chain
            for chain in number_chains(text)
            if chain.tokens and not self._is_outside(text, chain.tokens[0].start)
        ]
        books: dict[tuple[int, int], str | None] = {}
        behind: NumberChain | None = None
        for chain in sorted(chains, key=lambda each: each.start, reverse=True):
            label = chain.tokens[0].label
            book = other_book(text, chain.start, chain.end, label, self._rulebook.edition.title)
            within = behind and (
                behind.start < chain.end or _PART_OF.fullmatch(text, chain.end, behind.start)
            )
            if behind and within and not book:
                book = books[behind.start, behind.end]
            books[chain.start, chain.end] = book
            behind = chain
        for chain in chains:
            book = books[chain.start, chain.end]
            for before, token in zip((None, *chain.tokens), chain.tokens, strict=False):
                if book is not None:
                    yield self._in_book(token, book)
                    continue
                if before and token.since:
                    yield from self._between(passage, before, token)
                yield from self._own_number(passage, chain.start, token)

    def _in_book(self, token: NumberToken, book: str) -> _Printed:
        """Return the reference to a number in another rulebook called ``book``."""
        title = key(book)
        for other in self._others:
            if title in key(other.edition.title):
                target = other.number(token.number, token.label)
                break
        else:
            target = None
        return _Printed(token.start, token.end, token.kind, target, ReferenceProblem.OUTSIDE)

    def _between(
        self, passage: Passage, first: NumberToken, last: NumberToken
    ) -> Iterator[_Printed]:
        """Yield a reference to the rules between the ``first`` and the ``last`` number of a range;
        its place is the word between the two numbers.
        """
        text, source = passage.text, passage.entry if last.own else ""
        found = self._own.between(last.since, last.number, last.label, source)
        words = text[first.end : last.start].split()
        if found and words:
            start = text.index(words[0], first.end)
            raw, also = text[first.start : last.end], tuple(found[1:])
            yield _Printed(start, start + len(words[0]), last.kind, found[0], also=also, raw=raw)

    def _own_number(self, passage: Passage, start: int, token: NumberToken) -> Iterator[_Printed]:
        """Yield the reference for a number of this document, whose words begin at ``start``."""
        text = passage.text
        printed = self._number(token, passage.entry)
        target = printed.target if printed else None
        alone = f"{token.label} {token.number}".split() == text.strip(" .:\n").split()
        begins_line = not text[text.rfind("\n", 0, start) + 1 : start].strip(_SIGNS)
        if alone or (begins_line and not target and _HEADS.match(text, token.end)):
            return
        if target and self._is_heading(text, token, target):
            return
        title = _TITLE.match(text, token.end)
        if title is None:
            if printed:
                yield printed
            return
        titled = self._own.strict(title[1].strip(" .,;"))
        if titled and "." in token.number and not self._is_titled(target, title[1]):
            problem = ReferenceProblem.WRONG_NUMBER
            yield _Printed(token.start, token.end, token.kind, titled, problem, title.end())
        elif printed and target:
            yield printed._replace(through=title.end())

    def _number(self, token: NumberToken, source: str) -> _Printed | None:
        """Return the reference for the number ``token`` in the entry ``source``, or None if it is
        probably not a reference.
        """
        place = token.start, token.end, token.kind
        if token.own:
            target = self._own.part(token.number, source)
            return _Printed(*place, target) if target else None
        if (target := self._own.number(token.number, token.label)) is not None:
            return _Printed(*place, target)
        for other in self._others:
            if (target := other.number(token.number, token.label)) is not None:
                return _Printed(*place, target, ReferenceProblem.OUTSIDE)
        if token.sure and self._own.could_have(token.number, token.label):
            return _Printed(*place, None, ReferenceProblem.MISSING)
        return None

    def _is_titled(self, target: str | None, title: str) -> bool:
        """Return whether the title of the entry ``target`` shares a word with ``title``, or
        ``target`` is in another document.
        """
        if target is None or target not in self._own.entries:
            return target is not None
        return not set(key(self._own.title(target)).split()).isdisjoint(key(title).split())

    def _is_heading(self, text: str, token: NumberToken, target: str) -> bool:
        """Return whether a number begins a line and is followed by the title of ``target``: not a
        reference, but a heading repeated at a page edge.
        """
        before = text[text.rfind("\n", 0, token.start) + 1 : token.start]
        title = key(self._own.title(target)) if target in self._own.entries else ""
        return (
            bool(title)
            and bool(_EDGE.fullmatch(before))
            and key(text[token.end :][: 2 * len(title) + 20]).startswith(title)
        )

    def _is_outside(self, text: str, at: int) -> bool:
        """Return whether the sentence before offset ``at`` mentions an FAQ or errata that this
        document does not contain.
        """
        if self._has_questions:
            return False
        first = max(0, at - 120)
        ends = [end.end() for end in _SENTENCE.finditer(text, first, at)]
        return bool(_FAQ.search(text, max([first, *ends]), at))

    def _named(self, passage: Passage) -> Iterator[_Printed]:
        """Yield the names in lists, in quotation marks and after "see". A name without an entry
        counts only if it is quoted, or in a list with a known name.
        """
        for group in named_tokens(
            passage.text,
            lambda token: self._name(passage, token) is not None,
            passage.role is Role.SEE,
        ):
            found = [(token, self._name(passage, token)) for token in group]
            known = any(printed for _, printed in found)
            for token, printed in found:
                text = passage.text[token.start : token.end]
                if printed is not None:
                    yield printed
                elif (
                    0 < len(text.split()) <= _LISTED_WORDS
                    and not text[0].isdigit()
                    and ((known and token.listed) or (token.near and self._is_lost(text)))
                ):
                    problem = ReferenceProblem.MISSING
                    yield _Printed(token.start, token.end, token.kind, None, problem)

    def _is_lost(self, name: str) -> bool:
        """Return whether no line of the document begins with ``name``. (Otherwise it may be a
        heading that was not recognised.)
        """
        line = re.compile(rf"(?im)^[^\w\n]*+(?:\d\S*\s)?{re.escape(name)}")
        return name[:1].isupper() and not line.search(self._rulebook.document.text)

    def _name(self, passage: Passage, token: NamedToken) -> _Printed | None:
        """Return the reference for a name, or None if it does not name an entry. If the text
        announces a name, a similar heading is enough.
        """
        name = " ".join(passage.text[token.start : token.end].replace("*", "").split())
        if not any(c.isalpha() for c in name) or self._is_outside(passage.text, token.start):
            return None
        place = token.start, token.end, token.kind
        if token.strict:
            target = self._own.strict(name)
            return _Printed(*place, target) if target else None
        match = self._own.find(name, passage.entry, near=token.near)
        if match is not None:
            problem = None if match.how in SURE else ReferenceProblem.TITLE_DIFFERS
            if match.others:
                problem = ReferenceProblem.AMBIGUOUS
            return _Printed(*place, match.entry, problem)
        for other in self._others:
            if (match := other.find(name, "")) is not None and match.how in SURE:
                return _Printed(*place, match.entry, ReferenceProblem.OUTSIDE)
        return None


def _whole_links(rulebook: Rulebook) -> list[Link]:
    """Return the links of ``rulebook`` in order, joined if a PDF splits them by words or lines."""
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
