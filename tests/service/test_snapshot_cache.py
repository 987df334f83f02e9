import threading
from concurrent.futures import ThreadPoolExecutor, wait

from service.core.cache import SnapshotCache


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
