"""Find possible names of entries in a text: in lists, after "see", and in quotation marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from corpus.languages import any_of, words_of
from glossary.model import ReferenceKind

_SEE = any_of("references.see", "references.compare")
_ALSO = any_of("references.also")
_PLACE = any_of(
    "references.rule",
    "references.section",
    "labels.numbering",
    "sections.appendix",
    "references.appendices",
)
_BETWEEN = any_of(
    "references.between",
    "references.also",
    "sentences.all_articles",
    "references.entry",
    "sentences.joined_articles",
)
_JOINED = any_of("sentences.conjunctions", "sentences.alternatives", "sentences.further")

_LIST = re.compile(
    rf"(?:^|(?<=\n)|(?<=\())[^\w\n(]*"
    rf"(?:(?P<see>{_SEE})(?P<also>\s++{_ALSO})?|{any_of('references.related')})"
    rf"(?>\s++(?:{_BETWEEN}|{_PLACE})(?![^\W_])){{0,8}}[*_\s]*:[*_]*[ \t]*",
    re.IGNORECASE,
)
_INLINE = re.compile(
    rf"(?<!\w){_SEE}(?P<also>\s+{_ALSO})?(?!\w)[*_]*+\s*+:?\s*+(?>(?:{_BETWEEN}|{_PLACE})\s+){{0,8}}",
    re.IGNORECASE,
)
QUOTED = re.compile(r"[„“\"«»”]\s?([^„“”\"«»\n]{2,100}?)\s?[“”\"»«]")
_TITLED = re.compile(
    rf"(?<!\w)(?:{_PLACE}|{any_of('references.entry', 'references.by')})\s++"
    rf"(?>{_BETWEEN}\s+){{0,8}}(?=[„“\"«”])",
    re.IGNORECASE,
)
_CHAPTER = re.compile(rf"(?<!\w)(?i:{any_of('references.section')})\s+(?=[A-ZÀ-Þ])")
_PAGE = re.compile(
    rf"\s*+\(?[^\w\s]?\s*+(?:[a-zà-ÿ]{{1,5}}\s+){{0,2}}(?i:{any_of('references.page')})\s*\d+"
)
_COMMA = re.compile(rf"\s*[,;]\s*(?:{_JOINED}\s+)?|\s+{_JOINED}\s+")
_WORD = re.compile(r"\S+")
_NAME_END = re.compile(r"[;()]|\n\s*\n|$")
_CLAUSE_END = re.compile(r"[.;:()\n]")
_CLOSING = re.compile(r"[*_]*+(?:\s*+[“”\"»«])?")
_SMALL = words_of("function_words.in_titles")
_SIGNS = " \t\n*_`.,;:"
_MOST_WORDS = 8  # of a name in running text
_SHORTEST = 4  # letters of a name in small letters


class NamedToken(NamedTuple):
    """A name as printed: its offsets, and its kind of reference.

    ``near``: the text announces a name, which may differ a little from the heading. ``listed``: it
    is in a list of names. ``strict``: only a capital letter marks it as a name.
    """

    start: int
    end: int
    kind: ReferenceKind
    near: bool = False
    listed: bool = False
    strict: bool = False


IsName = Callable[[NamedToken], bool]


def named_tokens(text: str, is_name: IsName, is_list: bool = False) -> Iterator[list[NamedToken]]:
    """Yield the possible names in ``text``, grouped by list.

    ``is_name`` decides how many words after "see" are a name. ``is_list``: the whole text is a list
    of references.
    """
    for label in _LIST.finditer(text):
        kind = ReferenceKind.SEE if label["see"] and not label["also"] else ReferenceKind.SEE_ALSO
        yield list(_listed(text, label.end(), _list_end(text, label, is_list), kind))
    for place in _TITLED.finditer(text):
        if quoted := QUOTED.match(text, place.end()):
            yield [NamedToken(*quoted.span(1), ReferenceKind.INLINE)]
    for see in _INLINE.finditer(text):
        kind = ReferenceKind.SEE_ALSO if see["also"] else ReferenceKind.SEE
        if see.start():
            kind = ReferenceKind.INLINE
        bracket = _opens_bracket(text, see.start())
        for token in _chained(text, see.end(), kind, bracket, is_name):
            yield [token]
    for quoted in QUOTED.finditer(text):
        if _PAGE.match(text, quoted.end()):
            yield [NamedToken(*quoted.span(1), ReferenceKind.INLINE, near=True)]
    for chapter in _CHAPTER.finditer(text):
        for token in _capitalised(text, chapter.end(), ReferenceKind.INLINE):
            if is_name(strict := token._replace(strict=True)):
                yield [strict]
                break


def _chained(
    text: str, at: int, kind: ReferenceKind, bracket: bool, is_name: IsName
) -> Iterator[NamedToken]:
    """Yield the name at offset ``at``, and those joined to it by commas and "and"."""
    while (token := _next_name(text, at, kind, bracket, is_name)) is not None:
        yield token
        closing = _CLOSING.match(text, token.end)
        end = closing.end() if closing else token.end
        page = _PAGE.match(text, end)
        more = _COMMA.match(text, page.end() if page else end)
        if more is None:
            return
        at = more.end()


def _next_name(
    text: str, at: int, kind: ReferenceKind, bracket: bool, is_name: IsName
) -> NamedToken | None:
    """Return the name at offset ``at``: quoted, or the longest run of words that is a name."""
    if quoted := QUOTED.match(text, at):
        return NamedToken(*quoted.span(1), kind, near=True)
    first = text[at:].lstrip(_SIGNS)[:1]
    if first.isdigit() or not (bracket or first.isupper()):
        return None
    for token in _capitalised(text, at, kind):
        small = not text[token.start].isupper() and token.end - token.start < _SHORTEST
        whole = _CLAUSE_END.search(text, token.start, token.end)  # "Wache: Nachtschicht"
        named = token._replace(strict=token.strict or whole is not None)
        if not small and is_name(named):
            return named
    return None


def _capitalised(text: str, at: int, kind: ReferenceKind) -> Iterator[NamedToken]:
    """Yield the runs of words that begin at offset ``at``, the longest first; a run that ends with
    a function word must match a heading as printed.
    """
    end = _NAME_END.search(text, at)
    words = list(_WORD.finditer(text, at, end.start() if end else len(text)))
    for last in reversed(words[:_MOST_WORDS]):
        start, end_of_name = _trimmed(text, at, last.end())
        if start < end_of_name:
            small = last.group().strip(_SIGNS).lower() in _SMALL
            yield NamedToken(start, end_of_name, kind, strict=small)


def _opens_bracket(text: str, at: int) -> bool:
    """Return whether offset ``at`` is at the beginning of a bracket, or after a comma in it."""
    before = text[max(0, at - 200) : at]
    opened = before.rfind("(")
    return opened > before.rfind(")") and (
        not before[opened + 1 :].strip() or before.rstrip()[-1:] in ",;."
    )


def _listed(text: str, start: int, end: int, kind: ReferenceKind) -> Iterator[NamedToken]:
    """Yield the names in a list, split at line ends, bullets, and commas outside quotations."""
    unquoted = QUOTED.sub(lambda match: "_" * len(match.group()), text[start:end])
    commas = [match.span() for match in re.finditer(r"[,;•]|\n[ \t]*[-*•]?", unquoted)]
    bounds = [0, *(place for span in commas for place in span), end - start]
    for a, b in zip(bounds[::2], bounds[1::2], strict=True):
        quoted = QUOTED.search(text, start + a, start + b)
        first, last = _trimmed(text, *(quoted.span(1) if quoted else (start + a, start + b)))
        if first < last:
            yield NamedToken(first, last, kind, near=quoted is not None, listed=True)


def _list_end(text: str, label: re.Match[str], is_list: bool) -> int:
    """Return the end of the list after ``label``: its closing bracket, or the end of the line, or
    of the text if all of it ``is_list``.
    """
    if text[: label.start()].endswith("(") and (close := text.find(")", label.end())) >= 0:
        return close
    line = text.find("\n", label.end())
    return len(text) if line < 0 or is_list else line


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the offsets without blanks and punctuation at both ends."""
    while start < end and text[start] in _SIGNS + '„“"«»”[(':
        start += 1
    while end > start and (
        text[end - 1] in _SIGNS + '“”"»«]' or (text[end - 1] == ")" and "(" not in text[start:end])
    ):
        end -= 1
    return start, end
