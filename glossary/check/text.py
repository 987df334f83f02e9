"""Check running text: sentences that break off, duplicate words, blanks, brackets, codes, and
unreadable symbols.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from corpus.languages import capitals, get_language, letters, words_of
from corpus.model import Fault, Kind, Passage, Role, Rulebook
from glossary.check.model import (
    Certainty,
    Finding,
    FindingKind,
    Reason,
    Why,
    because,
    reference_lines,
    report,
    shorten,
)

OPENING = words_of("sentences.cannot_end")
_ENDS = words_of("sentences.can_end")
_LEADS = words_of("sentences.clause_openers")
_HOLDS = words_of("sentences.noun_follows")
_ITEM = re.compile(
    r"[ \t]*(?:[-•➤▶✦»>*][ \t]+|[*_]{0,3}(?:\d{1,2}|[a-h])(?:\.\)|[.)])[*_]{0,3}[ \t])"
)
_EMPHASIS = re.compile(r"[*_]+")


@dataclass
class TextUnit:
    """A paragraph or list item: its text in one line, and the places of its parts."""

    passage: Passage
    text: str = ""
    is_item: bool = False
    _starts: list[int] = field(default_factory=list)
    _places: list[int] = field(default_factory=list)

    def add(self, text: str, place: int) -> None:
        """Add another line, which is at ``place``."""
        if self.text:
            self.text += " "
        self._starts.append(len(self.text))
        self._places.append(place)
        self.text += text

    def place(self, offset: int) -> int:
        """Return the place in the document of the character at ``offset`` of the text."""
        number = max(bisect.bisect_right(self._starts, offset) - 1, 0)
        return self._places[number] + offset - self._starts[number]


def text_units(rulebook: Rulebook) -> Iterator[TextUnit]:
    """Yield paragraphs and items of the passages of rules in ``rulebook``; the lines of a sentence
    are joined.
    """
    for passage in rulebook.passages:
        if passage.role is not Role.TEXT:
            continue
        unit: TextUnit | None = None
        for start, end in passage.spans:
            at, fresh = start, False
            for line in rulebook.document.text[start:end].split("\n"):
                text = line.strip()
                item = _ITEM.match(line + " ") is not None
                if not text:
                    fresh = True
                elif unit is None or item or fresh:
                    if unit is not None:
                        yield unit
                    unit, fresh = TextUnit(passage, is_item=item), False
                if text and unit is not None:
                    unit.add(text, at + len(line) - len(line.lstrip()))
                at += len(line) + 1
        if unit is not None:
            yield unit


def may_end(words: Sequence[str]) -> bool:
    """Return whether a sentence can end with ``words``: with "geht aus", but not with "wenn es"."""
    *before, last = (word.casefold() for word in words)
    if before and (
        (before[-1] in _LEADS and last in _ENDS)
        or (before[-1] in _HOLDS and words[-1][0].islower())
    ):
        return False
    return last not in OPENING or last in _ENDS


def without_emphasis(text: str) -> str:
    """Return ``text`` without the marks of bold and italic type."""
    return _EMPHASIS.sub("", text).strip()


_BULLET_SIGN = re.compile(r"[-•➤▶✦»>*\s]*")
_UNFINISHED = re.compile(r"[^\W_]-?[,\"“”»«’)\]*_ ]*$")
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_CLAUSE = re.compile(r"(?<!\W)[^\w.!?:;…]*+[.!?:;…]\W*\s")
_SENTENCE = 6  # words of a sentence, at least
_TWICE = re.compile(
    r"(?<![\w'’-])([^\W\d_]{2,})(?: |[ \t]{0,8}\n[ \t]{0,8})(\1)(?![\w'’-])", re.IGNORECASE
)
# Three words or more, with the sign that ends a sentence: "for these. for these."
_PHRASE_TWICE = re.compile(r"(?<![\w'’-])((?:[^\W\d_]+ ){2,12}[^\W\d_]+[.!?]) (\1)(?!\w)", re.I)
_REPEATABLE = words_of("sentences.repeatable")  # ", die die Spieler nutzen"
_SMALL = letters()
_COUNTED = "fach|mal|jähr|prozent|seitig|stell|teil|tägig|stündig|eck"  # behind a number
_GLUED = re.compile(
    rf"[{_SMALL}]{{2}}(?:,[{_SMALL}]{{2}}|\.[{capitals()}]?[{_SMALL}]{{3}}"
    r"|\((?=[^\W\d_]{3,}[ ,.)]))"
    # "2karten", and no "20fach", "3rd", "%20x" or "16mm"
    rf"|(?<![\w.,/%-])\d{{1,2}}(?!{_COUNTED})(?=[{_SMALL}]{{4}})"
)
_ADDRESS = re.compile(r"www\.|https?:|@|/|\w\.(?:com|net|org|info|io|eu|de|it|fr|es|uk)\b")
_OPENS = {"(": ")", "[": "]"}
# Signs that look the same at both ends; an added "<" or ">" says whether they open or close.
_BOLD = "**"
_STRAIGHT = '"'
_STEP = re.compile(r"(?:^|\s)\w{1,2}\.?$")  # "1) first, 2) then"
_BOLD_MARK = re.compile(r"(?<!\*)\*\*(?!\*)")
_ENOUGH = 10  # signs without partner in one passage
_MARKER = re.compile(
    r"\W*\w{1,3}(?:\.?\s*\w{1,8})?\s?\.?"
)  # "a)" and "1. Zug)" at the beginning of a line


def find_broken_sentences(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield paragraphs and items that break off within a sentence, or lack the full stop that their
    neighbours have.
    """
    found: dict[str, list[TextUnit]] = defaultdict(list)
    for unit in text_units(rulebook):
        found[unit.passage.entry].append(unit)
    for group in found.values():
        for at, unit in enumerate(group):
            behind = group[at + 1 : at + 3]
            if behind and behind[0].is_item and not unit.is_item:
                letter = next((c for c in behind[0].text.lstrip("-•➤▶✦»>* ") if c.isalpha()), "")
                if letter.islower():
                    continue  # the list ends the sentence
            yield from _break(rulebook, unit, [*group[max(at - 2, 0) : at], *behind])


