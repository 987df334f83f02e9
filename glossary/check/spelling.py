"""Spelling: words a letter or two off from one that the rulebook uses all the time, and terms spelled in several ways."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from corpus.languages import get_language, letters
from corpus.languages.detection import detect
from corpus.model import Entry, Kind, Role, Rulebook, Span
from corpus.titles import key
from glossary.check.lexicon import Lexicon, get_lexicon
from glossary.check.model import Certainty, Finding, FindingKind, shorten
from glossary.model import Reference
from glossary.references.heading_lookup import stems

_ESCAPE = re.compile(r"\\u00([0-9a-fA-F]{2})")
_WORD = re.compile(r"(?<![\w\\.@-])[^\W\d_]+(?:-[^\W\d_]+)*(?![\w@]|-\w|\.\w{2})")
_ELISION = re.compile(r"['’][^\W\d_]")  # behind half a word: "couldn't", "l'edificio"
_OFTEN = 3  # times that a word must be used to be the rule, and times more than the one that looks wrong
_PLAIN = -10.5  # logarithm of how usual a word is that everybody writes
_ROOM = 4.0  # between the logarithms of how usual two words are
_LINKED = re.compile(rf"-|(?<=[{letters()}]{{4}})s(?=[{letters()}]{{4}})")
_TELLING = 6  # words of a line that tell its language
_ADDRESSES = re.compile(r"\]\([^()\s]*\)|<[^<>]*>")  # of links, and tags
_MOST = 5  # places of one misspelling that are listed one by one


@dataclass
class _Words:
    """The words of a rulebook in lower case: how often, in which forms and in which lines each of them stands."""

    count: Counter[str] = field(default_factory=Counter)
    lines: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    forms: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    headed: set[str] = field(default_factory=set)
    terms: set[str] = field(default_factory=set)  # in headings of the glossary
    names: set[str] = field(default_factory=set)  # all of a heading but its number
    whole: set[str] = field(default_factory=set)  # not only in front of an apostrophe: "couldn't", "all'inizio"
    small: set[str] = field(default_factory=set)  # printed with a small letter, or only where every word has a capital one

    def add(self, word: str, line: int, titled: bool, elided: bool) -> None:
        for part in {word, *word.split("-")}:
            folded = part.casefold()
            if not elided:
                self.whole.add(folded)
            self.count[folded] += 1
            self.lines[folded].append(line)
            self.forms[folded][part] += 1
            if titled or part[0].islower():
                self.small.add(folded)

    def form(self, word: str) -> str:
        """``word`` as it is printed most often."""
        return self.forms[word].most_common(1)[0][0]

    def is_name(self, word: str) -> bool:
        """Whether ``word`` has a capital letter within sentences, always."""
        return word not in self.small


def find_misspellings(rulebook: Rulebook, references: Sequence[Reference]) -> Iterator[Finding]:
    """Every word of ``rulebook`` that looks misspelled, and every term that it spells in more than one way."""
    words = _words(rulebook)
    named = list(_named_otherwise(rulebook, references))
    yield from _misspelled(rulebook, words)
    yield from named
    for finding in _variants(rulebook, words):
        if not any(other.line == finding.line and finding.printed in other.printed for other in named):
            yield finding


def _words(rulebook: Rulebook) -> _Words:
    words = _Words()
    spans: list[tuple[Span, bool, Entry | None]] = []
    spans += [(s, p.role is Role.SEE, None) for p in rulebook.passages if p.role is not Role.LISTING for s in p.spans]
    spans += [(s, True, e) for e in rulebook.entries for s in e.heading_spans]
    for (start, end), titled, entry in spans:
        first = rulebook.document.line_at(start)
        text = _ESCAPE.sub(lambda m: chr(int(m.group(1), 16)), rulebook.document.text[start:end].replace("*", ""))
        for number, line in enumerate(_ADDRESSES.sub(" ", each) for each in text.split("\n")):
            for match in _WORD.finditer(line):
                words.add(match.group(), first + number, titled, _ELISION.match(line, match.end()) is not None)
                if entry is not None:
                    words.headed.add(match.group().casefold())
                    if match.group() == _title(entry):
                        words.names.add(match.group().casefold())
                    if entry.kind in (Kind.TERM, Kind.REDIRECT):
                        words.terms.add(match.group().casefold())
    return words


def _title(entry: Entry) -> str:
    """The title of ``entry`` without its number."""
    return entry.title.removeprefix(entry.number or "").strip(" .")


def _misspelled(rulebook: Rulebook, words: _Words) -> Iterator[Finding]:
    known = get_lexicon(rulebook.edition.language)
    shortest = get_language(rulebook.edition.language).spelling.shortest
    usual = [w for w, n in words.count.items() if n >= _OFTEN and len(w) >= shortest - 1 and "-" not in w]
    for word in sorted(words.count, key=lambda w: words.lines[w][0]):
        if len(word) < shortest or "-" in word or known.has(word) or not word.isalpha() or word not in words.whole:
            continue
        if (judged := _meant(word, usual, words, known)) is None:
            continue
        meant, certainty = judged
        many = words.count[word]
        places = [line for line in sorted(set(words.lines[word])) if not _is_foreign(rulebook, line)]
        for at, line in enumerate(places[:_MOST]):
            why = f"{words.form(meant)!r} stands {words.count[meant]} times in this rulebook, this {many} time{'s' * (many > 1)}"
            if at + 1 == _MOST < many:
                why += "; further places are not listed"
            yield Finding(rulebook.edition.id, line, FindingKind.MISSPELLED, words.form(word), words.form(meant), certainty, why)


def _is_foreign(rulebook: Rulebook, line: int) -> bool:
    """Whether ``line`` is in another language than the rulebook, as where something was left untranslated."""
    text = _ADDRESSES.sub(" ", rulebook.document.line(line).text)
    return len(_WORD.findall(text)) >= _TELLING and detect(text) not in (None, rulebook.edition.language)


def _meant(word: str, usual: Sequence[str], words: _Words, known: Lexicon) -> tuple[str, Certainty] | None:
    """The word that ``word`` is most likely meant to be, and how sure that is."""
    allowed = 1 if len(word) < 8 else 2
    for near, distance, _ in process.extract(word, usual, scorer=OSA.distance, score_cutoff=allowed, limit=6):
        if near != word and _is_slip(word, near, int(distance), words, known):
            joined = known.is_compound(word)
            if not joined:
                return near, Certainty.LIKELY
            if distance == 1 and words.count[word] == 1:
                return near, Certainty.POSSIBLE
    return None


@cache
def _inflection(language: str) -> re.Pattern[str] | None:
    ending = get_language(language).spelling.inflection
    return re.compile(ending) if ending is not None else None


def _is_slip(word: str, near: str, distance: int, words: _Words, known: Lexicon) -> bool:
    language = known.language
    # The name of an entry is right however often it is misprinted.
    entitled = near in words.terms and word not in words.headed and len(word) >= 8 and known.has(near)
    if (words.count[near] < _OFTEN * words.count[word] and not entitled) or stems(word, language) == stems(near, language):
        return False
    if _LINKED.sub("", word) == _LINKED.sub("", near):
        return False  # another way to spell it
    if word.startswith(near) and distance == 1 and known.frequency(near) > _PLAIN:
        pass  # "auchx" for "auch"
    elif word.startswith(near) or near.startswith(word) or word.endswith(near) or near.endswith(word):
        return False
    if distance > 1 and (word[0] != near[0] or word in words.headed):
        return False
    shared = next((n for n, (a, b) in enumerate(zip(word, near, strict=False)) if a != b), min(len(word), len(near)))
    ending = _inflection(language)
    if ending is not None and ending.fullmatch(word[shared:]) and ending.fullmatch(near[shared:]):
        return False
    if word in words.names and words.count[word] >= _OFTEN:
        return False  # a name of its own, however much it is like another word
    if word in words.headed and (words.count[near] < 2 * _OFTEN or len(word) < 6):
        return False
    if known.frequency(word) > -25:  # somebody wrote it before
        return known.frequency(near) - known.frequency(word) >= _ROOM and known.has(near)
    if known.inflects(word) and not (distance == 1 and known.frequency(near) > _PLAIN):
        return False
    names = words.is_name(word), not any(form[0].islower() for form in words.forms[near])
    if len(word) < 7 and not known.has(near) and not (all(names) and len(word) == 6):
        return False
    # A capital letter within sentences is a name in a language that writes nouns small.
    return get_language(language).capitalised_nouns or not names[0] or names[1]


def _variants(rulebook: Rulebook, words: _Words) -> Iterator[Finding]:
    """Compounds printed with and without a hyphen, or with and without the s that links their parts."""
    groups: dict[str, list[str]] = defaultdict(list)
    for word in words.count:
        if len(word) >= 8:
            groups[_LINKED.sub("", word)].append(word)
    for group in groups.values():
        best = max(group, key=lambda w: words.count[w])
        for word in group:
            if word != best and words.count[best] >= _OFTEN * words.count[word] and words.count[best] > _OFTEN:
                if not _compound(word, best):
                    continue
                many = words.count[word]
                why = f"{words.form(best)!r} stands {words.count[best]} times in this rulebook, this {many} time{'s' * (many > 1)}"
                for line in sorted(set(words.lines[word]))[:_MOST]:
                    yield Finding(
                        rulebook.edition.id, line, FindingKind.SPELLING_VARIES, words.form(word), words.form(best), Certainty.POSSIBLE, why
                    )


def _compound(word: str, best: str) -> bool:
    """Whether the two differ within the word and not by the ending of an inflected form."""
    return word.rstrip("s") != best.rstrip("s")


def _named_otherwise(rulebook: Rulebook, references: Sequence[Reference]) -> Iterator[Finding]:
    """References that spell the name of their target with other hyphens or blanks than its heading."""
    entries: dict[str, Entry] = {e.id: e for e in rulebook.entries if e.kind in (Kind.TERM, Kind.REDIRECT, Kind.SECTION)}
    for reference in references:
        entry = entries.get(reference.target or "")
        if entry is None or reference.problem is not None:
            continue
        printed, titles = key(reference.raw), (key(entry.title), key(entry.heading))
        if printed not in titles and printed.replace(" ", "") in [title.replace(" ", "") for title in titles]:
            why = f"the entry at line {entry.lines.first} is headed otherwise"
            yield Finding(
                rulebook.edition.id,
                reference.line,
                FindingKind.SPELLING_VARIES,
                shorten(reference.raw),
                shorten(entry.title),
                Certainty.LIKELY,
                why,
            )
