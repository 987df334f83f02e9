"""What a rule says, as one hash: by it a ruling tells that the rule it rests on has changed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from corpus.model import Passage, Role


def wording(passages: Iterable[Passage]) -> str:
    """The SHA-256 of the words of the ``passages`` of a rule, in order, however they are broken
    into lines; "" where there are none.
    """
    words = [
        word
        for each in passages
        if each.role is Role.TEXT
        for word in re.findall(r"\w+", each.text.casefold())
    ]
    return hashlib.sha256(" ".join(words).encode()).hexdigest() if words else ""
