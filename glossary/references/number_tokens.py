"""Find numbers in a text that may be references: numbers after a word like "rule" with parts of the
rule, numbers in brackets, and numbers with several parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from corpus.languages import any_of
from glossary.model import ReferenceKind
from glossary.references.printed_numbers import SUFFIX

_SEE = any_of("references.see", "references.compare")
_SEVERAL = any_of("references.rules")
_RULE = any_of(
    "references.rules",
    "references.rule",
    "references.section",
    "labels.numbering",
    "references.places",
    "sections.appendix",
    "references.appendices",
)
_LETTERED = any_of(
    "references.rules",
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
_ELIDED = rf"{any_of('sentences.elisions')}['’]\s?"
_OF = any_of(
    "references.of", "sentences.articles", "sentences.all_articles", "sentences.joined_articles"
)
_JOINED = any_of("sentences.conjunctions", "sentences.alternatives", "sentences.further")
_UNTIL = any_of("references.until")
_NUMERO = any_of("references.numero")

_LETTERS = (  # "2.1.i.a", "4.2b"
    r"(?:(?:\.(?:[ivx]{1,4}|[a-z])(?![a-z\d])){1,3}|\.?[a-z]{1,2}(?![a-z\d]))"
)
_NUMBER = (
    rf"(?:(?:[A-Z]{{1,3}}\.(?=\d)|[A-Z]{{1,3}}(?=\d+\.\d))?\d+(?:\.\d+)*{_LETTERS}?"
    rf"|[A-Z]?\d+(?:[a-z]\d*)+)(?:{SUFFIX}(?:\.(?:[a-z]|\d{{1,2}})(?!\w))?)?"
    r"(?:\s?\([a-z\d]{1,2}\)(?!\w))*(?![\w%]|[.,]\d)"
)
_START = r"(?:[A-Z]{1,3}\.?)?\d"
_WORDS = rf"(?>(?:{_BETWEEN}|{_NUMERO})\s+|{_ELIDED}){{0,8}}"
# "articoli da 2 a 4", "Regel Nr. 3"
_FILLED = rf"(?>(?:{_NUMERO}|{any_of('references.since')})\s++|{_NUMERO}(?=\d)){{0,2}}"
_NO_BLANK = r"(?<=\.)|(?<=[^\W\d_]{3})(?=\d)"  # "Art.3", "Artikel3"
_LABEL = rf"(?:(?P<label>{_RULE})(?:\s++|{_NO_BLANK})|(?P<sign>(?<!§)§++)\s?){_FILLED}"
_ONE = re.compile(_NUMBER)
_CUE = re.compile(
    r"(?<!\w)(?![\s\d()\[\]„“”\"«»'’<>,.;:!?*_–-]|(?<=§)§)"
    rf"(?:(?:{_SEE}[ \t\n]*+:?\s*+{_WORDS})?{_LABEL}(?={_START})"
    rf"|{_SEE}(?:\s++|\s*+:\s++){_WORDS}(?={_START})"
    rf"|{any_of('references.by', 'references.by_law')}\s++{_WORDS}(?={_START}+\.\d)"
    rf"|{any_of('references.by')}\s++{_NUMERO}\s*+(?={_START}))",
    re.IGNORECASE,
)
_BRACKET = re.compile(
    rf"\((?=(?>{_NUMBER})\.?(?:\s*+(?:[,;/–-]|{_JOINED}\s)\s*+(?>{_NUMBER})\.?)*+\s*+\))"
)
_RANGE = re.compile(
    rf"\s*+(?:[-–—]\s*+(?=[A-Z]{{0,3}}\d+\.|\d|§)|(?:{_UNTIL})(?:\s++|(?<=['’])\s*+))"
    rf"(?:(?:{_OF}\s+|{_ELIDED})?{_LABEL})?(?={_START})",
    re.IGNORECASE,
)
_LAST = re.compile(r"\s*[-–—]\s*(\d{1,3})(?![\d.]*\.?\w)")
_LETTER_RANGE = re.compile(r"[-–—](?=[a-z](?!\w))")
_MORE = re.compile(
    rf"\.?\s*+(?:,|/|;|(?:,\s*+)?(?:{_JOINED})\s)\s*+"
    rf"(?:{_SEE}\s++)?(?:(?:{_OF}\s++|{_ELIDED})?{_LABEL})?(?={_START})",
    re.IGNORECASE,
)
_LETTER = r"(?:[IVXLC]{1,7}|[A-Z])(?![\w'’])"
_LETTER_LABEL = re.compile(rf"(?<!\w)(?P<label>(?i:{_LETTERED}))\s+(?={_LETTER})")
_ONE_LETTER = re.compile(_LETTER)
_MORE_LETTERS = re.compile(
    rf"\s*(?:,|/|(?:{_JOINED})\s|(?P<range>[-–—]|(?:{_UNTIL})\s))\s*(?:(?i:{_LETTERED})\s+)?(?={_LETTER})"
)
_LONG = re.compile(
    r"(?<![\w.,–-])(?=[A-Z]{0,3}\.?\d+\.(?:\d+\.\d|\d+[a-z](?!\w))|[A-Z]{1,3}\.\d+\.\d)" + _NUMBER
)
# "Nr. 5", "4.2 b"
_ASKED = re.compile(
    rf"(?<!\w){_NUMERO}\s*(?=\d)|(?<![\w.,–-])(?=(?-i:[A-Z]{{0,3}})\.?\d+\.\d)", re.IGNORECASE
)
_VERSION = re.compile(
    r"(?:\bv\.?|(?<!\w)"
    rf"{any_of('labels.version', 'labels.edition', 'labels.as_of')}\w{{0,2}})\s*"
    rf"(?:\d[\d.]*(?:\s*,\s*(?:{_JOINED}\s+)?|\s+{_JOINED}\s+))*$",
    re.IGNORECASE,
)
_AFTER_NAME = re.compile(r"\s*(?:[).,;:]|$)")

# The parts of a rule: "Abs. 2 Satz 1", ", comma 3", "lit. a)"

_PART_NUMBER = r"(?:\d{1,3}[a-z]?|[a-z])(?!\w|\.\d)\)?"
_PART_WORD = any_of("references.parts")
_PART_WORDS = rf"(?P<word>{_PART_WORD}|{_NUMERO})(?:\s++|(?<=[.°º])\s*+)"
_PART = re.compile(rf"(?:\s*+,\s*+|\s++){_PART_WORDS}\(?(?P<part>{_PART_NUMBER})", re.IGNORECASE)
# "3 b)", "4.2 b", but not a unit, a word of one letter, a code of laws ("art. 3 c.c.") or a
# paragraph ("art. 3 c. 2").
_MARK = re.compile(
    r"\s?(?P<part>[a-z]\))(?!\w)|\s(?!c\.\s?\d)(?P<letter>[a-z])(?!\.\s?[a-z]\b)(?=[.,;:?!)]|\s*\Z)"
)
_SENTENCE = re.compile(
    rf"(?:\s*+|,\s*+(?!{any_of('references.page')}))(?:{any_of('references.sentences')})\s*+\d{{1,2}}"
    rf"(?:\s*(?:[-–]|,|(?:{_JOINED}|{_UNTIL})\s)\s*\d{{1,2}})?(?!\w|\.\d)",
    re.IGNORECASE,
)
_MORE_PARTS = re.compile(
    rf"\s*+(?:,|/|(?:,\s*)?(?:{_JOINED})\s|(?P<range>[-–—]|(?:{_UNTIL})\s))\s*+"
    rf"(?:{_PART_WORDS})?\(?(?P<part>{_PART_NUMBER})"
    rf"(?!\s++(?:{_PART_WORD}|{_NUMERO})[.°º]?\s*+\(?{_PART_NUMBER}|(?-i:\s++[A-ZÄÖÜ][a-zäöü]))",
    re.IGNORECASE,
)
_PARTS_FIRST = re.compile(
    rf"(?<!\w)(?P<word>{_PART_WORD}|(?P<numero>{_NUMERO}))\s++\(?(?P<part>{_PART_NUMBER})(?!['’])",
    re.IGNORECASE,
)
_OF_RULE = re.compile(rf"\s++(?:(?:{_OF})\s++|{_ELIDED}){{1,2}}", re.IGNORECASE)
_RULE_NUMBER = re.compile(rf"{_LABEL}(?P<number>{_NUMBER})", re.IGNORECASE)
_NUMBER_BEFORE = re.compile(r"(?:\d[a-z]?|\w\s?\(\w{1,2}\))\s*+(?:,\s*+)?\Z")
# Words in the plural, and abbreviations, which may be plural. After other words, a number joined to
# the first is a quantity if a noun can follow: "Regel 3 und 4 Karten".
_SEVERAL_OR_SHORT = re.compile(rf"{_SEVERAL}|§+|\w+\.", re.IGNORECASE)
_NO_NOUN = re.compile(rf"\s*(?:[).,;:!?]|\Z|(?:{_JOINED})\s)", re.IGNORECASE)


class NumberToken(NamedTuple):
    """A number as printed: its offsets, and its normalised text, "5 (2)" for "5 Abs. 2".

    Attributes:
        sure: Whether it is a reference even if no entry has the number.
        label: The word before it.
        since: The first number of the range that it ends.
        own: Whether it is a part of the rule in which it is printed: "(2)" for "Abs. 2".
    """

    start: int
    end: int
    number: str
    kind: ReferenceKind
    sure: bool = False
    label: str = ""
    since: str = ""
    own: bool = False


class NumberChain(NamedTuple):
    """Numbers that belong together, and their span including the words before them."""

    start: int
    end: int
    tokens: list[NumberToken]


def number_chains(text: str) -> Iterator[NumberChain]:
    """Yield the numbers in ``text`` that may be references: parts named before their rule, numbers
    after a word like "rule", numbers in brackets, letters of appendices, numbers with three parts
    or a letter, and parts of the same rule.
    """
    parts = [
        part
        for part in _PARTS_FIRST.finditer(text)
        if not _NUMBER_BEFORE.search(text, max(0, part.start() - 9), part.start())
    ]
    for part in parts:
        yield _chain(part.start(), _parts_before_rule(text, part))
    for cue in _CUE.finditer(text):
        yield _chain(cue.start(), _joined_numbers(text, cue.end(), _label(cue), bool(_label(cue))))
    for bracket in _BRACKET.finditer(text):
        found = _joined_numbers(text, bracket.end(), "", False)
        tokens = [t for t in found if "." in t.number or not t.number.isdigit()]
        yield _chain(bracket.end(), (token._replace(sure=False) for token in tokens))
    for label in _LETTER_LABEL.finditer(text):
        yield _chain(label.start(), _joined_letters(text, label))
    for long in _LONG.finditer(text):
        if text[: long.start()].strip() and not _VERSION.search(text, 0, long.start()):
            tokens = [
                token._replace(sure=False)
                for token in _joined_numbers(text, long.start(), "", True)
                if token.kind is ReferenceKind.RANGE or _LONG.match(text, token.start)
            ]
            yield _chain(long.start(), tokens)
    for part in parts:
        if part["numero"]:
            continue
        own = _part_numbers(text, part, "")
        yield _chain(part.start(), (token._replace(own=True) for token in own))


def asked_numbers(text: str) -> Iterator[NumberChain]:
    """Yield the rule numbers in a question, which may be as short as "4.2 b".

    Besides `number_chains` (except parts without a rule), these are numbers after "No." and all
    with a full stop inside, except versions.
    """
    taken: list[NumberChain] = []
    alone = (
        _chain(cue.start(), _joined_numbers(text, cue.end(), "", True))
        for cue in _ASKED.finditer(text)
        if not _VERSION.search(text, 0, cue.start())
    )
    for chain in (*number_chains(text), *alone):
        beside = all(chain.end <= each.start or chain.start >= each.end for each in taken)
        if chain.tokens and not chain.tokens[0].own and beside:
            taken.append(chain)
            yield chain


def _chain(start: int, tokens: Iterable[NumberToken]) -> NumberChain:
    found = list(tokens)
    return NumberChain(start, found[-1].end if found else start, found)


def _label(match: re.Match[str]) -> str:
    return match["label"] or match["sign"] or ""


def _joined_numbers(text: str, at: int, label: str, place: bool) -> Iterator[NumberToken]:
    """Yield the number at offset ``at`` and those joined to it by commas, words and dashes, with
    their parts; ``place`` says that a word for a rule precedes.
    """
    since, counted = "", False
    while (match := _ONE.match(text, at)) is not None:
        number, end = match.group(), match.end()
        last = _last_of_range(text, match)
        # "7.2.4-1" is option 1 of rule 7.2.4, not a range.
        option = "." in number and _LAST.match(text, end)
        parts = list(_with_parts(text, match)) if place and not (last or option) else []
        end = parts[-1].end if parts else end
        following = None if last or option else _RANGE.match(text, end)
        if counted and "." not in number and not (following or _NO_NOUN.match(text, end)):
            return
        kind = ReferenceKind.RANGE if following or last or since else ReferenceKind.INLINE
        if len(parts) > 1:
            yield from (part._replace(label=label) for part in parts)
        elif place or "." in number or _AFTER_NAME.match(text, end):
            number = parts[0].number if parts else number
            sure = "." in number or bool(label)
            yield NumberToken(match.start(), end, number, kind, sure, label, since)
        if last:
            yield last._replace(label=label)
            end = last.end
        since = number if following else ""
        more = following or _MORE.match(text, end)
        if more is None:
            return
        label = _label(more) or label
        # "Regel 3 und 4 Karten"
        counted = place and not (following or _label(more) or _SEVERAL_OR_SHORT.fullmatch(label))
        at = more.end()


def _last_of_range(text: str, first: re.Match[str]) -> NumberToken | None:
    """Return the complete last number of a range that prints only its last part: 603.7f for
    "603.7d-f", 509.3 for "509.1-3".
    """
    number, at, kind = first.group(), first.end(), ReferenceKind.RANGE
    if number[-1:].isalpha() and (dash := _LETTER_RANGE.match(text, at)):
        end = dash.end()
        return NumberToken(end, end + 1, number[:-1] + text[end], kind, since=number)
    around, _, part = number.rpartition(".")
    last = _LAST.match(text, at) if around and part.isdigit() else None
    if last is None or int(last[1]) <= int(part):
        return None
    return NumberToken(*last.span(1), f"{around}.{last[1]}", kind, since=number)


def _with_parts(text: str, rule: re.Match[str]) -> Iterator[NumberToken]:
    """Yield the number ``rule`` with each of the parts printed after it: "5 (2)" and "5 (3)" for "5
    Abs. 2 und 3".
    """
    number, start, end = rule.group(), rule.start(), rule.end()
    kind, since = ReferenceKind.INLINE, ""
    while True:
        if part := _PART.match(text, end) or _MARK.match(text, end):
            *before, last = _part_numbers(text, part, number)
            yield from (each._replace(start=start) for each in before[:1])
            yield from before[1:]
            start, end, number = (last.start if before else start), last.end, last.number
            kind, since = last.kind, last.since
        elif sentence := _SENTENCE.match(text, end):
            end = sentence.end()
        else:
            break
    yield NumberToken(start, end, number, kind, sure=True, since=since)


def _part_numbers(text: str, part: re.Match[str], rule: str) -> Iterator[NumberToken]:
    """Yield the ``part`` of a ``rule`` and those joined to it: "2" and "3" for "Abs. 2 und 3"."""
    since, kind, at = "", ReferenceKind.INLINE, part
    while True:
        name = "part" if at["part"] else "letter"
        number = f"{rule} ({at[name].rstrip(')').lower()})"
        more = _MORE_PARTS.match(text, at.end()) if name == "part" else None
        if more and more["word"] and "," in more[0] and not _same_word(more["word"], at):
            more = None  # "Abs. 1, Nr. 3"
        kind = ReferenceKind.RANGE if since or (more and more["range"]) else ReferenceKind.INLINE
        yield NumberToken(*at.span(name), number, kind, sure=True, since=since)
        if more is None:
            return
        since, at = number if more["range"] else "", more


def _same_word(word: str, before: re.Match[str]) -> bool:
    """Return whether ``word`` and the word of the part ``before`` begin with the same letter, like
    "Abs." and "Absatz".
    """
    other = before.groupdict().get("word") or ""
    return word[:1].lower() == other[:1].lower()


def _parts_before_rule(text: str, first: re.Match[str]) -> Iterator[NumberToken]:
    """Yield parts named before their rule: "commi 2 e 3 dell'art. 5", "lettera b) del comma 2"."""
    tokens = list(_part_numbers(text, first, ""))
    outer, end = "", tokens[-1].end
    end += text[end : end + 1] == ")"
    while len(tokens) == 1 and (inner := _PART.match(text, end)):
        number = f"{tokens[0].number} ({_part(inner)})"
        end = inner.end()
        tokens = [tokens[0]._replace(number=number, end=end)]
    while of := _OF_RULE.match(text, end):
        if rule := _RULE_NUMBER.match(text, of.end()):
            label = _label(rule)
            for token in tokens:
                since = token.since and f"{rule['number']}{outer}{token.since}"
                number = f"{rule['number']}{outer}{token.number}"
                last = rule.end() if token is tokens[-1] else token.end
                yield token._replace(end=last, number=number, label=label, since=since)
            return
        around = _PARTS_FIRST.match(text, of.end())
        if around is None:
            return
        outer, end = f" ({_part(around)}){outer}", around.end()


def _part(match: re.Match[str]) -> str:
    return match["part"].rstrip(")").lower()


def _joined_letters(text: str, label: re.Match[str]) -> Iterator[NumberToken]:
    """Yield the letter or Roman number after ``label`` and joined ones: "Appendices A and B"."""
    at, start, since = label.end(), label.start(), ""
    while letter := _ONE_LETTER.match(text, at):
        more = _MORE_LETTERS.match(text, letter.end())
        kind = ReferenceKind.RANGE if since or (more and more["range"]) else ReferenceKind.INLINE
        yield NumberToken(start, letter.end(), letter.group(), kind, True, label["label"], since)
        if more is None:
            return
        since = letter.group() if more["range"] else ""
        at = start = more.end()
