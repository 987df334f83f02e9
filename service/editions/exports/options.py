"""What a caller may choose of an exported comparison or term list, beside its format."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from glossary.comparison.reviews import NO_REVIEWS, ReviewBook


@dataclass(frozen=True)
class ExportOptions:
    """Choices that formats know; a format that does not know one gives the same file with it."""

    language: str = "en"  # of a page for reading
    doubtful: bool = False  # with segments that may be no true translation, in what translators work with
    reviews: ReviewBook = field(default=NO_REVIEWS)  # what has been said of differences
    review: str = ""  # the value of a `ReviewStatus`: only what has it
    source: str | None = None  # the id of the edition that the others are shown beside
    regions: tuple[tuple[str, str], ...] = ()  # the tag that files for translation tools have for a language: ("de", "de-DE")

    @property
    def key(self) -> tuple[str, ...]:
        """The choices as part of the name of a rendered file."""
        return tuple(str(getattr(self, each.name)) for each in fields(self))

    def tag(self, language: str) -> str:
        """Return the tag of ``language`` in files for translation tools."""
        return dict(self.regions).get(language, language)
