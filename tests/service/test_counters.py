import os
import signal

import pytest

from service.core.metrics import SharedCounters


def forked(work):
    child = os.fork()
    if child == 0:
        work()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def counted(counters):
    return {key: values[0] for key, values in counters.totals()}


def test_what_killed_processes_counted_is_not_lost_and_counted_once():
    counters = SharedCounters(3)

    def work(slot):
        counters.use(slot)
        for _ in range(10):
            counters.add(("questions", "yes"), (0, 1.0))

    for round_ in range(1, 6):
        for slot in (1, 2):
            forked(lambda slot=slot: work(slot))
            assert counted(counters)[("questions", "yes")] == 20 * (round_ - 1) + 10 * slot
            counters.end(slot)
            assert counted(counters)[("questions", "yes")] == 20 * (round_ - 1) + 10 * slot


@pytest.mark.parametrize("number", [3000])
def test_more_rows_than_there_is_room_for_fail_no_request(number):
    counters = SharedCounters()
    for row in range(number):
        counters.add(("requests", str(row)), (0, 1.0))
    counters.add(("requests", "0"), (0, 1.0))
    assert counted(counters)[("requests", "0")] == 2
