"""Why something is a finding, and where it likely comes from, in the languages of the pages.

`glossary.check` says it in English, composed of what stands here. The notes of corrections are anybody's words: of them only the usual
ones are translated.
"""

from __future__ import annotations

import re
from functools import cache

from service.core.i18n import DEFAULT, N_, translate

_ORIGINS = (
    N_("a blank is lost, or stands within a word"),
    N_("a full stop looks like a comma, in a text that is read badly elsewhere too"),
    N_("a misprint in a text that is read badly elsewhere too"),
    N_("a number that can be read, and is that of something else"),
    N_("a reference that can be read, and leads nowhere or to too much"),
    N_("a sentence that can be read, and lacks its end"),
    N_("a sign of the file, not of the page"),
    N_("a sign stands where a letter or an icon was"),
    N_("a slip of the pen in a text that is read well elsewhere"),
    N_("a slip of the pen or of a scan: the text is read badly elsewhere too"),
    N_("a word of the language, but not the one that is meant"),
    N_("about what is known of the edition, no fault in its text"),
    N_("another edition in this language prints the same"),
    N_("another word than is meant, and one that can be read"),
    N_("at the end of a page"),
    N_("blanks and hyphens are what is lost and left over where lines are put together"),
    N_("columns, figures and small print are read badly"),
    N_("letters that look alike, in a text that is read badly elsewhere too"),
    N_("numbers of lists are lost where a list is not told as one"),
    N_("pieces of the page stand in another order than they are read in"),
    N_("printed twice or read twice"),
    N_("something is gone that print would not leave out"),
    N_("text of a figure or of the edge of the page"),
    N_("text that can be read as it stands"),
    N_("the rest of the sentence stands elsewhere or is lost"),
    N_("the same misprint again and again, in a text that is read badly elsewhere too"),
    N_("the same sign is lost again and again"),
    N_("the text around it was not looked at"),
    N_("two places that can be read, and do not fit each other"),
    N_("two spellings that can be read"),
    N_("what stands below may be a picture"),
    N_("what stands here on the page is no letter, or another one"),
    N_("words that can be read: what is wrong is how they are used"),
)
_REASONS = (
    N_("nothing in this rulebook has that name or number"),
    N_("the number is not that of what is meant"),
    N_("the target is headed otherwise"),
    N_("several entries have that name"),
    N_("leads out of this rulebook"),
    N_("the list of references names the entry it stands under"),
    N_("named twice in one list"),
    N_("printed twice side by side"),
    N_("an empty item"),
    N_("no comma between two names"),
    N_("a comma behind the last name"),
    N_("line %(line)s has this heading already, with the same text"),
    N_("line %(line)s has this heading already, with another text"),
    N_("line %(line)s has this card already, with other cards between"),
    N_("the part at line %(line)s has the number %(number)s too"),
    N_("the headings around it are in capitals"),
    N_("in capitals, unlike the headings around it"),
    N_("a heading without text"),
    N_("the section stands elsewhere, at line %(line)s"),
    N_("the section is missing in the contents"),
    N_("no section has the number %(number)s"),
    N_("the section at line %(line)s is headed otherwise"),
    N_("no entry has that name"),
    N_("the printed index has no item of that name"),
    N_("the index says page %(page)s; entries before and after stand on %(pages)s"),
    N_("stands between items that begin with %(letters)s"),
    N_("a digit in the place of the letter that heads a part of the index"),
    N_("line %(line)s has this number already"),
    N_("comes after %(number)s"),
    N_("the first of its group"),
    N_("the item has lost its number %(number)s"),
    N_("line %(line)s has the number %(number)s too"),
    N_("the item before it, at line %(line)s, has the number %(number)s"),
    N_("a sentence goes on as if it were a bullet of its own"),
    N_("%(quoted)s stands inside a sentence"),
    N_("line %(line)s has the same text"),
    N_("line %(line)s has the same text, in the same entry"),
    N_("line %(line)s has nearly the same text"),
    N_("line %(line)s has nearly the same text, with %(words)s"),
    N_("the sentence is cut off here"),
    N_("no full stop: it is missing, or text is"),
    N_("the same word twice in succession"),
    N_("no blank before %(quoted)s"),
    N_("no blank after %(quoted)s"),
    N_("%(count)s times in this entry"),
    N_("nothing closes %(sign)s"),
    N_("nothing opens %(sign)s"),
    N_("a link without address"),
    N_("letters in the wrong encoding"),
    N_("letters in the wrong encoding, %(count)s times"),
    N_("a code that was not decoded"),
    N_("a code that was not decoded, %(count)s times"),
    N_("%(quoted)s stands for an icon"),
    N_("stands for an icon or is misread"),
    N_("a character of private use: an icon of a font that others do not have"),
    N_("a character that could not be decoded"),
    N_("a letter of another script: %(letter)s"),
    N_("an emoji in the place of an icon"),
    N_("a sign in the place of an icon"),
    N_("blanks where an icon or a word has vanished"),
    N_("blanks where an icon or a word has vanished, %(count)s times"),
    N_("%(quoted)s stands %(times)s in this rulebook, this %(often)s"),
    N_("further places are not listed"),
    N_("the entry at line %(line)s is headed otherwise"),
    N_("%(quoted)s is used %(times)s, %(others)s %(often)s"),
    N_("%(names)s (line %(lines)s) has this name too"),
    N_("names no qualifier, and %(count)s entries have this name"),
    N_("in %(language)s this is the name of another term"),
    N_("in %(language)s this is the name of another term, which is called %(quoted)s here"),
    N_("used %(times)s"),
    N_("%(edition)s defines it at line %(line)s"),
    N_("an abbreviation that is nowhere spelled out, used %(times)s"),
    N_("an abbreviation that is spelled out only at line %(line)s, used %(times)s"),
    N_("referred to so %(times)s, %(often)s as it is headed at line %(line)s"),
    N_("referred to so %(times)s, the heading is at line %(line)s"),
    N_("also at line %(lines)s"),
    N_("also at lines %(lines)s"),
    N_("to line %(line)s"),
    N_("once"),
    N_("%(count)s time"),
    N_("%(count)s times"),
    N_("what players type when a passage is what they need is not written down for all of them"),
    N_("see 'regula phrasings missing'"),
    N_("no entry is headed so, so nothing is tied to the concept %(quoted)s"),
    N_("seems to be about the same as %(quoted)s (line %(line)s) of %(edition)s, and nobody has tied them"),
    N_("tied to %(quoted)s (line %(line)s) of %(edition)s, and the two have next to nothing in common"),
    N_("has the cards of %(quoted)s (%(language)s), and nobody has confirmed that the two are one product"),
    N_("weight %(number)s"),
    N_("it rests on %(rule)s, which is no longer there"),
    N_("it rests on %(rule)s, which has changed since"),
    N_("say what else it rests on, or which ruling supersedes it"),
    N_("'regula rulings confirm %(id)s' says that it holds all the same"),
    N_("the line no longer has this"),
    N_("misread"),
    N_("icon misread"),
    N_("icon lost without trace"),
    N_("letter lost"),
    N_("two letters lost"),
    N_("letter misread"),
    N_("letter doubled in scanning"),
    N_("blank lost"),
    N_("hyphen and blank lost"),
    N_("misprint"),
    N_("speaks of the item above"),
    N_("hard line break inside a bullet"),
    N_("the end of the sentence is missing in print"),
)
_TIMES = r"once|\d+ times?"
_VALUES = {
    "line": r"\d+",
    "lines": r"\d[\d, …]*",
    "count": r"\d+",
    "times": _TIMES,
    "often": _TIMES,
    "quoted": ".{1,300}?",
    "words": ".{1,300}?",
}
_WITHIN_PART = "(?:(?!; ).){1,300}?"  # the pattern of any other value
_VALUE = re.compile(r"%\((\w+)\)s")
_BETWEEN = "; "  # parts of a reason


