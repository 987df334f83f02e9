"""Language tags with a region, for tools that tell de-DE from de: which tag files have for a language is the owner's to say."""

from __future__ import annotations

import re

from corpus.errors import WrongUse
from service.core.i18n import N_, TranslatableText

# A language of ISO 639-1 and a region of ISO 3166-1 or UN M.49, as BCP 47 writes them, with a script between them where one is named.
_PAIR = re.compile(r"(?P<language>[a-z]{2})=(?P<tag>(?P=language)(?:-[A-Z][a-z]{3})?-(?:[A-Z]{2}|[0-9]{3}))")


class WrongRegions(WrongUse, ValueError):
    """A choice of regions that cannot be read; the message says what is expected."""


def parse_regions(text: str | None) -> tuple[tuple[str, str], ...]:
    """Return the tag of each language that ``text`` names, none without a text: ``de=de-DE,it=it-IT``.

    Raises `WrongRegions` where it cannot be read.
    """
    found: dict[str, str] = {}
    for part in text.split(",") if text is not None else ():
        pair = _PAIR.fullmatch(part.strip())
        if pair is None or pair["language"] in found:
            text = N_("%(part)s is not a language and its tag with a region; de=de-DE,it=it-IT would be two")
            raise WrongRegions(TranslatableText(text, {"part": repr(part.strip())}))
        found[pair["language"]] = pair["tag"]
    return tuple(found.items())