def _break(rulebook: Rulebook, unit: TextUnit, neighbours: Sequence[TextUnit]) -> Iterator[Finding]:
    text = without_emphasis(unit.text)
    if not text or not (text[-1].isalpha() or text[-1] in ",-–"):
        return
    words = _WORD.findall(_CLAUSE.split(text)[-1])
    if len(words) < 3:
        return
    if not may_end(words) or (text[-1] in ",-–" and len(words) >= _SENTENCE):
        certainty, why = Certainty.LIKELY, Why.CUT_OFF
    elif _lacks_stop(rulebook, unit, words, neighbours):
        certainty, why = Certainty.POSSIBLE, Why.NO_FULL_STOP
    else:
        return
    place = unit.place(len(unit.text) - 1)
    line = rulebook.document.line(rulebook.document.line_at(place))
    if without_emphasis(rulebook.document.text[place + 1 : line.end]):
        return  # a passage too long to read out was divided here
    kind, end = FindingKind.BREAKS_OFF, len(text)
    yield report(rulebook, line.number, kind, why, text, certainty=certainty, center=end)


def _lacks_stop(
    rulebook: Rulebook, unit: TextUnit, words: list[str], neighbours: Sequence[TextUnit]
) -> bool:
    """Return whether ``words``, the last ones of ``unit``, are a sentence; for a list item, only if
    the ``neighbours`` have full stops.
    """
    small = sum(word[0].islower() for word in words)
    if len(words) < _SENTENCE or small < 0.4 * len(words) or len(words[-1]) < 2:
        return False
    if unit.is_item:
        ends = [without_emphasis(u.text)[-1:] for u in neighbours if u.is_item]
        return len(ends) >= 2 and 2 * sum(end in '.!?)…"“”»' for end in ends) >= len(ends)
    nouns = get_language(rulebook.edition.language).capitalised_nouns
    return not nouns or words[-1][0].islower() or len(words) >= 8


