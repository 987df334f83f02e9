import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from service.ops.feedback import store as queues
from service.ops.feedback.recording import (
    FeedbackRecorder,
    feedback_recorder,
)
from service.ops.feedback.records import (
    FeedbackOrigin,
    Verdict,
    undone_record,
)
from service.ops.feedback.store import (
    FeedbackNotKept,
    FeedbackQueue,
    FeedbackStore,
)
from service.ops.settings import SettingError, Settings
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes, library
from tests.service.redis_server import RedisServer, redis_server
from tests.service.test_feedback import record

pytestmark = pytest.mark.acceptance

WAITING = "{regula-feedback}:waiting"


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis"), "hunter2") as found:
        yield found


@pytest.fixture
def server(running) -> RedisServer:
    with running.client() as client:
        client.flushall()
    return running


@pytest.fixture
def queue(server) -> FeedbackQueue:
    return FeedbackQueue(server.address)


@pytest.fixture
def store(tmp_path) -> FeedbackStore:
    return FeedbackStore(tmp_path)


def questions(store):
    read = store.read()
    assert read.notes == []
    return [each.question for each in read.records]


def fill(queue, share=1.0):
    for _ in range(100):
        queue.append(record("x"), share=share)


def test_what_servers_kept_is_collected_once_in_order(queue, store, server):
    other = FeedbackQueue(server.address)
    store.append(record("0"))
    for number in range(1, 2001):
        (queue, other)[number % 2].append(record(str(number)))
    assert [each.question for each in queue.read().records] == [
        str(number) for number in range(1, 2001)
    ]
    assert queue.collect_into(store) == 2000
    assert questions(store) == [str(number) for number in range(2001)]
    assert queue.collect_into(store) == 0
    assert queue.read().records == []


def test_a_record_goes_to_its_month_and_may_be_taken_back(queue, store):
    first, second = record("one"), record("two").model_copy(update={"day": "2031-06-01"})
    for each in (first, second, undone_record(first.id, FeedbackOrigin.PAGE)):
        queue.append(each)
    assert queue.collect_into(store) == 3
    assert [each.question for each in store.read().standing()] == ["two"]
    assert (store.folder / "2031-05.jsonl").read_bytes() == first.line()
    assert (store.folder / "2031-06.jsonl").read_bytes() == second.line()


@pytest.mark.parametrize("step", ["_take_in", "_write", "eval"])
@pytest.mark.parametrize("after", [False, True])
def test_killed_at_any_step_none_is_lost_and_none_is_there_twice(
    queue, store, step, after, monkeypatch, server
):
    monkeypatch.setattr(queues, "_BATCH", 10)
    store.append(record("0"))
    for number in range(1, 31):
        queue.append(record(str(number)))

    def killing(function):
        turns = iter(range(100))

        def call(*arguments, **named):
            due = next(turns) == 1  # the second batch
            if due and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            found = function(*arguments, **named)
            if due:
                os.kill(os.getpid(), signal.SIGKILL)
            return found

        return call

    child = os.fork()
    if child == 0:
        try:
            here = FeedbackQueue(server.address)
            if step == "eval":
                client = here._redis(queues._COLLECTING)
                monkeypatch.setattr(client, "eval", killing(client.eval))
            else:
                monkeypatch.setattr(store, step, killing(getattr(store, step)))
            here.collect_into(store)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    queue.collect_into(store)
    assert questions(store) == [str(number) for number in range(31)]


def test_half_a_batch_that_was_written_is_not_written_twice(queue, store):
    records = [record(str(number)) for number in range(4)]
    for each in records:
        queue.append(each)
    store.folder.mkdir()
    file = store.folder / "2031-05.jsonl"
    file.write_bytes(records[0].line() + records[1].line() + records[2].line()[:30])
    assert queue.collect_into(store) == 2
    read = store.read()
    assert [each.question for each in read.records] == ["0", "1", "2", "3"]
    assert len(read.notes) == 1  # the half line


def test_several_collect_at_once_while_servers_write(server, store):
    over = threading.Event()
    written: list[str] = []

    def write():
        queue = FeedbackQueue(server.address)
        for number in range(300):
            queue.append(record(str(number)))
            written.append(str(number))

    def collect():
        while not over.is_set():
            FeedbackQueue(server.address).collect_into(store)

    writers = [threading.Thread(target=write) for _ in range(3)]
    collectors = [threading.Thread(target=collect) for _ in range(3)]
    for thread in (*writers, *collectors):
        thread.start()
    for thread in writers:
        thread.join()
    over.set()
    for thread in collectors:
        thread.join()
    FeedbackQueue(server.address).collect_into(store)
    assert sorted(questions(store)) == sorted(written)


def test_what_is_no_record_is_passed_over_and_stays_in_nobodys_way(queue, store, server):
    with server.client() as client:
        client.rpush(WAITING, "rubbish\nin lines", b"\xff\xfe")
    queue.append(record("one"))
    assert [note.partition(":")[0] for note in queue.read().notes] == ["redis", "redis"]
    queue.collect_into(store)
    read = store.read()
    assert [each.question for each in read.records] == ["one"]
    assert len(read.notes) == 1
    assert queue.read() == ([], [])


