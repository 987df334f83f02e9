"""Signs that no reader can know: codes left undecoded, symbols of no script, icons that became something else or vanished."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from corpus.model import Kind, Role, Rulebook
from glossary.check.model import Certainty, Finding, FindingKind, shorten

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
_ASCII = re.compile(r"(?<![\w.])@(?=[-)\s])|\([@%+^~¥∕]\)|(?<!\w)%-(?=\w)|\{[A-Z]{1,2}\}|\b\d{2,3}[A-Z]{3,}\b")
_STRANGE = r"[^\w\s()★☆→\\]"
_GARBLED = re.compile(  # in a heading
    rf"\((?:\s++|\s*+(?:[\d/]{{1,4}}|{_STRANGE}(?:[^\w()★☆→\\]{{0,2}}{_STRANGE})?)\s*+)\)|[-–—]\s*+(?:(?:\w|{_STRANGE})\s*+)?\)"
)
_FOREIGN = re.compile(r"[^\x00-\u024f\u2000-\u206f]")
_LOST = re.compile(r"(?<=[\w+*,;„])[ ]{2,}(?=[\w„(.,–-])|(?<=[\w+]) [.,](?! ?\.)(?=[\s“\"”]|$)|(?<=\d) \)|(?<=,)(?: ,)+")
_SLIPS = 0.02  # share of tags that may lack their partner
_NOTED = 0.01  # share of all lines; where more have "{T}" and the like, that is how a document writes its icons
_MANY, _WIDE = 20, 0.2  # lines, and share of all lines; where more have double blanks, they are how the text is set


def find_codes(rulebook: Rulebook) -> Iterator[Finding]:
    """Escapes, formulas, entities, links to nowhere and letters decoded in the wrong way; the escapes of a line in one finding."""
    found: dict[tuple[int, str], list[str]] = {}
    markup = _balanced_tags(rulebook.document.text)
    for line, text, _ in _matches(rulebook, _CODE):
        if (tag := _TAG.fullmatch(text)) and tag.group(2).lower() in markup:
            continue
        found.setdefault((line, "\\u" if text.startswith("\\u") else text), []).append(text)
    for (line, _), texts in found.items():
        unlike = list(dict.fromkeys(texts))
        link = _LINK.fullmatch(texts[0])
        if link:
            why = "a link without address"
        else:
            why = "letters in the wrong encoding" if texts[0][0] in "ÃÂâ" else "a code that was not decoded"
        meant = shorten(link.group(1).replace("\\", "")) if link else _decoded(unlike)
        times = f", {len(texts)} times" if len(texts) > 1 else ""
        yield Finding(rulebook.edition.id, line, FindingKind.ESCAPE, shorten(" ".join(unlike)), meant, Certainty.CERTAIN, why + times)


def _balanced_tags(text: str) -> set[str]:
    """The names of tags of HTML that open as often as they close, a few slips apart: Markdown may have them."""
    counts: dict[str, list[int]] = {}
    for match in _TAG.finditer(text):
        closing, name, empty = match.groups()
        if not empty:
            counts.setdefault(name.lower(), [0, 0])[bool(closing)] += 1
    return {name for name, (opened, closed) in counts.items() if abs(opened - closed) <= _SLIPS * (opened + closed)}


def _decoded(texts: list[str]) -> str | None:
    """The letters that escapes stand for; None where they are none, or are cut off."""
    letters = [chr(int(match.group(1), 16)) for text in texts if (match := re.fullmatch(r"\\u([0-9a-fA-F]{4})", text))]
    return " ".join(letters) if letters and len(letters) == len(texts) else None


def _matches(rulebook: Rulebook, pattern: re.Pattern[str], listings: bool = False) -> Iterator[tuple[int, str, int]]:
    """Line, text and offset of each match in headings and passages, in contents and index only where ``listings`` says so."""
    spans = [s for e in rulebook.entries for s in e.heading_spans]
    spans += [s for p in rulebook.passages if listings or p.role is not Role.LISTING for s in p.spans]
    for start, end in sorted(spans):
        for match in pattern.finditer(rulebook.document.text[start:end]):
            yield rulebook.document.line_at(start + match.start()), match.group(), start + match.start()


def find_unknown_symbols(rulebook: Rulebook) -> Iterator[Finding]:
    """Characters that stand for an icon or a letter: of private use, of another script, emoji, signs; one finding a line."""
    found: dict[int, list[tuple[str, Certainty, str]]] = {}
    headed: set[int] = set()
    for entry in rulebook.entries:
        if entry.kind in (Kind.TERM, Kind.REDIRECT) and (match := _GARBLED.search(entry.heading)):
            headed.add(entry.lines.first)
            why = f"{match.group()!r} stands for an icon"
            yield Finding(rulebook.edition.id, entry.lines.first, FindingKind.SYMBOL, shorten(entry.heading), None, Certainty.LIKELY, why)
    for line, text, _ in _matches(rulebook, _FOREIGN, listings=True):
        if (judged := _judged(text)) is not None:
            found.setdefault(line, []).append((text, *judged))
    ascii_signs = list(_matches(rulebook, _ASCII))
    noted = {line for line, text, _ in ascii_signs if _NOTATION.fullmatch(text)}
    for line, text, _ in ascii_signs:
        if len(noted) > max(_MANY, _NOTED * len(rulebook.document.lines)) and _NOTATION.fullmatch(text):
            continue  # how this document writes its icons
        found.setdefault(line, []).append((text, Certainty.LIKELY, "stands for an icon or is misread"))
    for line, signs in found.items():
        if line in headed:
            continue
        printed = " ".join(dict.fromkeys(sign for sign, _, _ in signs))
        _, certainty, why = min(signs, key=lambda sign: list(Certainty).index(sign[1]))
        yield Finding(rulebook.edition.id, line, FindingKind.SYMBOL, shorten(printed), None, certainty, why)


def _judged(sign: str) -> tuple[Certainty, str] | None:
    """How sure it is that ``sign`` does not belong into a rulebook, and why."""
    category = unicodedata.category(sign)
    if sign in _SIGNS or sign == "\ufe0f":
        return None
    if category == "Co":
        return Certainty.CERTAIN, "a character of private use: an icon of a font that others do not have"
    if sign == "\ufffd":
        return Certainty.CERTAIN, "a character that could not be decoded"
    if category[0] == "L":
        return Certainty.CERTAIN, f"a letter of another script: {unicodedata.name(sign, 'unknown').lower()}"
    if ord(sign) >= 0x1F000:
        return Certainty.LIKELY, "an emoji in the place of an icon"
    if category in ("So", "Sm", "Sk", "Cn"):
        return Certainty.LIKELY, "a sign in the place of an icon"
    return None


def find_lost_icons(rulebook: Rulebook) -> Iterator[Finding]:
    """Blanks where an icon has vanished: two in succession, one before a full stop; one finding a line."""
    lists = {line for p in rulebook.passages if p.role is Role.SEE for line in range(p.lines.first, p.lines.last + 1)}  # checked as lists
    lines: dict[int, tuple[int, int]] = {}
    for line, _, at in _matches(rulebook, _LOST):
        if line not in lists:
            first, count = lines.get(line, (at, 0))
            lines[line] = (first, count + 1)
    if len(lines) > max(_MANY, _WIDE * len(rulebook.document.lines)):
        return
    for line, (at, count) in lines.items():
        start, text = rulebook.document.line(line).start, rulebook.document.line(line).text
        why = "blanks where an icon or a word has vanished" + (f", {count} times" if count > 1 else "")
        left, right = text[max(0, at - start - 60) : at - start].split()[-3:], text[at - start : at - start + 60].split()[:4]
        printed = f"{' '.join(left)} [ ] {' '.join(right)}"
        yield Finding(rulebook.edition.id, line, FindingKind.LOST, shorten(printed), None, Certainty.LIKELY, why)
