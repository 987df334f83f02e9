import threading
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from service.core.cache import SnapshotCache


def test_the_oldest_goes_first_and_is_made_again_when_asked_for():
    cache = SnapshotCache()
    made: list[str] = []

    def made_now(name):
        made.append(name)
        return len(made)

    def asked(name):
        return cache.get(("name", name), lambda: made_now(name), most=2)

    assert [asked(name) for name in "aabab"] == [1, 1, 2, 1, 2]
    assert asked("c") == 3
    assert (asked("b"), asked("a")) == (2, 4)
    assert made == ["a", "b", "c", "a"]


def test_what_fails_is_not_kept():
    cache = SnapshotCache()
    with pytest.raises(ZeroDivisionError):
        cache.get(("a",), lambda: 1 // 0)
    assert cache.get(("a",), lambda: 7) == 7


def test_all_who_ask_at_once_wait_for_one_computation():
    cache = SnapshotCache()
    may, made = threading.Event(), []

    def slow():
        made.append(object())
        may.wait(20)
        return made[-1]

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(cache.get, ("a",), slow) for _ in range(8)]
        assert cache.get(("b",), lambda: "another is not held up") == "another is not held up"
        assert not wait(asked, timeout=0.2).done
        may.set()
        assert {id(each.result(20)) for each in asked} == {id(made[0])}
    assert len(made) == 1


def test_a_failure_is_told_to_all_who_wait_and_not_to_who_comes_later():
    cache = SnapshotCache()
    may, made = threading.Event(), []

    def failing():
        made.append(1)
        may.wait(20)
        raise OSError("no room")

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(cache.get, ("a",), failing) for _ in range(4)]
        assert not wait(asked, timeout=0.2).done
        may.set()
        assert [str(each.exception(20)) for each in asked] == ["no room"] * 4
    assert len(made) == 1
    assert cache.get(("a",), lambda: "made") == "made"
