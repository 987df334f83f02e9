"""What is worked out once is kept, as much as was asked for, whoever asks at the same time."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

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


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads take turns after every few steps, so that what can go wrong between them does."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("hurried")
def test_many_who_ask_at_once_each_get_their_own():
    kept: Kept[str] = Kept(most=1)

    def ask(seed: int) -> bool:
        names = random.Random(seed).choices("abc", k=5_000)
        return all(kept.get((name,), lambda name=name: name) == name for name in names)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(ask, range(8)))
