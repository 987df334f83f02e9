"""Links from one file of a game to another: a folder of pages, or of texts in Markdown, that lead
to one another.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from urllib.parse import unquote

from corpus.blocks import Link
from corpus.model import Rulebook
from glossary.references.link_targets import LinkTargets


class LinkedFiles:
    """The files of the game of ``rulebook``, among the ``others``, by the names that links have for
    them.
    """

    def __init__(self, rulebook: Rulebook, others: Sequence[Rulebook]):
        self._own = set(_names(rulebook.document.file))
        self._files: dict[str, Rulebook] = {}
        self._targets: dict[str, LinkTargets] = {}
        beside = [
            other
            for other in others
            if other.document.folder and other.document.folder == rulebook.document.folder
        ]
        for number in (0, 1):  # full names come first
            for other in beside:
                self._files.setdefault(_names(other.document.file)[number], other)

    def entry(self, link: Link) -> str | None:
        """The entry of another file that ``link`` leads to: that of its anchor, else the first one;
        None where no file has its name.
        """
        name = linked_name(link)
        if not name or name in self._own:
            return None
        names = [
            *_names(name),
            *(["index"] if "/#" in f"{link.target}#" else []),
        ]  # what a folder of a site shows
        file = next((self._files[each] for each in names if each in self._files), None)
        if file is None or not file.entries:
            return None
        anchor = link.target.partition("#")[2]
        if not anchor:
            return file.entries[0].id
        if file.edition.id not in self._targets:
            self._targets[file.edition.id] = LinkTargets(file)
        return (
            self._targets[file.edition.id].exact(Link(link.span, f"#{anchor}"))
            or file.entries[0].id
        )


def linked_name(link: Link) -> str:
    """The name of the file that ``link`` leads to, in small letters; "" for a place in the same
    file, a page, or an address.
    """
    path = unquote(link.target.partition("#")[0].partition("?")[0])
    return (
        ""
        if ":" in path or path.startswith("//")
        else posixpath.basename(path.rstrip("/")).casefold()
    )


def _names(file: str) -> tuple[str, str]:
    """The name of ``file`` in small letters, and the same without its ending."""
    name = posixpath.basename(file).casefold()
    return name, posixpath.splitext(name)[0]
