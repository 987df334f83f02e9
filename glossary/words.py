"""Words of a language as terms and names are compared: folded, stemmed, looked up in spaCy's lemma tables."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import Stemmer

if TYPE_CHECKING:
    from spacy.language import Language

LANGUAGES = ("de", "it", "en")
_STEMMERS = {"de": "german", "it": "italian", "en": "english"}
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_TYPED_OUT = re.compile(r"(?<![aeqou])(ae|oe|ue)")
_WORD = re.compile(r"[^\W_]+")


class Word(NamedTuple):
    """A word and where it stands."""

    text: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """The words and numbers of ``text`` in order; hyphens and apostrophes divide."""
    return [Word(m.group(), m.start(), m.end()) for m in _WORD.finditer(text)]


def is_symbol(sign: str) -> bool:
    """Whether ``sign`` is an icon of a game: a pictogram, an arrow, one of a font of its own; not a bullet or a bracket."""
    return unicodedata.category(sign) in ("So", "Co") or "\u2190" <= sign <= "\u21ff"


def fold(text: str) -> str:
    """Lower case without umlauts and accents, as people type on a phone: ``Zäh`` and ``Zaeh`` are one, ``più`` is ``piu``."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFC", text).lower().translate(_UMLAUTS)
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


@lru_cache(maxsize=50_000)
def plain(text: str) -> str:
    """`fold`, and umlauts that were typed out or left out are one too: ``Zäh``, ``Zaeh`` and ``Zah``."""
    return _TYPED_OUT.sub(lambda m: m.group()[0], fold(text))


@cache
def pipeline(language: str) -> Language:
    """spaCy's tokenizer and lookup lemmatizer for ``language``. Slow the first time, and brings torch: call it late."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spaCy warns about the GPU it does not find
        import spacy

        made = spacy.blank(language)
        made.add_pipe("lemmatizer", config={"mode": "lookup"})
        made.initialize()
    return made


@cache
def _table(language: str) -> Any:
    lemmatizer: Any = pipeline(language).get_pipe("lemmatizer")
    return lemmatizer.lookups.get_table("lemma_lookup")


@cache
def _lemmas(language: str) -> frozenset[str]:
    return frozenset(map(str, _table(language).values()))


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words of ``language`` so frequent that alone they mean nothing, folded."""
    return frozenset(map(fold, pipeline(language).Defaults.stop_words))


def known(word: str, language: str) -> bool:
    """Whether ``word`` is one that spaCy's tables for ``language`` have, in whatever case."""
    forms = (word, word.lower(), word.capitalize())
    return any(form in _table(language) or form in _lemmas(language) for form in forms)


def lemma(word: str, language: str) -> str:
    """The dictionary form of ``word``, itself where the tables do not have it."""
    table = _table(language)
    return str(table.get(word) or table.get(word.lower()) or word)


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    return Stemmer.Stemmer(_STEMMERS[language]).stemWord  # type: ignore[no-any-return]


@lru_cache(maxsize=100_000)
def stem(word: str, language: str) -> str:
    """``word`` without its endings, folded; German stems are the same with ``ä``, ``ae`` and ``a``."""
    return plain(_stemmer(language)(unicodedata.normalize("NFC", word).lower()))
