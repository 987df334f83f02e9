"""Language data, in one YAML file per language: the only place with German, Italian or English
words.

To add a language, add a file here or in the folder named by the environment variable
``REGULA_LANGUAGES``. `LANGUAGES` are the codes of all languages in order of rank.
"""

from corpus.languages.detection import (
    detect,
    foreign_language,
    foreign_script,
    known_to_lingua,
    language_name,
    language_shares,
)
from corpus.languages.registry import (
    FALLBACK,
    LANGUAGES,
    LanguageCode,
    any_of,
    capitals,
    get_language,
    letters,
    transliteration,
    vocabulary,
    words_of,
)
from corpus.languages.schema import Language

__all__ = [
    "FALLBACK",
    "LANGUAGES",
    "Language",
    "LanguageCode",
    "any_of",
    "capitals",
    "detect",
    "foreign_language",
    "foreign_script",
    "get_language",
    "known_to_lingua",
    "language_name",
    "language_shares",
    "letters",
    "transliteration",
    "vocabulary",
    "words_of",
]
