"""What is worked out once is kept, as much of it as was asked for."""

from __future__ import annotations

import pytest

from service.keeping import Kept


def test_the_oldest_goes_first_and_is_made_again_when_asked_for():
    kept: Kept[int] = Kept(most=2)
    made: list[str] = []

    def asked(name: str) -> int:
        return kept.get((name,), lambda: (made.append(name), len(made))[1])

    assert [asked(name) for name in "aabab"] == [1, 1, 2, 1, 2]
    assert asked("c") == 3
    assert (asked("b"), asked("a")) == (2, 4)
    assert made == ["a", "b", "c", "a"]


def test_what_fails_is_not_kept():
    kept: Kept[int] = Kept(most=1)
    with pytest.raises(ZeroDivisionError):
        kept.get(("a",), lambda: 1 // 0)
    assert kept.get(("a",), lambda: 7) == 7
