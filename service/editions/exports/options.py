"""What a caller may choose of an exported comparison or term list, beside its format."""

from __future__ import annotations

from dataclasses import astuple, dataclass


@dataclass(frozen=True)
class ExportOptions:
    """Choices that formats know; a format that does not know one gives the same file with it."""

    language: str = "en"  # of a page for reading
    source: str | None = None  # the id of the edition that the others are shown beside
    regions: tuple[tuple[str, str], ...] = ()  # the tag that files for translation tools have for a language: ("de", "de-DE")

    @property
    def key(self) -> tuple[str, ...]:
        """The choices as part of the name of a rendered file."""
        return tuple(map(str, astuple(self)))

    def tag(self, language: str) -> str:
        """Return the tag of ``language`` in files for translation tools."""
        return dict(self.regions).get(language, language)
