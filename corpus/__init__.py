"""Reads rulebooks: documents in, entries and passages out.

`read_folder` reads all rulebooks of a folder. For a single file::

    document = Document.from_bytes("regeln.txt", path.read_bytes())
    edition = identify(document)
    rulebook = read(document, edition)
    for passage in rulebook.passages:
        print(passage.entry, passage.lines, passage.display)
"""

from corpus.document import Document, UnreadableDocument, documents
from corpus.editions import identify
from corpus.folder import RulebookFolder, read_folder
from corpus.model import Edition, Entry, Kind, Passage, Role, Rulebook, Span
from corpus.read import ReaderError, read

__all__ = [
    "Document", "Edition", "Entry", "Kind", "Passage", "ReaderError", "Role", "Rulebook",
    "RulebookFolder", "Span", "UnreadableDocument", "documents", "identify", "read", "read_folder",
]  # fmt: skip
