"""Check spelling: words one or two letters away from a word that the rulebook often uses, and terms
spelled in several ways.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from string import ascii_lowercase

from rapidfuzz import process
from rapidfuzz.distance import OSA

from corpus.display import ESCAPE
from corpus.languages import any_of, capitals, get_language, letters
from corpus.languages.detection import detect
from corpus.model import Entry, Kind, Role, Rulebook, Span
from corpus.titles import key
from glossary.check.model import Certainty, Finding, FindingKind, Why, because, report
from glossary.model import Reference
from glossary.normalization import fold
from glossary.references.heading_lookup import stems
from glossary.word_tables import lemma_table

UNSEEN = -30.0  # logarithm of a probability, as the others
_RARE = -16.0  # a less frequent word may be a typo
_COMMON = -12.5  # a more frequent string is a word


@dataclass(frozen=True)
class Lexicon:
    """The words of one language; look-ups are in lower case."""

    language: str
    forms: frozenset[str]
    probabilities: Mapping[str, float]

    def frequency(self, word: str) -> float:
        """Return the logarithm of the frequency of ``word``, -30 if it is unknown."""
        return max(self.probabilities.get(form, UNSEEN) for form in (word, word.capitalize()))

    def has(self, word: str) -> bool:
        """Return whether ``word`` is in the dictionary, or frequent enough to be a word."""
        return self.lists(word) or self.frequency(word) > _COMMON

    def inflects(self, word: str) -> bool:
        """Return whether ``word`` is a known word with an ending or prefix."""
        spelling = get_language(self.language).spelling
        for ending in spelling.endings:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                base = word[: -len(ending)]
                if any(self._knows(base + other) for other in spelling.base_endings):
                    return True
        return any(
            word.startswith(prefix)
            and len(word) - len(prefix) >= 5
            and self._knows(word[len(prefix) :])
            for prefix in spelling.prefixes
        )

    def is_compound(self, word: str) -> bool:
        """Return whether ``word`` is a compound of two known words."""
        links = get_language(self.language).spelling.compound_links
        return any(
            self._knows(word[at:])
            and any(
                self._knows(word[: at - len(link)]) for link in links if word[:at].endswith(link)
            )
            for at in range(4, len(word) - 3)
        )

    def _knows(self, word: str) -> bool:
        return len(word) > 2 and (self.lists(word) or self.frequency(word) > _RARE)

    def lists(self, word: str) -> bool:
        """Return whether ``word`` is in the dictionary."""
        return word in self.forms or word.capitalize() in self.forms


@cache
def get_lexicon(language: str) -> Lexicon:
    """Return the lexicon of ``language``; empty if there is no data."""
    lemmas = lemma_table(language)
    return Lexicon(
        language, frozenset(lemmas) | frozenset(lemmas.values()), _probabilities(language)
    )


def _probabilities(language: str) -> dict[str, float]:
    path = files("spacy_lookups_data") / "data" / f"{language}_lexeme_prob.json.gz"
    if not path.is_file():
        return {}
    with path.open("rb") as packed, gzip.open(packed, "rt", encoding="utf-8") as text:
        found: dict[str, float] = json.load(text)
    return found


_WORD = re.compile(r"(?<![\w\\.@-])[^\W\d_]+(?:-[^\W\d_]+)*(?![\w@]|-\w|\.\w{2})")
_ELISION = re.compile(r"['’][^\W\d_]")  # behind half a word: "couldn't", "l'edificio"
# Uses that make a word usual, and times as often as the word that looks wrong
_OFTEN = 3
_PLAIN = -10.5  # log frequency of a word that everybody uses
_ROOM = 4.0  # between the log frequencies of a word and its misspelling
_SELDOM = 2  # times that a noun may lack its capital letter and still be a noun
_NEVER = -25.0  # log frequency of a word that somebody wrote before
_TELLING_LENGTH = 7  # letters of a word that is like few others
_NAME_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NAME_GAP = re.compile(r"[ \u00a0\n]{1,3}(?:[-–] )?|-|, ")  # between words of a name
_LONGEST_NAME = 6  # words of the name of a card
_FEWEST_AROUND = 4  # letters of a name besides its wrong word
_CAPITAL = 2.5  # between the log frequencies of a noun with and without its capital letter
_LINKED = re.compile(rf"-|(?<=[{letters()}]{{4}})s(?=[{letters()}]{{4}})")
_TELLING = 6  # words of a line that tell its language
_ADDRESSES = re.compile(r"\]\([^()\s]*\)|<[^<>]*>")  # of links, and tags
_MOST = 5  # places of one misspelling that are listed one by one


@dataclass
class _Words:
    """The words of a rulebook in lower case, each with its count, its forms and its lines."""

    count: Counter[str] = field(default_factory=Counter)
    lines: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    forms: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    headed: set[str] = field(default_factory=set)
    terms: set[str] = field(default_factory=set)  # in headings of the glossary
    names: set[str] = field(default_factory=set)  # all of a heading but its number
    whole: set[str] = field(
        default_factory=set
    )  # not only in front of an apostrophe: "couldn't", "all'inizio"
    small: set[str] = field(default_factory=set)  # printed in lower case, or only in titles

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
        """Return the most frequent printed form of ``word``."""
        return self.forms[word].most_common(1)[0][0]

    def is_name(self, word: str) -> bool:
        """Return whether ``word`` is always capitalised within sentences."""
        return word not in self.small


def find_misspellings(rulebook: Rulebook, references: Sequence[Reference]) -> Iterator[Finding]:
    """Yield every word that looks misspelled, and every term with several spellings."""
    words = _words(rulebook)
    named = list(_named_otherwise(rulebook, references))
    found = list(_misspelled(rulebook, words))
    yield from found
    yield from _misspelled_forms(rulebook, words, {each.printed for each in found})
    yield from _divided_words(rulebook, words)
    if get_language(rulebook.edition.language).capitalised_nouns:
        yield from _small_nouns(rulebook, words)
        yield from _bare_ordinals(rulebook, words)
    if get_language(rulebook.edition.language).spelling.other_gender:
        yield from _wrong_articles(rulebook)
    yield from named
    for finding in _variants(rulebook, words):
        if not any(
            other.line == finding.line and finding.printed in other.printed for other in named
        ):
            yield finding


def _words(rulebook: Rulebook) -> _Words:
    words = _Words()
    spans: list[tuple[Span, bool, Entry | None]] = []
    spans += [
        (s, p.role is Role.SEE, None)
        for p in rulebook.passages
        if p.role is not Role.LISTING
        for s in p.spans
    ]
    spans += [(s, True, e) for e in rulebook.entries for s in e.heading_spans]
    for (start, end), titled, entry in spans:
        first = rulebook.document.line_at(start)
        text = ESCAPE.sub(
            lambda m: chr(int(m.group(1), 16)), rulebook.document.text[start:end].replace("*", "")
        )
        for number, line in enumerate(_ADDRESSES.sub(" ", each) for each in text.split("\n")):
            for match in _WORD.finditer(line):
                words.add(
                    match.group(),
                    first + number,
                    titled,
                    _ELISION.match(line, match.end()) is not None,
                )
                if entry is not None:
                    words.headed.add(match.group().casefold())
                    if match.group() == _title(entry):
                        words.names.add(match.group().casefold())
                    if entry.kind in (Kind.TERM, Kind.REDIRECT):
                        words.terms.add(match.group().casefold())
    return words


def _title(entry: Entry) -> str:
    """Return the title of ``entry`` without its number."""
    return entry.title.removeprefix(entry.number or "").strip(" .")


def _misspelled(rulebook: Rulebook, words: _Words) -> Iterator[Finding]:
    known = get_lexicon(rulebook.edition.language)
    shortest = get_language(rulebook.edition.language).spelling.shortest
    usual = [
        w for w, n in words.count.items() if n >= _OFTEN and len(w) >= shortest - 1 and "-" not in w
    ]
    for word in sorted(words.count, key=lambda w: words.lines[w][0]):
        if (
            len(word) < shortest
            or "-" in word
            or known.has(word)
            or not word.isalpha()
            or word not in words.whole
        ):
            continue
        if (judged := _meant(word, usual, words, known)) is None:
            continue
        meant, certainty = judged
        many = words.count[word]
        places = [
            line for line in sorted(set(words.lines[word])) if not _is_foreign(rulebook, line)
        ]
        for at, line in enumerate(places[:_MOST]):
            why = because(
                Why.MORE_USUAL, quoted=words.form(meant), times=words.count[meant], often=many
            )
            if at + 1 == _MOST < many:
                why += because(Why.MORE_PLACES)
            yield report(
                rulebook,
                line,
                FindingKind.MISSPELLED,
                why,
                words.form(word),
                meant=words.form(meant),
                certainty=certainty,
            )


def _misspelled_forms(
    rulebook: Rulebook, words: _Words, found: Container[str]
) -> Iterator[Finding]:
    """Yield words that occur once, are in no dictionary, and are a letter away from a form of a
    word that the rulebook often uses, mostly in other forms: "tramis" for "trami" of "trama". Skip
    words in ``found``.
    """
    language = rulebook.edition.language
    known, facts = get_lexicon(language), get_language(language)
    roots: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for word, count in words.count.items():
        roots[tuple(stems(word, language))][word] += count
    for word, count in words.count.items():
        if (
            count > 1
            or len(word) < facts.spelling.shortest
            or not word.isalpha()
            or word not in words.whole
            or word in words.headed
            or words.form(word) in found
            or known.has(word)
            or known.frequency(word) > _NEVER
            or known.inflects(word)
            or known.is_compound(word)
            or (words.is_name(word) and not facts.capitalised_nouns)
            or _is_foreign(rulebook, line := words.lines[word][0])
        ):
            continue
        own = tuple(stems(word, language))
        for near in sorted(_a_letter_away(word, letters().replace("a-z", ascii_lowercase))):
            root = tuple(stems(near, language))
            # Short words are like many others.
            if (len(word) < _TELLING_LENGTH and not word.startswith(near)) or root == own:
                continue
            (usual, _), *_ = roots[root].most_common(1) or [("", 0)]
            times = roots[root].total()
            if known.lists(near) and times >= _OFTEN * _OFTEN:
                why = because(Why.FORM_OF_USUAL, quoted=words.form(usual), times=times)
                printed = words.form(word)
                meant = near.capitalize() if printed[0].isupper() else near
                kind, likely = FindingKind.MISSPELLED, Certainty.LIKELY
                yield report(rulebook, line, kind, why, printed, meant=meant, certainty=likely)
                break


def _a_letter_away(word: str, alphabet: str) -> set[str]:
    """Return the strings that differ from ``word`` by one letter, inserted, removed, replaced or
    swapped, after the first one.
    """
    found = set()
    for at in range(1, len(word) + 1):
        before, behind = word[:at], word[at:]
        found |= {before + letter + behind for letter in alphabet}
        if behind:
            found |= {before + letter + behind[1:] for letter in alphabet} | {before + behind[1:]}
        if len(behind) > 1:
            found.add(before + behind[1] + behind[0] + behind[2:])
    return found - {word}


def _divided_words(rulebook: Rulebook, words: _Words) -> Iterator[Finding]:
    """Yield words that still have a hyphen from a line break: "Doppio-giochista"."""
    known = get_lexicon(rulebook.edition.language)
    for word in [word for word, count in words.count.items() if count <= _SELDOM and "-" in word]:
        *others, last = words.form(word).split("-")
        joined = word.replace("-", "")
        if last[0].islower() and len(others) == 1 and known.lists(joined) and not known.has(last):
            for line in sorted(set(words.lines[word])):
                kind, likely = FindingKind.MISSPELLED, Certainty.LIKELY
                why, printed = because(Why.IN_DICTIONARY), words.form(word)
                meant = printed.replace("-", "")
                yield report(rulebook, line, kind, why, printed, meant=meant, certainty=likely)


def find_misspelled_cards(rulebook: Rulebook, names: Iterable[str]) -> Iterator[Finding]:
    """Yield text that differs from a card name of several words in one or two letters of one word:
    "Clint Burton" for "Clint Barton". ``names`` are card names in the language of ``rulebook``.
    """
    by_words = {tuple(w.casefold() for w in _NAME_WORD.findall(name)): name for name in names}
    others: dict[tuple[str, ...], set[str]] = defaultdict(set)  # by the words around them
    for words in by_words:
        for at in range(len(words) if 1 < len(words) <= _LONGEST_NAME else 0):
            if sum(map(len, around := (*words[:at], "", *words[at + 1 :]))) >= _FEWEST_AROUND:
                others[around].add(words[at])
    told: set[tuple[int, str]] = set()
    for passage in rulebook.passages:
        for start, end in passage.spans if others and passage.role is not Role.LISTING else ():
            text = rulebook.document.text[start:end]
            for places in _word_runs(text):
                words = tuple(place.group().casefold() for place in places)
                printed = text[places[0].start() : places[-1].end()]
                for name in _names_near(words, by_words, others):
                    capitals_of = [
                        [word[0].isupper() for word in _NAME_WORD.findall(each)]
                        for each in (printed, name)
                    ]
                    line = rulebook.document.line_at(start + places[0].start())
                    if capitals_of[0] == capitals_of[1] and (line, printed) not in told:
                        told.add((line, printed))
                        why, kind = because(Why.CARD_SPELLED_SO), FindingKind.MISSPELLED
                        likely = Certainty.LIKELY
                        yield report(
                            rulebook, line, kind, why, printed, meant=name, certainty=likely
                        )
                        break


def _word_runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield runs of two or more words in ``text`` that may be a name, as spans."""
    found = list(_NAME_WORD.finditer(text))
    for first in range(len(found)):
        for last in range(first + 1, min(first + _LONGEST_NAME, len(found))):
            if not _NAME_GAP.fullmatch(text, found[last - 1].end(), found[last].start()):
                break
            yield found[first : last + 1]


