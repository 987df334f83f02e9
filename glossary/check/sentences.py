"""Slips within sentences: those that break off, words twice in succession, blanks left out, brackets without partner."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from corpus.languages import capitals, get_language, letters, words_of
from corpus.model import Passage, Role, Rulebook
from glossary.check.model import Certainty, Finding, FindingKind, shorten
from glossary.check.text import TextUnit, may_end, text_units, without_emphasis

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_CLAUSE = re.compile(r"(?<!\W)[^\w.!?:;…]*+[.!?:;…]\W*\s")
_MANY = 6  # words of something that is a sentence
_TWICE = re.compile(r"(?<![\w'’-])([^\W\d_]{2,})(?: |[ \t]{0,8}\n[ \t]{0,8})(\1)(?![\w'’-])", re.IGNORECASE)
_REPEATABLE = words_of("sentences.repeatable")  # ", die die Spieler nutzen"
_SMALL = letters()
_GLUED = re.compile(rf"[{_SMALL}]{{2}}(?:,[{_SMALL}]{{2}}|\.[{capitals()}]?[{_SMALL}]{{3}}|\((?=[^\W\d_]{{3,}}[ ,.)]))")
_ADDRESS = re.compile(r"www\.|https?:|@|/|\w\.(?:com|net|org|info|io|eu|de|it|fr|es|uk)\b")
_OPENS = {"(": ")", "[": "]"}
_BOLD, _STRAIGHT = "**", '"'  # signs that look the same at both ends; "<" and ">" say what they seem to do
_STEP = re.compile(r"(?:^|\s)\w{1,2}\.?$")  # "1) first, 2) then"
_BOLD_MARK = re.compile(r"(?<!\*)\*\*(?!\*)")
_ENOUGH = 10  # signs without partner in one passage
_MARKER = re.compile(r"\W*\w{1,3}(?:\.?\s*\w{1,8})?\s?\.?")  # "a)" and "1. Zug)" at the beginning of a line


def find_broken_sentences(rulebook: Rulebook) -> Iterator[Finding]:
    """Paragraphs and items that end within a sentence, or without a full stop where their neighbours have one."""
    found: dict[str, list[TextUnit]] = defaultdict(list)
    for unit in text_units(rulebook):
        found[unit.passage.entry].append(unit)
    for group in found.values():
        for at, unit in enumerate(group):
            following = group[at + 1] if at + 1 < len(group) else None
            if not unit.is_item and following is not None and following.is_item and _goes_on(following):
                continue
            yield from _break(rulebook, unit, [*group[max(at - 2, 0) : at], *group[at + 1 : at + 3]])


def _goes_on(item: TextUnit) -> bool:
    """Whether ``item`` ends the sentence before its list: it begins with a small letter."""
    letter = next((c for c in item.text.lstrip("-•➤▶✦»>* ") if c.isalpha()), "")
    return letter.islower()


def _break(rulebook: Rulebook, unit: TextUnit, neighbours: Sequence[TextUnit]) -> Iterator[Finding]:
    text = without_emphasis(unit.text)
    if not text or not (text[-1].isalpha() or text[-1] in ",-–"):
        return
    words = _WORD.findall(_CLAUSE.split(text)[-1])
    if len(words) < 3:
        return
    if not may_end(words) or (text[-1] in ",-–" and len(words) >= _MANY):
        certainty, why = Certainty.LIKELY, "the sentence is cut off here"
    elif _lacks_stop(rulebook, unit, words, neighbours):
        certainty, why = Certainty.POSSIBLE, "no full stop: it is missing, or text is"
    else:
        return
    place = unit.place(len(unit.text) - 1)
    line = rulebook.document.line_at(place)
    if without_emphasis(rulebook.document.text[place + 1 : rulebook.document.line(line).end]):
        return  # a passage too long to read out was divided here
    yield Finding(rulebook.edition.id, line, FindingKind.BREAKS_OFF, shorten(text, len(text)), None, certainty, why)


def _lacks_stop(rulebook: Rulebook, unit: TextUnit, words: list[str], neighbours: Sequence[TextUnit]) -> bool:
    """Whether ``words``, the last of ``unit``, are a sentence; an item's only where the items ``neighbours`` it have full stops."""
    small = sum(word[0].islower() for word in words)
    is_sentence = len(words) >= _MANY and small >= 0.4 * len(words) and len(words[-1]) > 1
    if unit.is_item:
        ends = [without_emphasis(u.text)[-1:] for u in neighbours if u.is_item]
        return is_sentence and len(ends) >= 2 and 2 * sum(end in '.!?)…"“”»' for end in ends) >= len(ends)
    return is_sentence and (not get_language(rulebook.edition.language).capitalised_nouns or words[-1][0].islower() or len(words) >= 8)


