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

    return LanguageDetectorBuilder.from_languages(Language.GERMAN, Language.ITALIAN, Language.ENGLISH).build()


def detect(text: str) -> str | None:
    """``de``, ``it`` or ``en``; None where the text gives no hint (numbers, names only)."""
    found = _detector().detect_language_of(text)
    return found.iso_code_639_1.name.lower() if found else None