def _names_near(
    words: tuple[str, ...],
    names: Mapping[tuple[str, ...], str],
    others: Mapping[tuple[str, ...], set[str]],
) -> Iterator[str]:
    """Yield the ``names`` that differ from ``words``, no name, in letters of one word only."""
    if words in names or (*words[:-1], words[-1].rstrip("s'’")) in names:  # "Captain Americas"
        return
    for at, own in enumerate(words):
        allowed = 0 if len(own) < 6 else 1 if len(own) < 8 else 2
        for near in sorted(others.get((*words[:at], "", *words[at + 1 :]), ()) if allowed else ()):
            inflected = own.startswith(near) or near.startswith(own)
            if not inflected and 0 < OSA.distance(own, near) <= allowed:
                yield names[*words[:at], near, *words[at + 1 :]]


def _small_nouns(rulebook: Rulebook, words: _Words) -> Iterator[Finding]:
    """Yield nouns without their capital letter: words that the rulebook capitalises everywhere
    else, and that the language hardly ever has in lower case, not even as a verb form ("ende" of
    "enden").
    """
    known = get_lexicon(rulebook.edition.language)
    for word, forms in words.forms.items():
        name, infinitive = word.capitalize(), f"{word}n"
        if (
            not forms[word]
            or "-" in word
            or forms[name] < _OFTEN * _OFTEN
            or not _is_noun(word, known)
            or (infinitive in known.probabilities and not _is_noun(infinitive, known))
        ):
            continue
        found = list(_matches_in_text(rulebook, _small(word)))
        if len(found) > _SELDOM:
            continue
        for match, line in found:
            if not _is_foreign(rulebook, line):
                yield _likely(rulebook, line, match, name, forms[name], len(found))