def find_doubled_words(rulebook: Rulebook) -> Iterator[Finding]:
    """The same word twice in succession, but for names and what German grammar asks for."""
    for start, end in _spans(rulebook):
        for match in _TWICE.finditer(rulebook.document.text[start:end]):
            first, second = match.groups()
            if first.casefold() in _REPEATABLE or (first[0].isupper() and second[0].isupper()):
                continue
            line = rulebook.document.line_at(start + match.start())
            why = "the same word twice in succession"
            yield Finding(rulebook.edition.id, line, FindingKind.DOUBLED_WORD, f"{first} {second}", first, Certainty.LIKELY, why)


def find_missing_blanks(rulebook: Rulebook) -> Iterator[Finding]:
    """Words with no blank after the comma or full stop between them, or before the bracket."""
    for start, end in _spans(rulebook):
        text = rulebook.document.text[start:end]
        for match in _GLUED.finditer(text):
            a, b = _token(text, match.start(), match.end())
            if _ADDRESS.search(text[a:b]):
                continue
            line = rulebook.document.line_at(start + match.start())
            sign = next(c for c in match.group() if c in ",.(")
            at = text.index(sign, match.start()) - a
            meant = text[a : a + at] + (" (" if sign == "(" else sign + " ") + text[a + at + 1 : b]
            why = f"no blank {'before' if sign == '(' else 'after'} {sign!r}"
            yield Finding(rulebook.edition.id, line, FindingKind.GLUED, shorten(text[a:b]), shorten(meant), Certainty.LIKELY, why)


def _token(text: str, start: int, end: int) -> tuple[int, int]:
    """The run of characters without white space around ``start`` to ``end``, at most 40 characters on each side."""
    a, b = start, end
    while a > max(0, start - 40) and not text[a - 1].isspace():
        a -= 1
    while b < min(len(text), end + 40) and not text[b].isspace():
        b += 1
    return a, b


def _spans(rulebook: Rulebook) -> Iterator[tuple[int, int]]:
    for passage in rulebook.passages:
        if passage.role is not Role.LISTING:
            yield from passage.spans


def find_unpaired_signs(rulebook: Rulebook) -> Iterator[Finding]:
    """Brackets and quotation marks that nothing opens or closes in their passage, or in the next of the entry."""
    opens = {*_OPENS, _STRAIGHT + "<", get_language(rulebook.edition.language).spelling.quotes[0]}
    waiting: list[tuple[str, Finding]] = []  # opened in the passage before
    entry = ""
    for passage in rulebook.passages:
        if passage.role is Role.LISTING:
            continue
        if passage.entry != entry:
            yield from (finding for _, finding in waiting)
            waiting, entry = [], passage.entry
        left: list[tuple[str, Finding]] = []
        for sign, at in _unpaired(passage.text, rulebook.edition.language)[:_ENOUGH]:
            finding = _found(rulebook, passage, sign, at, sign in opens)
            partner = next((n for n, (opened, _) in enumerate(waiting) if _match(opened, sign)), None)
            if partner is not None:
                del waiting[partner]
            elif sign in opens:
                left.append((sign, finding))
            else:
                yield finding
        yield from (finding for _, finding in waiting)
        waiting = left
    yield from (finding for _, finding in waiting)