def find_torn_sentences(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield sentences that a caption or bullet interrupts; an interruption by a page break is no
    fault of the text.
    """
    text, kind = rulebook.document.text, FindingKind.TORN
    known = {c.line for c in rulebook.edition.corrections if c.fault is Fault.TORN}
    for passage in rulebook.passages:
        if passage.role is not Role.TEXT:
            continue
        for (start, end), (after, last) in pairwise(passage.spans):
            between = text[end:after].strip()
            line = rulebook.document.line_at(after)
            unfinished = _UNFINISHED.search(text[max(start, end - 12) : end])
            if not between or line in known or not unfinished:
                continue
            why = because(Why.CUTS_SENTENCE, quoted=shorten(between))
            if _BULLET_SIGN.fullmatch(between):
                why = because(Why.GOES_ON_AS_BULLET)
            yield report(rulebook, line, kind, why, text[after:last])


def find_doubled_words(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield immediate repetitions of a word or of the end of a sentence, except names and what
    German grammar requires.
    """
    for match, line, _ in _matches(rulebook, _TWICE, headings=False):
        first, second = match.groups()
        if first.casefold() not in _REPEATABLE and not (first[0].isupper() and second[0].isupper()):
            kind, printed = FindingKind.DOUBLED_WORD, f"{first} {second}"
            yield report(rulebook, line, kind, Why.WORD_TWICE, printed, meant=first)
    for match, line, _ in _matches(rulebook, _PHRASE_TWICE, headings=False):
        kind = FindingKind.DOUBLED_WORD
        yield report(rulebook, line, kind, Why.WORD_TWICE, match[0], meant=match[1])


def find_missing_blanks(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield words without a blank after a comma, full stop or number, or before a bracket."""
    for match, line, _ in _matches(rulebook, _GLUED, headings=False):
        # The characters around without white space, at most 40 on each side.
        before = match.string[max(match.start() - 40, 0) : match.start()]
        after = match.string[match.end() : match.end() + 40]
        beginning = re.split(r"\s", before)[-1]
        printed = beginning + match.group() + re.split(r"\s", after)[0]
        if _ADDRESS.search(printed):
            continue
        if match.group().isdigit():
            yield report(
                rulebook,
                line,
                FindingKind.GLUED,
                Why.NO_BLANK_AFTER,
                printed,
                meant=printed.replace(match.group(), f"{match.group()} ", 1),
                quoted=match.group(),
            )
            continue
        sign = next(c for c in match.group() if c in ",.(")
        at = len(beginning) + match.group().index(sign)
        meant = printed[:at] + (" (" if sign == "(" else f"{sign} ") + printed[at + 1 :]
        why = Why.NO_BLANK_BEFORE if sign == "(" else Why.NO_BLANK_AFTER
        yield report(rulebook, line, FindingKind.GLUED, why, printed, meant=meant, quoted=sign)


def find_unpaired_signs(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield brackets and quotation marks without a partner in their or the entry's next passage."""
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
            finding = _unpaired_sign(rulebook, passage, sign, at, sign in opens)
            partner = next(
                (n for n, (opened, _) in enumerate(waiting) if _match(opened, sign)), None
            )
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
    """Yield a finding for each entry with unpaired bold marks: the first place, and the number of
    passages with such a mark.
    """
    found: dict[str, list[Finding]] = defaultdict(list)
    for passage in rulebook.passages:
        places = [
            m.start()
            for m in _BOLD_MARK.finditer(passage.text)
            if passage.text[m.start() - 1 : m.start() + 3] != "(**)"
        ]
        if len(places) % 2 and passage.role is not Role.LISTING:
            sign, at = _odd_one_out(passage.text, _BOLD, places)
            found[passage.entry].append(
                _unpaired_sign(rulebook, passage, sign, at, sign.endswith("<"))
            )
    for first, *others in found.values():
        why = first.why + (because(Why.TIMES_IN_ENTRY, count=len(others) + 1) if others else ())
        yield replace(first, kind=FindingKind.MARKUP, why=why)


def _match(opened: str, sign: str) -> bool:
    if opened.endswith("<"):
        return sign == opened[:-1] + ">"
    return _OPENS.get(opened) == sign or (opened in "„“" and sign in "“”" and opened != sign)


def _unpaired_sign(
    rulebook: Rulebook, passage: Passage, sign: str, at: int, opens: bool
) -> Finding:
    line = rulebook.document.line_at(_place(passage, at))
    first = passage.text.rfind("\n", 0, at) + 1
    printed = passage.text[first:].partition("\n")[0]
    why = Why.NOTHING_CLOSES if opens else Why.NOTHING_OPENS
    kind, bare = FindingKind.UNPAIRED, sign.rstrip("<>")
    return report(rulebook, line, kind, why, printed, center=at - first, sign=bare)


def _place(passage: Passage, offset: int) -> int:
    for start, end in passage.spans:
        if offset <= end - start:
            return start + offset
        offset -= end - start + 1
    return passage.spans[-1].end - 1


def _unpaired(text: str, language: str) -> list[tuple[str, int]]:
    """Return the unpaired signs in ``text`` with their places."""
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
            elif not _MARKER.fullmatch(text, text.rfind("\n", 0, at) + 1, at) and not _STEP.search(
                text, max(at - 4, 0), at
            ):
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
    """Return the surplus one of an odd number of signs, and its place: the first that opens ("<" is
    added) or closes (">") out of turn.
    """
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


_CODE = re.compile(
    r"\$[^$\n]{0,60}\\[^$\n]{1,60}\$"  # a formula
    r"|\\u[0-9a-fA-F]{0,4}|\\[a-zA-Z]{2,}(?:\{[^{}\n]{0,40}\})?"
    r"|&(?:[a-zA-Z]{2,8}|#\d{2,5});|</?[a-zA-Z]{1,8}\s?/?>"
    r"|\[[^\[\]\n]{1,300}\]\(#?\)"  # a link to nowhere
    r"|[ÃÂ][\u0080-\u00bf]|â€[\u0080-\u2122]"
)
_LINK = re.compile(r"\[(.*)\]\(#?\)")
_SIGNS = "•➤▶✦»>→★☆…–—−‘’‚“”„«»‹›·×°§†©®™€⁰¹²³"
_TAG = re.compile(r"<(/?)([a-zA-Z]{1,8}\d?)(?:\s[^<>]{0,300})?(/?)>")
_NOTATION = re.compile(r"\{[A-Z]{1,2}\}")
_ASCII = re.compile(
    r"(?<![\w.])@(?=[-)\s])|\([@%+^~¥∕]\)|(?<!\w)%-(?=\w)|\{[A-Z]{1,2}\}|\b\d{2,3}[A-Z]{3,}\b"
)
_STRANGE = r"[^\w\s()★☆→\\]"
_GARBLED = re.compile(  # in a heading
    rf"\((?:\s++|\s*+(?:[\d/]{{1,4}}|{_STRANGE}(?:[^\w()★☆→\\]{{0,2}}{_STRANGE})?)\s*+)\)|[-–—]\s*+(?:(?:\w|{_STRANGE})\s*+)?\)"
)
_FOREIGN = re.compile(r"[^\x00-\u024f\u2000-\u206f]")
_LOST = re.compile(
    r"(?<=[\w+*,;„])[ ]{2,}(?=[\w„(.,–-])|(?<=[\w+]) [.,](?! ?\.)(?=[\s“\"”]|$)"
    r"|(?<=\d) \)|(?<=,)(?: ,)+"
)
_SLIPS = 0.02  # share of tags that may lack their partner
_NOTED = 0.01  # share of all lines; if more have "{T}", the document writes its icons so
# Lines, and share of all lines; if more have double blanks, the text is set that way
_MANY = 20
_WIDE = 0.2


def find_codes(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield escapes, formulas, entities, links to nowhere and wrongly decoded letters; one finding
    for all escapes of a line.
    """
    found: dict[tuple[int, str], list[str]] = {}
    markup = _balanced_tags(rulebook.document.text)
    for match, line, _ in _matches(rulebook, _CODE):
        text = match.group()
        if (tag := _TAG.fullmatch(text)) and tag.group(2).lower() in markup:
            continue
        found.setdefault((line, "\\u" if text.startswith("\\u") else text), []).append(text)
    for (line, _), texts in found.items():
        unlike = list(dict.fromkeys(texts))
        link = _LINK.fullmatch(texts[0])
        if link:
            why = because(Why.LINK_WITHOUT_ADDRESS, count=len(texts))
        else:
            why = because(
                Why.WRONG_ENCODING if texts[0][0] in "ÃÂâ" else Why.NOT_DECODED, count=len(texts)
            )
        meant = link.group(1).replace("\\", "") if link else _decoded(unlike)
        yield report(
            rulebook,
            line,
            FindingKind.ESCAPE,
            why,
            " ".join(unlike),
            meant=meant,
            certainty=Certainty.CERTAIN,
        )


def _balanced_tags(text: str) -> set[str]:
    """Return the names of HTML tags that are opened as often as closed, with a few exceptions:
    Markdown may contain them.
    """
    counts: dict[str, list[int]] = {}
    for match in _TAG.finditer(text):
        closing, name, empty = match.groups()
        if not empty:
            counts.setdefault(name.lower(), [0, 0])[bool(closing)] += 1
    return {
        name
        for name, (opened, closed) in counts.items()
        if abs(opened - closed) <= _SLIPS * (opened + closed)
    }


def _decoded(texts: list[str]) -> str | None:
    """Return the letters that escapes stand for; None if they are invalid or cut off."""
    letters = [
        chr(int(match.group(1), 16))
        for text in texts
        if (match := re.fullmatch(r"\\u([0-9a-fA-F]{4})", text))
    ]
    return " ".join(letters) if letters and len(letters) == len(texts) else None


def _matches(
    rulebook: Rulebook, pattern: re.Pattern[str], listings: bool = False, headings: bool = True
) -> Iterator[tuple[re.Match[str], int, int]]:
    """Yield each match in ``headings`` and passages, with its line and place; search contents and
    index only with ``listings``.
    """
    spans = [s for e in rulebook.entries for s in e.heading_spans] if headings else []
    spans += [
        s for p in rulebook.passages if listings or p.role is not Role.LISTING for s in p.spans
    ]
    for start, end in sorted(spans):
        for match in pattern.finditer(rulebook.document.text[start:end]):
            at = start + match.start()
            yield match, rulebook.document.line_at(at), at


def find_unknown_symbols(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield characters that stand for an icon or a letter: private use, another script, emoji,
    signs; one finding per line.
    """
    found: dict[int, list[tuple[str, Certainty, tuple[Reason, ...]]]] = {}
    headed: set[int] = set()
    for entry in rulebook.entries:
        if entry.kind in (Kind.TERM, Kind.REDIRECT) and (match := _GARBLED.search(entry.heading)):
            headed.add(entry.lines.first)
            yield report(
                rulebook, entry, FindingKind.SYMBOL, Why.STANDS_FOR_ICON, quoted=match.group()
            )
    for match, line, _ in _matches(rulebook, _FOREIGN, listings=True):
        if (judged := _judged(match.group())) is not None:
            found.setdefault(line, []).append((match.group(), *judged))
    ascii_signs = [(match.group(), line) for match, line, _ in _matches(rulebook, _ASCII)]
    noted = {line for text, line in ascii_signs if _NOTATION.fullmatch(text)}
    # If signs in braces are everywhere, they are how this document writes its icons.
    usual = len(noted) > max(_MANY, _NOTED * len(rulebook.document.lines))
    for text, line in ascii_signs:
        if not (usual and _NOTATION.fullmatch(text)):
            icon = text, Certainty.LIKELY, because(Why.ICON_OR_MISREAD)
            found.setdefault(line, []).append(icon)
    for line, signs in found.items():
        if line in headed:
            continue
        printed = " ".join(dict.fromkeys(sign for sign, _, _ in signs))
        _, certainty, why = min(signs, key=lambda sign: list(Certainty).index(sign[1]))
        yield report(rulebook, line, FindingKind.SYMBOL, why, printed, certainty=certainty)


def _judged(sign: str) -> tuple[Certainty, tuple[Reason, ...]] | None:
    """Return how certain it is that ``sign`` does not belong in a rulebook, and why."""
    category = unicodedata.category(sign)
    if sign in _SIGNS or sign == "\ufe0f":
        return None
    if category == "Co":
        return Certainty.CERTAIN, because(Why.PRIVATE_USE)
    if sign == "\ufffd":
        return Certainty.CERTAIN, because(Why.UNDECODABLE)
    if category[0] == "L":
        return Certainty.CERTAIN, because(
            Why.OTHER_SCRIPT, letter=unicodedata.name(sign, "unknown").lower()
        )
    if ord(sign) >= 0x1F000:
        return Certainty.LIKELY, because(Why.EMOJI)
    if category in ("So", "Sm", "Sk", "Cn"):
        return Certainty.LIKELY, because(Why.SIGN_FOR_ICON)
    return None


def find_lost_icons(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield blanks where an icon is missing: two in succession, one before a full stop; one finding
    per line.
    """
    lists = reference_lines(rulebook)  # checked as lists
    lines: dict[int, list[int]] = defaultdict(list)  # offsets in each line
    for _, line, at in _matches(rulebook, _LOST):
        if line not in lists:
            lines[line].append(at - rulebook.document.line(line).start)
    if len(lines) > max(_MANY, _WIDE * len(rulebook.document.lines)):
        return
    for number, places in lines.items():
        text, at = rulebook.document.line(number).text, places[0]
        left, right = text[max(0, at - 60) : at].split()[-3:], text[at : at + 60].split()[:4]
        printed = f"{' '.join(left)} [ ] {' '.join(right)}"
        kind, count = FindingKind.LOST, len(places)
        yield report(rulebook, number, kind, Why.BLANKS_FOR_ICON, printed, count=count)