def _is_noun(word: str, known: Lexicon) -> bool:
    """Return whether ``word`` is nearly always capitalised in the language."""
    large, small = (known.probabilities.get(each, UNSEEN) for each in (word.capitalize(), word))
    return large - small >= _CAPITAL


def _small(word: str) -> re.Pattern[str]:
    """Return a pattern for ``word``, except as the second half of a word split at a line break."""
    return re.compile(rf"(?<![\w-])(?<!-\s){word}(?![\w-])")


def _wrong_articles(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield articles whose gender differs from that of their noun everywhere else: "einen
    Basiskraft".

    The rulebook itself is evidence enough: only feminine nouns follow "eine" and "einer", and none
    follow "ein", "einem", "eines" and "einen".
    """
    spelling = get_language(rulebook.edition.language).spelling
    pattern = _article_and_noun(rulebook.edition.language)
    uses: dict[str, Counter[bool]] = defaultdict(Counter)  # by noun, whether it is feminine
    found = []
    for match, line in _matches_in_text(rulebook, pattern):
        article, noun = match.split()
        uses[noun][feminine := article.lower() in spelling.feminine_articles] += 1
        found.append((match, line, feminine))
    for match, line, feminine in found:
        article, noun = match.split()
        alike, others = uses[noun][feminine], uses[noun][not feminine]
        if alike == 1 and others >= _OFTEN:
            meant = f"{spelling.other_gender[article.lower()]} {noun}"
            yield _likely(rulebook, line, match, meant, others, alike)


def _bare_ordinals(rulebook: Rulebook, words: _Words) -> Iterator[Finding]:
    """Yield ordinals without their ending between an article and a noun: "der erst Satz".

    After a comma the article is a pronoun: "der Lotse, der erst Karten zieht".
    """
    language = get_language(rulebook.edition.language)
    for match, line in _matches_in_text(rulebook, _bare_ordinal(language.code)):
        article, ordinal, noun = match.split()
        whole = f"{ordinal}e"
        if (
            noun[0].isupper()
            and fold(whole) in language.numbers.ordinals
            and fold(ordinal) not in language.numbers.from_two  # "die acht Karten"
            and (times := words.count[whole])
        ):
            why = because(Why.MORE_USUAL, quoted=whole, times=times, often=1)
            kind, likely = FindingKind.MISSPELLED, Certainty.LIKELY
            meant = f"{article} {whole} {noun}"
            yield report(rulebook, line, kind, why, match, meant=meant, certainty=likely)


@cache
def _bare_ordinal(language: str) -> re.Pattern[str]:
    articles = any_of("sentences.articles", language=language)
    return re.compile(
        rf"(?<!,\s)\b{articles}\s[{letters()}]{{3,}}+\s[{capitals()}][{letters()}]++\b",
        re.IGNORECASE,
    )


@cache
def _article_and_noun(language: str) -> re.Pattern[str]:
    """Return a pattern for an article that shows the gender, and a capitalised noun."""
    articles = get_language(language).spelling.other_gender
    either = "|".join(f"[{each[0]}{each[0].upper()}]{each[1:]}" for each in articles)
    noun = f"[{capitals()}][{letters()}]{{3,}}+"
    return re.compile(rf"\b(?:{either})\s{noun}\b(?!-)")


def _likely(
    rulebook: Rulebook, line: int, printed: str, meant: str, times: int, often: int
) -> Finding:
    """Return the finding that ``printed``, which occurs ``often``, is likely meant to be ``meant``,
    which occurs ``times``.
    """
    why = because(Why.MORE_USUAL, quoted=meant, times=times, often=often)
    misspelled, likely = FindingKind.MISSPELLED, Certainty.LIKELY
    return report(rulebook, line, misspelled, why, printed, meant=meant, certainty=likely)


def _matches_in_text(rulebook: Rulebook, pattern: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    """Yield the matches of ``pattern`` in the rules, each as one line, with its first line
    number.
    """
    for passage in rulebook.passages:
        if passage.role is Role.LISTING:
            continue
        for start, end in passage.spans:
            for match in pattern.finditer(rulebook.document.text, start, end):
                yield " ".join(match.group().split()), rulebook.document.line_at(match.start())


def _is_foreign(rulebook: Rulebook, line: int) -> bool:
    """Return whether ``line`` is in another language than the rulebook's, such as untranslated."""
    text = _ADDRESSES.sub(" ", rulebook.document.line(line).text)
    return len(_WORD.findall(text)) >= _TELLING and detect(text) not in (
        None,
        rulebook.edition.language,
    )


def _meant(
    word: str, usual: Sequence[str], words: _Words, known: Lexicon
) -> tuple[str, Certainty] | None:
    """Return the word that ``word`` is most likely meant to be, and how certain that is."""
    allowed = 1 if len(word) < 8 else 2
    for near, distance, _ in process.extract(
        word, usual, scorer=OSA.distance, score_cutoff=allowed, limit=6
    ):
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
    entitled = (
        near in words.terms and word not in words.headed and len(word) >= 8 and known.has(near)
    )
    if (words.count[near] < _OFTEN * words.count[word] and not entitled) or stems(
        word, language
    ) == stems(near, language):
        return False
    if _LINKED.sub("", word) == _LINKED.sub("", near):
        return False  # another way to spell it
    if word.startswith(near) and distance == 1 and known.frequency(near) > _PLAIN:
        pass  # "auchx" for "auch"
    elif (
        word.startswith(near) or near.startswith(word) or word.endswith(near) or near.endswith(word)
    ):
        return False
    if distance > 1 and (word[0] != near[0] or word in words.headed):
        return False
    shared = next(
        (n for n, (a, b) in enumerate(zip(word, near, strict=False)) if a != b),
        min(len(word), len(near)),
    )
    ending = _inflection(language)
    if ending is not None and ending.fullmatch(word[shared:]) and ending.fullmatch(near[shared:]):
        return False
    if word in words.names and words.count[word] >= _OFTEN:
        return False  # a name of its own, however much it is like another word
    if word in words.headed and (words.count[near] < 2 * _OFTEN or len(word) < 6):
        return False
    if known.frequency(word) > _NEVER:  # somebody wrote it before
        return known.frequency(near) - known.frequency(word) >= _ROOM and known.has(near)
    if known.inflects(word) and not (distance == 1 and known.frequency(near) > _PLAIN):
        return False
    names = words.is_name(word), not any(form[0].islower() for form in words.forms[near])
    if len(word) < 7 and not known.has(near) and not (all(names) and len(word) == 6):
        return False
    # A capital letter within sentences is a name in a language that writes nouns small.
    return get_language(language).capitalised_nouns or not names[0] or names[1]


def _variants(rulebook: Rulebook, words: _Words) -> Iterator[Finding]:
    """Yield compounds printed both with and without a hyphen, or with and without a linking s."""
    groups: dict[str, list[str]] = defaultdict(list)
    for word in words.count:
        if len(word) >= 8:
            groups[_LINKED.sub("", word)].append(word)
    for group in groups.values():
        best = max(group, key=lambda w: words.count[w])
        for word in group:
            if (
                word != best
                and words.count[best] >= _OFTEN * words.count[word]
                and words.count[best] > _OFTEN
            ):
                if word.rstrip("s") == best.rstrip("s"):
                    continue  # the ending of an inflected form
                many = words.count[word]
                why = because(
                    Why.MORE_USUAL, quoted=words.form(best), times=words.count[best], often=many
                )
                for line in sorted(set(words.lines[word]))[:_MOST]:
                    yield report(
                        rulebook,
                        line,
                        FindingKind.SPELLING_VARIES,
                        why,
                        words.form(word),
                        meant=words.form(best),
                        certainty=Certainty.POSSIBLE,
                    )


def _named_otherwise(rulebook: Rulebook, references: Sequence[Reference]) -> Iterator[Finding]:
    """Yield references whose hyphens or blanks differ from the heading of their target."""
    entries: dict[str, Entry] = {
        e.id: e for e in rulebook.entries if e.kind in (Kind.TERM, Kind.REDIRECT, Kind.SECTION)
    }
    for reference in references:
        entry = entries.get(reference.target or "")
        if entry is None or reference.problem is not None:
            continue
        printed, titles = key(reference.raw), (key(entry.title), key(entry.heading))
        if printed not in titles and printed.replace(" ", "") in [
            title.replace(" ", "") for title in titles
        ]:
            yield report(
                rulebook,
                reference,
                FindingKind.SPELLING_VARIES,
                Why.HEADED_OTHERWISE,
                meant=entry.title,
                line=entry.lines.first,
            )