def find_half_bold_marks(rulebook: Rulebook) -> Iterator[Finding]:
    """Entries with half of a bold mark: the first place, and how many passages of it have one."""
    found: dict[str, list[Finding]] = defaultdict(list)
    for passage in rulebook.passages:
        places = [m.start() for m in _BOLD_MARK.finditer(passage.text) if passage.text[m.start() - 1 : m.start() + 3] != "(**)"]
        if len(places) % 2 and passage.role is not Role.LISTING:
            sign, at = _odd_one_out(passage.text, _BOLD, places)
            found[passage.entry].append(_found(rulebook, passage, sign, at, sign.endswith("<")))
    for first, *others in found.values():
        why = first.why + (f"; {len(others) + 1} times in this entry" if others else "")
        yield replace(first, kind=FindingKind.MARKUP, why=why)


def _match(opened: str, sign: str) -> bool:
    if opened.endswith("<"):
        return sign == opened[:-1] + ">"
    return _OPENS.get(opened) == sign or (opened in "„“" and sign in "“”" and opened != sign)


def _found(rulebook: Rulebook, passage: Passage, sign: str, at: int, opens: bool) -> Finding:
    line = rulebook.document.line_at(_place(passage, at))
    first, last = passage.text.rfind("\n", 0, at) + 1, passage.text.find("\n", at)
    printed = shorten(passage.text[first : last if last >= 0 else None], at - first)
    why = f"nothing {'closes' if opens else 'opens'} {sign.rstrip('<>')}"
    return Finding(rulebook.edition.id, line, FindingKind.UNPAIRED, printed, None, Certainty.LIKELY, why)


def _place(passage: Passage, offset: int) -> int:
    for start, end in passage.spans:
        if offset <= end - start:
            return start + offset
        offset -= end - start + 1
    return passage.spans[-1].end - 1


def _unpaired(text: str, language: str) -> list[tuple[str, int]]:
    """Signs in ``text`` without partner and where they stand."""
    opens, closes = get_language(language).spelling.quotes
    lonely: list[tuple[str, int]] = []
    stack: list[tuple[str, int]] = []
    quotes: list[tuple[str, int]] = []
    straight: list[int] = []
    for match in re.finditer(r"[()\[\]\"„“”]", text):
        sign, at = match.group(), match.start()
        if at and text[at - 1] == "\\":
            continue
        if sign in _OPENS:
            stack.append((sign, at))
        elif sign in ")]":
            if stack and _OPENS[stack[-1][0]] == sign:
                stack.pop()
            elif not _MARKER.fullmatch(text, text.rfind("\n", 0, at) + 1, at) and not _STEP.search(text, max(at - 4, 0), at):
                lonely.append((sign, at))
        elif sign == _STRAIGHT:
            straight.append(at)
        elif sign == opens:
            quotes.append((sign, at))
        elif sign in closes:
            if quotes:
                quotes.pop()
            else:
                lonely.append((sign, at))
    lonely += stack + quotes
    if len(straight) % 2:
        lonely.append(_odd_one_out(text, _STRAIGHT, straight))
    return sorted(lonely, key=lambda found: found[1])


def _odd_one_out(text: str, sign: str, places: list[int]) -> tuple[str, int]:
    """Which of an odd number of signs is too many: the first that opens or closes out of turn."""
    before: int | None = None  # the one that is open
    for at in places:
        last, after = text[at - 1 : at] if at else " ", text[at + len(sign) : at + len(sign) + 1]
        may_open = not after.isspace() and (last.isspace() or last in "([*-")
        may_close = not last.isspace()
        if before is not None and may_open and not may_close:
            return sign + "<", before
        if before is None and may_close and not may_open:
            return sign + ">", at
        before = at if before is None else None
    return (sign + "<" if before is not None else sign + ">"), places[-1]
