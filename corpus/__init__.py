"""Documents in, entries and passages out: everything that reads a rulebook's text."""

from corpus.document import Document, UnreadableDocument, documents
from corpus.editions import identify
from corpus.folder import RulebookFolder, read_folder
from corpus.model import Edition, Entry, Kind, Passage, Role, Rulebook, Span
from corpus.read import ReaderError, read

__all__ = [
    "Document", "Edition", "Entry", "Kind", "Passage", "ReaderError", "Role", "Rulebook", "RulebookFolder", "Span", "UnreadableDocument",
    "documents", "identify", "read", "read_folder",
]  # fmt: skip
