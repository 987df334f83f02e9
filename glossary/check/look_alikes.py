"""Letters that a scan takes for each other."""

from __future__ import annotations

import unicodedata

from rapidfuzz.distance import Indel

# Each group has what looks alike in print; the pairs that programs for reading scans confuse most.
_GROUPS = (
    "rn m ni in nn", "ri n", "cl d", "li h", "vv w", "ii ü n u", "l i 1 j t f | !", "o 0 e c a", "u n v", "h b k", "s 5 8", "b 6 8 3",
    "g 9 q", "z 2 7", "ß b 8", "f ſ t", "fi h ﬁ", "fl ﬂ", "y v", "p o", "y g",
)  # fmt: skip
_ALIKE = frozenset(frozenset((one, other)) for group in _GROUPS for one in group.split() for other in group.split() if one != other)


def look_alike(printed: str, meant: str) -> bool:
    """Whether all that distinguishes ``printed`` from ``meant``, both in lower case, is letters that look alike, or their accents."""
    if printed == meant or not printed or not meant:
        return False
    if _bare(printed) == _bare(meant):
        return True
    blocks = Indel.opcodes(printed, meant).as_matching_blocks()
    before_a = before_b = 0
    for block in blocks:
        one, other = printed[before_a : block.a], meant[before_b : block.b]
        if (one or other) and frozenset((one, other)) not in _ALIKE and _bare(one) != _bare(other):
            return False
        before_a, before_b = block.a + block.size, block.b + block.size
    return True


def _bare(text: str) -> str:
    """``text`` without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
