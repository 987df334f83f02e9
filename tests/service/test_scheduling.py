from threading import Event, Thread

from service.core.ask import TurnLock
from tests.timing import until


def test_whoever_goes_first_waits_for_one_turn_of_a_list_at_most():
    turns = TurnLock()
    order: list[str] = []
    begun, waiting = Event(), Event()

    def work_through_a_list():
        for number in range(20):
            with turns.turn(interactive=False):
                order.append("list")
                if number == 0:
                    begun.set()
                    waiting.wait(60)
                    until(lambda: turns._interactive)  # the other one waits for its turn

    def ask():
        waiting.set()
        with turns.turn():
            order.append("question")

    lister = Thread(target=work_through_a_list)
    lister.start()
    assert begun.wait(60)
    asker = Thread(target=ask)
    asker.start()
    lister.join(60)
    asker.join(60)
    assert order.index("question") == 1
    assert len(order) == 21
