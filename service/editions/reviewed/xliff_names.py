"""Names in XLIFF 2.1 documents, as they are written and read back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from glossary.comparison.reviews import flat_text

XLIFF = "urn:oasis:names:tc:xliff:document:2.0"  # that of 2.1, too
METADATA = "urn:oasis:names:tc:xliff:metadata:2.0"
GLOSSARY = "urn:oasis:names:tc:xliff:glossary:2.0"
REVIEW_NOTE = "review"  # category of the note that a reviewer wrote
OWN = "regula"  # prefix of our sub-states and of the categories of our notes and metadata
UNIT_PREFIX = "u"  # an id begins with a letter, which some tools ask for


def text_hash(texts: Iterable[str]) -> str:
    """Return a hash of ``texts`` of segments, by which a unit that comes back is known to have them unaltered but for white space."""
    return hashlib.sha256(flat_text(" ".join(texts)).encode()).hexdigest()[:16]
