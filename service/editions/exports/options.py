"""What a caller may choose of an exported comparison or term list, beside its format."""

from __future__ import annotations

from dataclasses import astuple, dataclass


@dataclass(frozen=True)
class ExportOptions:
    """Choices that formats know; a format that does not know one gives the same file with it."""

    language: str = "en"  # of a page for reading
    doubtful: bool = False  # with segments that may be no true translation, in what translators work with

    @property
    def key(self) -> tuple[str, ...]:
        """The choices as part of the name of a rendered file."""
        return tuple(map(str, astuple(self)))