def reason_in(language: str, reason: str) -> str | None:
    """Return the ``reason`` of a finding, or of its origin, in ``language``; None where a part of it has no translation."""
    if language == DEFAULT:
        return reason
    if (whole := _translated(language, reason)) is not None:
        return whole
    parts = [_translated(language, part) for part in reason.split(_BETWEEN)]
    known = [part for part in parts if part is not None]
    return _BETWEEN.join(known) if len(known) == len(parts) else None


def _translated(language: str, part: str) -> str | None:
    if part in _fixed():
        return translate(language, part)
    for english in _with_values():
        if found := _pattern(english).fullmatch(part):
            values = found.groupdict()
            times = {name: _translated(language, value) for name, value in values.items() if _VALUES.get(name) == _TIMES}
            return translate(language, english) % {**values, **times}
    return None


@cache
def _fixed() -> frozenset[str]:
    return frozenset(each for each in (*_ORIGINS, *_REASONS) if not _VALUE.search(each))


@cache
def _with_values() -> tuple[str, ...]:
    return tuple(each for each in _REASONS if _VALUE.search(each))


@cache
def _pattern(english: str) -> re.Pattern[str]:
    """What matches a reason that has values."""
    pieces = _VALUE.split(english)  # text, name, text, …
    values = (f"(?P<{piece}>{_VALUES.get(piece, _WITHIN_PART)})" if n % 2 else re.escape(piece) for n, piece in enumerate(pieces))
    return re.compile("".join(values), re.DOTALL)
