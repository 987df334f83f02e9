"""Headings: keys to compare them, slugs for URLs, and readable titles for headings in capitals."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping

from corpus.languages import any_of, transliteration, words_of

_TYPED = transliteration()
_CAPITALS = [letter for letter in _TYPED if len(letter.upper()) == 1]
_REPLACEMENTS = [
    *_TYPED.items(),
    *((letter.upper(), _TYPED[letter].capitalize()) for letter in _CAPITALS),
]
_SMALL = words_of("function_words.in_titles")
_LIST = re.compile(
    rf"^\W*{any_of('references.see')}(?:\s+{any_of('references.also')})?\W*:\W*", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ELIDED = re.compile(rf"({any_of('sentences.elisions')})(['’])(.)(.*)")
_FRAMES = ("//", "==", "--", "~~")
_ROMAN = re.compile(r"[IVX]+")
_FOLLOWED = re.compile(r"\s+[^\w\s–—-]{0,2}\w")
_ICON = re.compile(r"(?<!\s)\s*\([^()\w]*\)|(?<!\s)\s*\((?:\\rightarrow|[\d/]{1,4})\)\s*$")
_PARTS = re.compile(r"(,\s*|(?<![\s/])\s*/(?!/)\s*|(?<!\s)\s*\(|:\s*)")


def key(heading: str) -> str:
    """Return the words of ``heading`` in lower case with single spaces, to compare headings."""
    return " ".join(re.findall(r"\w+", heading.casefold()))


def slug(name: str, longest: int = 80) -> str:
    """Return ``name`` as a URL slug of lower case letters, digits and hyphens, cut after a word to
    at most ``longest`` characters (0: no limit).
    """
    return _slug(name, longest, _REPLACEMENTS)


def plain_slug(name: str, longest: int = 0) -> str:
    """Return a `slug` in which letters lose their accents: "ö" becomes "o", not "oe"."""
    return _slug(name, longest, [])


def _slug(name: str, longest: int, replacements: list[tuple[str, str]]) -> str:
    # Imported only here: its tables take 5 MB.
    from slugify import slugify

    return str(slugify(name, replacements=replacements, max_length=longest, word_boundary=True))


def spellings(lists: Iterable[str]) -> dict[str, str]:
    """Return the names in "see also" ``lists`` ("Siehe auch: Ziel, Zone") by their `key`, except
    names entirely in capitals.
    """
    found: dict[str, str] = {}
    for text in lists:
        for item in _items(_LIST.sub("", text.replace("*", ""))):
            item = item.strip(" ._\n\t")
            if item and not item.isupper():
                found.setdefault(key(item), item)
    return found


def _items(names: str) -> Iterator[str]:
    # Splits at commas outside brackets; a bracket that is never closed is ignored.
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
    for comma in [*commas, len(names)]:
        yield names[start:comma]
        start = comma + 1


def title(heading: str, known: Mapping[str, str], abbreviations: Container[str] = ()) -> str:
    """Return ``heading`` as a title for readers.

    A heading in capitals gets its spelling in ``known`` (from `spellings`), or else title case,
    except for ``abbreviations``. Other headings stay as printed. Garbled icons and a frame around
    the heading ("//SETUP//") are removed.
    """
    clean = _ICON.sub("", heading).strip() or heading
    if clean[:2] in _FRAMES and clean.endswith(clean[:2]):
        clean = clean.strip(clean[0]).strip() or clean
    letters = [letter for letter in clean if letter.isalpha() and letter != "ß"]
    if not any(map(str.isalpha, clean)) or not all(map(str.isupper, letters)):
        return clean.rstrip(":") or clean

    def respelled(text: str) -> str | None:
        # The words of ``text`` in the known spelling.
        if (spelling := known.get(key(text))) is None:
            return None
        words = iter(re.findall(r"\w+", spelling))
        return re.sub(r"\w+", lambda _: next(words), text)

    if (whole := respelled(clean)) is not None:
        return whole
    return "".join(
        _title_case(part, abbreviations) if (spelled := respelled(part)) is None else spelled
        for part in _PARTS.split(clean)
    )


def _title_case(text: str, abbreviations: Container[str]) -> str:
    # In title case; function words are in lower case unless they come first.
    count = 0

    def word(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        printed, lower = match.group(), match.group().lower()
        if printed in abbreviations:
            return printed
        small = count > 1 and lower in _SMALL
        before = text[max(match.start() - 2, 0) : match.start()]
        if "//" in (before, text[match.end() : match.end() + 2]):
            return printed  # a name: "SP//DR"
        if len(lower) == 1:
            # A word if another word follows ("PESCE E VERDURA"), else a letter or Roman number.
            return lower if small and _FOLLOWED.match(text, match.end()) else printed
        if small:
            return lower
        if _ROMAN.fullmatch(printed):
            return printed
        if elided := _ELIDED.match(lower):
            head, sign, first, rest = elided.groups()
            return (head if count > 1 else head.capitalize()) + sign + first.upper() + rest
        return lower[0].upper() + lower[1:]

    return _WORD.sub(word, text)
