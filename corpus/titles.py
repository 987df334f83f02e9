"""Headings: keys for comparing them, slugs for addresses, and readable titles for headings in
capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from corpus.languages import any_of, transliteration, words_of

_REPLACEMENTS = [
    *transliteration().items(),
    *(
        (letter.upper(), typed.capitalize())
        for letter, typed in transliteration().items()
        if len(letter.upper()) == 1
    ),
]
_SMALL = words_of("function_words.in_titles")
_LIST = re.compile(
    rf"^\W*{any_of('references.see')}(?:\s+{any_of('references.also')})?\W*:\W*", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ELIDED = re.compile(rf"({any_of('sentences.elisions')})(['’])(.)(.*)")
_ROMAN = re.compile(r"[IVX]+")
_FOLLOWED = re.compile(r"\s+\W{0,2}\w")
_ICON = re.compile(r"(?<!\s)\s*\([^()\w]*\)|(?<!\s)\s*\((?:\\rightarrow|[\d/]{1,4})\)\s*$")
_PARTS = re.compile(r"(,\s*|(?<![\s/])\s*/(?!/)\s*|(?<!\s)\s*\(|:\s*)")


def key(heading: str) -> str:
    """A key for comparing headings: the letters and digits of ``heading`` in lower case, with
    single spaces between words.
    """
    return " ".join(re.findall(r"\w+", heading.casefold()))


def slug(name: str, longest: int = 80) -> str:
    """``name`` as lower case letters, digits and hyphens, cut after a word to at most ``longest``
    characters (0: no limit).
    """
    return _slug(name, longest, _REPLACEMENTS)


def plain_slug(name: str, longest: int = 0) -> str:
    """`slug` by what letters look like, in no language: "oel" as it stands, "ö" as "o"."""
    return _slug(name, longest, [])


def _slug(name: str, longest: int, replacements: list[tuple[str, str]]) -> str:
    from slugify import (
        slugify,
    )  # its tables take 5 MB, which a process that only answers does not need

    return str(slugify(name, replacements=replacements, max_length=longest, word_boundary=True))


def spellings(lists: Iterable[str]) -> dict[str, str]:
    """The names in reference ``lists`` ("Siehe auch: Ziel, Zone") by their `key`; names all in
    capitals are left out.
    """
    found: dict[str, str] = {}
    for text in lists:
        for item in _items(_LIST.sub("", text.replace("*", ""))):
            item = item.strip(" ._\n\t")
            if item and not item.isupper():
                found.setdefault(key(item), item)
    return found


def _items(names: str) -> Iterator[str]:
    """``names`` split at commas outside brackets. A bracket that is never closed is ignored."""
    commas: list[int] = []
    opened: list[int] = []  # the number of commas before each open bracket
    for sign in re.finditer(r"[(),]", names):
        if sign.group() == ",":
            commas.append(sign.start())
        elif sign.group() == "(":
            opened.append(len(commas))
        elif opened:
            del commas[opened.pop() :]
    start = 0
    for comma in commas:
        yield names[start:comma]
        start = comma + 1
    yield names[start:]


def title(heading: str, known: Mapping[str, str]) -> str:
    """``heading`` as a title for readers.

    A heading in capitals gets the spelling that ``known`` (from `spellings`) has for it, else title
    case. Other headings stay as printed. Brackets and quotation marks stay; garbled icons are
    removed.
    """
    clean = _ICON.sub("", heading).strip() or heading
    letters = [c for c in clean if c.isalpha()]
    if not letters or not all(c.isupper() or c == "ß" for c in letters):
        return clean.rstrip(":") or clean
    if (whole := known.get(key(clean))) is not None:
        return _respelled(clean, whole)
    parts = _PARTS.split(clean)
    return "".join(
        _respelled(p, known[key(p)]) if key(p) in known else _title_case(p) for p in parts
    )


def _respelled(text: str, spelling: str) -> str:
    """``text`` with its words spelled as in ``spelling``, which has the same `key`."""
    words = iter(re.findall(r"\w+", spelling))
    return re.sub(r"\w+", lambda _: next(words), text)


def _title_case(text: str) -> str:
    """``text`` in title case, with function words in lower case unless they come first."""
    count = 0

    def word(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        printed, lower = match.group(), match.group().lower()
        if "//" in (
            text[match.end() : match.end() + 2],
            text[max(match.start() - 2, 0) : match.start()],
        ):  # a name: "SP//DR"
            return printed
        if (
            len(lower) == 1
        ):  # a word only before another word: "PESCE E VERDURA"; else a letter or a Roman number
            return (
                lower
                if count > 1 and lower in _SMALL and _FOLLOWED.match(text, match.end())
                else printed
            )
        if count > 1 and lower in _SMALL:
            return lower
        if _ROMAN.fullmatch(printed):
            return printed
        elided = _ELIDED.match(lower)
        if elided:
            head = elided.group(1) if count > 1 else elided.group(1).capitalize()
            return head + elided.group(2) + elided.group(3).upper() + elided.group(4)
        return lower[0].upper() + lower[1:]

    return _WORD.sub(word, text)
