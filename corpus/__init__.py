"""Documents in, entries and passages out: everything that reads a rulebook's text."""

from corpus.document import Document, Unreadable, documents
from corpus.editions import identify
from corpus.model import Edition, Entry, Kind, Passage, Role, Rulebook, Span
from corpus.read import ReaderFault, read
from corpus.shelf import Shelf, shelve

__all__ = [
    "Document", "Edition", "Entry", "Kind", "Passage", "ReaderFault", "Role", "Rulebook", "Shelf", "Span", "Unreadable",
    "documents", "identify", "read", "shelve",
]  # fmt: skip
