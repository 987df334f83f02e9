"""Make test quotations: true passages in every form that a text can quote them in, and passages
altered so that their meaning changes.

The negations and numbers of each language are listed here again. A test that took them from the
languages' files could not notice missing ones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from corpus.model import Passage, Role
from index.library.library import Library

FORMS: Mapping[str, Callable[[str], str]] = {
    "block": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    "„…“": lambda text: f"„{text}“",
    '"…"': lambda text: f'"{text}"',
    "«…»": lambda text: f"«{text}»",
    "»…«": lambda text: f"»{text}«",
    "“…”": lambda text: f"“{text}”",
    "'…'": lambda text: f"'{text}'",
    "‚…‘": lambda text: f"‚{text}‘",
    "<q>": lambda text: f"<q>{text}</q>",
    "<blockquote>": lambda text: f"<blockquote>{text}</blockquote>",
    "`…`": lambda text: f"`{text}`",
    "*…*": lambda text: f"*{text}*",
    "_…_": lambda text: f"_{text}_",
}
NEGATIONS = {
    "de": ("nicht", "kein", "keine", "keinen", "keinem", "keiner", "nie", "niemals", "ohne"),
    "it": ("non", "mai", "nessun", "nessuna", "senza"),
    "en": ("not", "no", "never", "cannot", "without"),
}
EXCEPTIONS = {
    "de": ("außer", "nur", "jedoch", "ausgenommen"),
    "it": ("tranne", "solo", "tuttavia", "eccetto"),
    "en": ("except", "only", "unless"),
}
NUMBERS = {
    "de": ("zwei", "drei", "vier", "fünf", "sechs"),
    "it": ("due", "tre", "quattro", "cinque", "sei"),
    "en": ("two", "three", "four", "five", "six"),
}
_WORD = re.compile(r"[^\W\d_]+|\d+")
_LEAST = 6  # words, at least, of a passage to alter


@dataclass(frozen=True)
class Alteration:
    """An altered passage. It is compared with ``edition`` only; None means all editions."""

    kind: str
    text: str
    edition: str | None = None


@dataclass
class PassageAlterer:
    """Alters random passages of ``library``, the same ones for the same ``seed``."""

    library: Library
    seed: int = 0
    random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.passages = [
            p
            for p in self.library.passages
            if p.role is Role.TEXT and len(_WORD.findall(p.display)) >= _LEAST
        ]
        self._printed = {edition.id: self._print(edition.id) for edition in self.library.editions}
        self._all = "\n".join(self._printed.values())
        self._language = {edition.id: edition.language for edition in self.library.editions}
        self._words = {e.id: _WORD.findall(self._printed[e.id]) for e in self.library.editions}

    def true_passages(self, count: int) -> list[str]:
        """Return ``count`` true passages of at least three words, as evidence or as display."""
        found = [
            p
            for p in self.library.passages
            if p.role is Role.TEXT and len(_WORD.findall(p.display)) >= 3
        ]
        return [self.random.choice((p.text, p.display)) for p in self.random.sample(found, count)]

    def altered(self, kind: str, count: int) -> list[Alteration]:
        """Return ``count`` passages altered by the method called ``kind``, none of them printed in
        the editions that it is compared with.
        """
        make: Callable[[Passage], str | None] = getattr(self, kind)
        found: list[Alteration] = []
        drawn = (self.random.choice(self.passages) for _ in range(count * 400))
        for passage in drawn:
            text = make(passage)
            edition = self.sister(passage) if kind == "edition" else None
            if text is None or (kind == "edition" and edition is None):
                continue
            printed = self._printed[edition] if edition else self._all
            if _plain(text) not in printed:
                found.append(Alteration(kind, text, edition))
            if len(found) == count:
                break
        return found

    def word(self, passage: Passage) -> str | None:
        """Replace one word by another of the same rulebook."""
        match = self._any(passage.display, lambda word: len(word) > 2 and word.isalpha())
        other = self.random.choice(self._words[_edition(passage)])
        return _put(passage.display, match, other) if match and other != match.group() else None

    def number(self, passage: Passage) -> str | None:
        """Replace one number by another."""
        words = NUMBERS.get(self._language[_edition(passage)], ())
        match = self._any(passage.display, lambda word: word.isdigit() or word in words)
        if match is None:
            return None
        other = (
            str(int(match.group()) + self.random.randint(1, 3))
            if match.group().isdigit()
            else self.random.choice(words)
        )
        return _put(passage.display, match, other) if other != match.group() else None

    def negation_removed(self, passage: Passage) -> str | None:
        """Remove a negation."""
        words = NEGATIONS.get(self._language[_edition(passage)], ())
        match = self._any(passage.display, lambda word: word.lower() in words)
        return (
            re.sub(r"(?m) {2,}|^ +(?=\w)", " ", _put(passage.display, match, "")).strip()
            if match
            else None
        )

    def negation_added(self, passage: Passage) -> str | None:
        """Add a negation."""
        words = NEGATIONS.get(self._language[_edition(passage)], ())
        match = self._any(passage.display, lambda word: word.isalpha() and word.islower())
        return (
            _put(passage.display, match, f"{match.group()} {self.random.choice(words)}")
            if match and words
            else None
        )

    def order(self, passage: Passage) -> str | None:
        """Swap two words, or move a sentence."""
        text = passage.display
        parts = re.split(r"(?<=[.!?])\s", text)
        if len(parts) > 1 and self.random.random() < 0.3:
            return " ".join([*parts[1:], parts[0]])
        found = list(_WORD.finditer(text))
        first, second = sorted(self.random.sample(range(len(found)), 2))
        one, other = found[first], found[second]
        swapped = f"{text[: one.start()]}{other.group()}{text[one.end() : other.start()]}{one.group()}{text[other.end() :]}"
        return swapped if one.group() != other.group() else None

    def ellipsis(self, passage: Passage) -> str | None:
        """Replace a negation, a number or an exception, and the words beside it, by an ellipsis."""
        language = self._language[_edition(passage)]
        words = {
            *NEGATIONS.get(language, ()),
            *EXCEPTIONS.get(language, ()),
            *NUMBERS.get(language, ()),
        }
        found = list(_WORD.finditer(passage.display))
        begins = next(
            (n for n, word in enumerate(found) if word.group().isalpha()), 0
        )  # only the number of a rule comes before
        hidden = [
            n
            for n in range(begins + 1, len(found) - 1)
            if found[n].group().lower() in words
            or re.match(r"\d+(?![\d.)])", passage.display[found[n].start() :])
        ]
        if not hidden:
            return None
        at = self.random.choice(hidden)
        first, last = (
            self.random.randint(max(begins + 1, at - 3), at),
            self.random.randint(at, min(len(found) - 2, at + 3)),
        )
        sign = self.random.choice(("[…]", "[...]", "…", "(...)", "...", "(…)"))
        return (
            f"{passage.display[: found[first].start()]}{sign}{passage.display[found[last].end() :]}"
        )

    def merged(self, passage: Passage) -> str | None:
        """Join the beginning of one passage with the end of another, with or without an
        ellipsis.
        """
        other = self.random.choice(self.passages)
        if other.entry == passage.entry or _edition(other) != _edition(passage):
            return None
        first, second = passage.display.split(), other.display.split()
        sign = self.random.choice(("", "", "[…] "))
        return (
            f"{' '.join(first[: len(first) // 2 + 1])} {sign}{' '.join(second[len(second) // 2 :])}"
        )

    def translated(self, passage: Passage) -> str | None:
        """Replace some words by those of another language, as a bad machine translation does."""
        others = [
            p
            for p in self.random.sample(self.passages, 12)
            if self._language[_edition(p)] != self._language[_edition(passage)]
        ]
        if not others:
            return None
        foreign = _WORD.findall(others[0].display)
        share = self.random.choice((0.3, 0.6, 1.0))

        def translate(match: re.Match[str]) -> str:
            return (
                self.random.choice(foreign)
                if self.random.random() < share and match.group().isalpha()
                else match.group()
            )

        return _WORD.sub(translate, passage.display)

    def edition(self, passage: Passage) -> str | None:
        """Return the passage as printed, to be compared with another edition."""
        return passage.display

    def sister(self, passage: Passage) -> str | None:
        """Return another edition of the same game, None where there is none."""
        own = self.library.edition[_edition(passage)]
        others = [
            each.id for each in self.library.editions if each.game == own.game and each.id != own.id
        ]
        return self.random.choice(others) if others else None

    def _print(self, edition: str) -> str:
        return "\n".join(
            _plain(form)
            for p in self.library.passages_in(edition)
            for form in dict.fromkeys((p.text, p.display))
        )

    def _any(self, text: str, fits: Callable[[str], bool]) -> re.Match[str] | None:
        found = [match for match in _WORD.finditer(text) if fits(match.group())]
        return self.random.choice(found) if found else None


KINDS = (
    "word",
    "number",
    "negation_removed",
    "negation_added",
    "order",
    "ellipsis",
    "merged",
    "translated",
    "edition",
)


def quoted(texts: list[str], form: str) -> Iterator[str]:
    """Yield each of ``texts`` quoted in a ``form`` between other words."""
    for text in texts:
        before, after = (
            ("Im Heft steht:\n\n", "\n\nSo ist es.")
            if form == "block"
            else ("Im Heft steht: ", " (so das Heft).")
        )
        yield before + FORMS[form](text) + after


def _edition(passage: Passage) -> str:
    return passage.entry.partition("/")[0]


def _put(text: str, match: re.Match[str], other: str) -> str:
    return text[: match.start()] + other + text[match.end() :]


def _plain(text: str) -> str:
    """Return ``text`` as words and signs separated by single blanks."""
    return " ".join(re.findall(r"\w+|[.!?]", text))
