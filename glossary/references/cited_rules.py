"""Find the rules that a question cites by number: "4.2 b", "§ 1 Abs. 3", "Regel Nr. 12", "punto 3
dell'art. 4".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from corpus.languages import any_of, words_of
from corpus.model import Span
from glossary.references.number_tokens import NumberToken, asked_numbers
from glossary.references.other_books import asks_other_book
from glossary.references.printed_numbers import (
    label_key,
    names_any_rule,
    names_part,
    numbers_between,
    rule_and_marks,
)
from glossary.references.spelled_numbers import in_figures

# Words before a number in a question that almost always mean a rule.
_SURE = re.compile(
    any_of("labels.numbering", "references.rule", "references.section"), re.IGNORECASE
)
_SURE_KEYS = ("§", "art", "parag")
_ABBREVIATIONS = "|".join(
    word.removesuffix(r"\.")
    for name in ("labels.numbering", "references.rules", "references.places", "references.parts")
    for word in sorted(words_of(name))
    if re.fullmatch(r"[^\W\d_]{2,}\\\.", word)
)
_WITHOUT_POINT = re.compile(rf"(?<!\w)({_ABBREVIATIONS})(?=\s?\d|\s[a-z](?!\w))", re.IGNORECASE)
_CAPITAL = re.compile(r"(?<=\d)[A-Z](?!\w)|(?<=\()[A-Z](?=\))|(?<=\d\s)[A-Z](?=[?!.,;:]|\s*\Z)")
_SPACED = re.compile(r"(?<=\d\.\d)\s(?=[bcdf]\s)")  # not "a" and "e", which are words, nor "m"
_ITEM = re.compile(r"\s(\d{1,2})[.)](?=[\s?!.,;:]*\Z)")  # "§ 1 (1) 2.", cited like this
_NUMERAL = re.compile(r"\d|(?<=\s)[A-Z]{1,7}(?!\w)")  # "Art. III", "Anhang B"
_PART = any_of("references.parts")
_RULE = any_of("references.rule", "references.section", "labels.articles")
_ITEM_PART = rf"(?:{any_of('references.parts', 'references.numero', 'references.places')})"
_ITEM_WORD = rf"(?:{_ITEM_PART}|{any_of('questions.step')})"
_INNER = rf"(?:,?\s{_ITEM_PART}[.\s]\s*+\(?([a-z]|\d{{1,2}})|\s?\(?([a-z]|\d{{1,2}}(?=[.)])))[.)]?"
_MARKS = rf"\(?(\d{{1,3}}|[a-z](?=\)))[.)]{{0,2}}(?:{_INNER})?(?!\w)"
# "Punkt 3 b der Mitgliedschaft", "Mitgliedschaft, 3. b)"
_CITED_ITEM = re.compile(
    rf"(?<!\w)(?:{_ITEM_WORD}[.\s]\s*+){{1,4}}+{_MARKS}(?![.,]\d)"
    rf"|(?<=\w)[,:]?\s++{_MARKS}(?=[\s?!.,;:]*\Z)",
    re.IGNORECASE,
)


class CitedRule(NamedTuple):
    """A rule cited by its number.

    Attributes:
        label: The `label_key` of the word before the number, or "".
        rule: The parts of the number.
        marks: The numbers of parts of the rule: "3" for "Abs. 3". The rule may lack them.
        printed: The number as printed in the question.
        is_general: Whether ``label`` means any kind of rule.
        is_sure: Whether the number cites a rule whatever else the question says.
        may_be_item: Whether it may be the number of a list item.
    """

    label: str
    rule: tuple[str, ...]
    marks: tuple[str, ...]
    printed: str
    is_general: bool
    is_sure: bool
    may_be_item: bool


class CitedRules(NamedTuple):
    """The rules that a text cites by number, and the ``rest`` of the text."""

    rules: tuple[CitedRule, ...]
    rest: str


class PrintedRules(NamedTuple):
    """Rules cited together from ``start`` to ``end`` of a text, including the words before the
    numbers; each rule has the span of its number.
    """

    start: int
    end: int
    rules: tuple[tuple[Span, CitedRule], ...]

    @property
    def is_announced(self) -> bool:
        """Whether a word before the first number says that it is a rule number."""
        return bool(self.rules) and self.start < self.rules[0][0].start


def printed_rules(text: str, titles: Iterable[str]) -> Iterator[PrintedRules]:
    """Yield the rules that ``text`` cites by number, in order, except from books not in
    ``titles``.
    """
    for chain in sorted(asked_numbers(text), key=lambda each: each.start):
        if asks_other_book(text, chain.start, chain.end, chain.tokens[-1].label, titles):
            continue
        item = _ITEM.match(text, chain.end)
        rules = tuple(
            (Span(token.start, token.end), cited)
            for token in chain.tokens
            for cited in _cited(text, token, item if token is chain.tokens[-1] else None)
        )
        yield PrintedRules(chain.start, item.end() if item else chain.end, rules)


def cited_rules(text: str, titles: Iterable[str] = ()) -> CitedRules:
    """Return the rules that ``text`` cites by number, each once, in order, except those of books
    other than ``titles``.

    If the text has no digits, numbers in words are found ("die dritte Regel"), which are never
    sure.
    """
    if not _NUMERAL.search(text):
        spelled = in_figures(text, _RULE)
        if spelled == text:
            return CitedRules((), text)
        found = cited_rules(spelled, titles)
        return CitedRules(tuple(rule._replace(is_sure=False) for rule in found.rules), found.rest)
    text = in_figures(text, _PART)
    text = _CAPITAL.sub(lambda found: found[0].lower(), _WITHOUT_POINT.sub(r"\1.", text))
    text = _SPACED.sub(".", text)
    cited: dict[tuple[str, tuple[str, ...], tuple[str, ...]], CitedRule] = {}
    rest, end = "", 0
    for named in printed_rules(text, titles):
        for _, rule in named.rules:
            cited.setdefault((rule.label, rule.rule, rule.marks), rule)
        rest += f"{text[end : named.start]} "
        end = named.end
    return CitedRules(tuple(cited.values()), rest + text[end:])


def _cited(text: str, token: NumberToken, item: re.Match[str] | None) -> Iterator[CitedRule]:
    """Yield the rule that ``token`` of ``text`` cites (with the list ``item`` after it), after the
    rules before it in a range.
    """
    rule, marks = rule_and_marks(token.number, token.label)
    marks += (item[1],) if item else ()
    printed = text[token.start : item.end(1) if item else token.end]
    if not printed.startswith(rule[:1]):
        printed = token.number
    label = label_key(token.label) if token.label else ""
    known = label in _SURE_KEYS or _SURE.fullmatch(token.label) is not None
    cited = CitedRule(
        label,
        rule,
        marks,
        f"{token.label[0]} {printed}" if label == "§" else printed,
        not label or names_any_rule(token.label),
        "." in token.number or (known and rule[0].isdigit() and token.number[0].isdigit()),
        not label or names_part(token.label),
    )
    if token.since:
        for inner, parts in numbers_between(token.since, token.number, token.label):
            yield cited._replace(rule=inner, marks=parts, is_sure=False)
    yield cited


class CitedItem(NamedTuple):
    """A list item that a text cites by its ``marks`` ("3" and "b"), and the ``rest`` of the text,
    which may name the heading of the list.
    """

    marks: tuple[str, ...]
    rest: str


def cited_item(text: str) -> CitedItem | None:
    """Return the list item that ``text`` cites by number, or None."""
    text = in_figures(text, _ITEM_WORD)
    found = _CITED_ITEM.search(text)
    if found is None:
        return None
    marks = tuple(each.lower() for each in found.groups() if each)
    return CitedItem(marks, f"{text[: found.start()]} {text[found.end() :]}")