def test_where_the_disk_refuses_all_goes_on_waiting(queue, store, monkeypatch):
    for number in range(3):
        queue.append(record(str(number)))

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(
            FeedbackNotKept, match=r"No space left on device.*; what waits is not collected"
        ):
            queue.collect_into(store)
    assert len(queue.read().records) == 3
    assert queue.collect_into(store) == 3
    assert questions(store) == ["0", "1", "2"]


def test_it_is_bounded_as_in_files_and_unanswered_questions_leave_room(server, store):
    queue = FeedbackQueue(server.address, most_bytes=2000)
    with pytest.raises(FeedbackNotKept, match="has the 1,000 bytes"):
        fill(queue, 0.5)
    half = len(queue.read().records)
    with pytest.raises(FeedbackNotKept, match="has the 2,000 bytes"):
        fill(queue)
    assert len(queue.read().records) > half > 0
    queue.collect_into(store)
    with pytest.raises(FeedbackNotKept):  # the month has had its share, wherever it is now
        queue.append(record("y"))
    queue.append(record("z").model_copy(update={"day": "2031-06-01"}))


def test_what_nobody_collects_is_bounded_too(server):
    queue = FeedbackQueue(server.address, most_records=10)
    with pytest.raises(FeedbackNotKept, match="10 records wait for 'regula feedback collect'"):
        fill(queue)
    assert len(queue.read().records) == 10


@pytest.mark.parametrize("end", ["kill", "hang"])
def test_without_redis_a_button_says_so_and_answers_go_on(tmp_path, end, caplog):
    said = {"question": "Flaute", "verdict": "miss"}
    with redis_server(tmp_path / "redis", "hunter2") as server:
        app = create_app(
            Indexes(Harbour(library())), Settings(feedback=True, feedback_storage=server.address)
        )
        client = app.test_client()
        assert client.post("/v1/feedback", json=said).status_code == 200
        getattr(server, end)()
        began = time.monotonic()
        refused = client.post("/v1/feedback", json=said)
        assert refused.status_code == 503
        assert "could not be kept" in refused.json["detail"]
        assert client.get("/v1/ask?q=etwas+ganz+anderes").status_code == 200
        assert time.monotonic() - began < 5
        errors = [each.getMessage() for each in caplog.records if each.name == "regula"]
        assert len(errors) == 1  # in a minute
        assert f"redis://***@127.0.0.1:{server.port}/0: cannot be reached" in errors[0]
        server.start() if end == "kill" else server.go_on()
        assert client.post("/v1/feedback", json=said).status_code == 200
        assert "hunter2" not in caplog.text
        kept = [
            each
            for each in FeedbackQueue(server.address).read().records
            if each.verdict is Verdict.MISS
        ]
        assert len(kept) >= 2  # what was acknowledged before Redis was killed is there again


def test_a_server_without_a_workspace_keeps_feedback(server):
    assert isinstance(
        feedback_recorder(Settings(feedback=True, feedback_storage=server.address)),
        FeedbackRecorder,
    )
    with pytest.raises(SettingError, match="no workspace"):
        feedback_recorder(Settings(feedback=True))


def test_every_command_on_feedback_collects_first(regula, home, server, monkeypatch):
    assert "feedback_storage is not set" in regula("feedback", "collect").err
    monkeypatch.setenv("REGULA_FEEDBACK_STORAGE", server.address)
    queue = FeedbackQueue(server.address)
    kept = record("Darf ich?")
    queue.append(kept)
    assert kept.id in regula("feedback").out
    queue.append(record("Und nun?"))
    assert regula("feedback", "collect").out == "1 records collected\n"
    last = record("Drop me")
    queue.append(last)
    assert regula("feedback", "drop", last.id).out == "dropped: Drop me\n"
    assert [each.question for each in FeedbackStore(home).read().standing()] == [
        "Darf ich?",
        "Und nun?",
    ]

    monkeypatch.setenv("REGULA_FEEDBACK_STORAGE", "redis://:hunter2@127.0.0.1:1/0")
    listed = regula("feedback")
    assert (listed.status, kept.id in listed.out) == (0, True)
    assert "cannot be reached" in listed.err
    refused = regula("feedback", "collect")
    assert refused.status == 1
    assert "hunter2" not in refused.err + listed.err


@pytest.mark.parametrize("said", ["http://x", "redis", "redis://", "memory://"])
def test_a_storage_that_cannot_be_is_told(said):
    with pytest.raises(ValueError, match="redis://"):
        Settings(feedback_storage=said)


def test_without_the_package_the_setting_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "redis", None)
    with pytest.raises(SettingError, match=r"feedback_storage: .*regula\[redis\]"):
        feedback_recorder(Settings(feedback=True, feedback_storage="redis://127.0.0.1"))
