import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psutil
import pytest

from index.building.snapshots import Snapshots
from service.ops.feedback.records import Verdict
from service.ops.feedback.store import FeedbackStore
from tests.conftest import ROOT
from tests.environment import without_settings
from tests.index.small_indexes import QUESTIONS, publish_copy
from tests.service.redis_server import RedisServer, redis_server
from tests.service.serving import PROGRAM, free_port, started
from tests.timing import until
from tests.trials.test_stale_index import published, ready

LIMIT = 30  # calls of an address in a minute
WORKERS = 2  # processes of a server
CLIENTS = 4
NGINX = """
daemon off;
worker_processes 2;
pid {folder}/pid;
error_log {folder}/error.log;
{user}
events {{ worker_connections 1024; }}
http {{
    log_format upstream '$status $upstream_addr $request_uri';
    access_log {folder}/access.log upstream;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {more}
    include {folder}/shipped.conf;
}}
"""


class Nginx:
    """nginx with the configuration ``name`` of deploy/nginx, in which only addresses and paths are
    replaced.
    """

    def __init__(self, folder, name, replaced):
        text = (ROOT / "deploy" / "nginx" / name).read_text(encoding="utf-8")
        for old, new in replaced.items():
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        folder.mkdir()
        (folder / "shipped.conf").write_text(text, encoding="utf-8")
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, port, more=""):
        """Start it, with ``more`` of a configuration around the shipped one, and wait until it
        listens at ``port``.
        """
        user = "user root;" if os.geteuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(
            NGINX.format(folder=self.folder, user=user, more=more), encoding="utf-8"
        )
        with (self.folder / "said").open("ab") as said:
            self._process = subprocess.Popen(
                [
                    "nginx",
                    "-p",
                    str(self.folder),
                    "-e",
                    str(self.folder / "error.log"),
                    "-c",
                    str(self.folder / "nginx.conf"),
                ],
                stdout=said,
                stderr=said,
            )

        def listens():
            assert self._process is not None
            assert self._process.poll() is None, (self.folder / "said").read_text()
            with suppress(OSError):
                http.client.HTTPConnection("127.0.0.1", port, timeout=5).connect()
                return True
            return False

        until(listens)

    def kill(self):
        """End all its processes at once."""
        if self._process is not None:
            kill(self._process)

    def upstreams(self):
        """How often each server was asked."""
        lines = (self.folder / "access.log").read_text(encoding="utf-8").splitlines()
        return Counter(
            address for line in lines for address in re.findall(r"127\.0\.0\.1:\d+", line)
        )


def kill(process):
    """End ``process`` and all that it has begun, at once."""
    with suppress(psutil.NoSuchProcess):
        children = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.kill()
    process.wait()


class Server:
    """A server that answers, and what pulls its indexes; with a folder of its own."""

    def __init__(self, folder, source, settings):
        folder.mkdir()
        self.snapshots = Snapshots(folder / "index")
        self.port = free_port()
        self.log = folder / "log"
        self.pulled = folder / "pulled"
        self._none = folder / "rulebooks"
        self._none.mkdir()
        self._source = source
        self._settings = settings
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self):
        """Start both, as the units do: the server waits for its first index."""
        log = self.log.with_name(f"log-{time.monotonic_ns()}")
        said = {
            "builds": False,
            "watch": 0.2,
            "workers": WORKERS,
            "trusted_proxies": 1,
            "port": self.port,
            **self._settings,
        }
        self.served = replace(
            started(self._none, self.snapshots.folder, log, **said), port=self.port
        )
        command = [
            sys.executable,
            "-c",
            PROGRAM,
            "index",
            "pull",
            self._source,
            "--every",
            "1",
            "--index",
            str(self.snapshots.folder),
        ]
        with self.pulled.open("ab") as file:
            puller = subprocess.Popen(
                command,
                cwd=ROOT,
                env=without_settings() | {"REGULA_BUILDS": "false"},
                stdout=file,
                stderr=file,
            )
        self._processes = [self.served.process, puller]

    def kill(self):
        """End all its processes at once, as if the machine were gone."""
        for process in self._processes:
            kill(process)

    def stop(self):
        """End it in order."""
        for process in self._processes:
            process.send_signal(signal.SIGTERM)
        for process in self._processes:
            process.wait(60)

    def serves(self, id=None):
        """Whether all its processes are there and answer, from the index ``id``."""
        with suppress(OSError, psutil.Error):
            found = [ready(self.served)["index"] for _ in range(5 * WORKERS)]
            return len(self.served.workers()) == WORKERS and (id is None or set(found) == {id})
        return False

    def logs(self):
        """The log of the last start, and that of pulling."""
        return self.served.log.read_text() + self.pulled.read_text()


@dataclass
class Answer:
    """What a client got: status 0 where nothing whole came back."""

    what: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    fault: str = ""

    def json(self):
        return json.loads(self.body)


@dataclass
class Client:
    """Somebody who calls over ``port``, from the address ``source``, with a ``key`` or none."""

    port: int
    key: str = ""
    source: str = "127.0.0.1"
    said: Mapping[str, str] = field(default_factory=dict)
    connection: http.client.HTTPConnection | None = None

    def call(self, path, data=None):
        """GET ``path``, or POST ``data`` there. A connection that was closed while nothing was
        asked is opened again, as browsers do.
        """
        method = "GET" if data is None else "POST"
        headers = {
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {self.key}"} if self.key else {}),
            **self.said,
        }
        for _ in range(2):
            fresh = self.connection is None
            if self.connection is None:
                self.connection = http.client.HTTPConnection(
                    "127.0.0.1", self.port, timeout=40, source_address=(self.source, 0)
                )
            try:
                self.connection.request(
                    method, path, None if data is None else json.dumps(data), headers
                )
                response = self.connection.getresponse()
                return Answer(
                    f"{method} {path}",
                    response.status,
                    {k.lower(): v for k, v in response.getheaders()},
                    response.read(),
                )
            except (OSError, http.client.HTTPException) as error:
                self.connection.close()
                self.connection = None
                fault = f"{type(error).__name__}: {error}"
                if fresh or not isinstance(error, http.client.RemoteDisconnected):
                    break
        return Answer(f"{method} {path}", 0, fault=fault)


class Load:
    """Clients that call what changes nothing, by GET and by POST, until the end of the block."""

    def __init__(self, cluster):
        self.answers: list[Answer] = []
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(cluster, number), daemon=True)
            for number in range(CLIENTS)
        ]

    def _run(self, cluster, number):
        client = Client(cluster.port, cluster.key)
        for turn in count():
            text = f"{QUESTIONS[turn % len(QUESTIONS)]} {number}-{turn}"
            kinds = (
                (f"/v1/ask?q={quote(text)}&fields=evidence", None),
                ("/v1/ask", {"question": text, "fields": "evidence"}),
                ("/v1/verify", {"text": text}),
                ("/", None),
            )
            self.answers.append(client.call(*kinds[turn % 4]))
            if self._over.wait(0.02):
                return

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        for thread in self._threads:
            thread.join(45)

    def wait(self, number):
        """Wait until so many more answers came."""
        before = len(self.answers)
        until(lambda: len(self.answers) >= before + number, 300)

    def assert_all_answered(self, indexes):
        """Fail unless every call was answered, and every answer is of one of ``indexes``; a check
        of a text may be told to come back.

        That is what docs/operating.md says of the seconds after a publication.
        """
        assert len(self.answers) > 50
        failed = [answer for answer in self.answers if answer.status != 200]
        come_back = [
            answer
            for answer in failed
            if answer.status == 503 and answer.what.endswith("/v1/verify")
        ]
        assert [
            (answer.what, answer.status, answer.fault, answer.body)
            for answer in failed
            if answer not in come_back
        ] == []
        assert all("retry-after" in answer.headers for answer in come_back)
        assert len(come_back) < len(self.answers) / 10
        assert {
            answer.json()["index"] for answer in self.answers if "/v1/ask" in answer.what
        } <= indexes


@dataclass
class Cluster:
    """All parts: the folder of the machine that builds, what gives it out, Redis, two servers, what
    is in front at ``port``.
    """

    folder: Path
    twins: Path
    builder: Snapshots
    given: Nginx
    given_port: int
    redis: RedisServer
    servers: tuple[Server, Server]
    front: Nginx
    port: int
    key: str

    def client(self, source=""):
        """A client with the key, or one without from the address ``source``."""
        return Client(self.port, source=source) if source else Client(self.port, self.key)

    def publish(self, number):
        """Publish one of two indexes on the machine that builds."""
        return publish_copy(self.builder, published(self.twins / f"index{number}"))

    def current(self):
        return str(self.builder.current())

    def until_all_serve(self):
        """Wait until both servers answer from what is published, and nginx asks both."""
        id = self.current()
        for server in self.servers:
            until(partial(server.serves, id), 300, server.logs)
        client = self.client()

        def both():
            before = self.front.upstreams()
            assert all(client.call("/healthz").status == 200 for _ in range(10))
            return len(self.front.upstreams() - before) == 2

        until(both, told=self.logs)

    def logs(self):
        return "\n".join(server.logs()[-2000:] for server in self.servers)

    def regula(self, *arguments):
        """What a command on the machine with the workspace prints."""
        variables = {
            "REGULA_HOME": str(self.folder / "home"),
            "REGULA_FEEDBACK_STORAGE": self.redis.address,
        }
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=ROOT,
            env=without_settings() | variables,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def _cluster(folder, twins):
    keys = folder / "keys.toml"
    made = subprocess.run(
        [sys.executable, "-c", PROGRAM, "keys", "new", "load"],
        cwd=ROOT,
        env=without_settings() | {"REGULA_KEYS": str(keys)},
        capture_output=True,
        text=True,
    )
    (key,) = re.findall(r"regula_\S+", made.stdout)
    builder = Snapshots(folder / "builder")
    port, given_port = free_port(), free_port()
    where = {
        "listen 8081;\n    # Over": f"listen 127.0.0.1:{given_port};\n    # Over",
        "root /var/lib/regula;": f"root {builder.folder};",
    }
    given = Nginx(
        folder / "given", "indexes.conf", {**where, "allow 10.0.0.11;": "allow 127.0.0.1;"}
    )
    with redis_server(folder / "redis", "hunter2") as redis:
        shared = {
            "rate_storage": redis.address,
            "feedback": True,
            "feedback_storage": redis.address,
        }
        limits = {"rate_limit": f"{LIMIT}/minute", "key_rate_limit": "1000000/minute", "keys": keys}
        first, second = (
            Server(folder / name, f"http://127.0.0.1:{given_port}/", {**shared, **limits})
            for name in ("one", "two")
        )
        addresses = {
            f"10.0.0.1{number}:8080": f"127.0.0.1:{server.port}"
            for number, server in ((1, first), (2, second))
        }
        front = Nginx(
            folder / "front",
            "front.conf",
            {**addresses, "listen 80 default_server;": f"listen 127.0.0.1:{port} default_server;"},
        )
        found = Cluster(
            folder, twins, builder, given, given_port, redis, (first, second), front, port, key
        )
        try:
            found.publish(0)
            given.start(given_port)
            for server in found.servers:
                server.start()
            front.start(port)
            for server in found.servers:
                until(server.serves, 600, server.logs)
            yield found
        finally:
            for part in (front, given, *found.servers):
                part.kill()


@pytest.fixture(scope="module")
def running(tmp_path_factory, twins_folder) -> Iterator[Cluster]:
    if shutil.which("nginx") is None:
        pytest.skip("nginx is not here (Debian: apt-get install nginx-light)")
    with _cluster(tmp_path_factory.mktemp("several"), twins_folder) as found:
        found.regula("init", str(found.folder / "home"))
        yield found


@pytest.fixture
def cluster(running) -> Cluster:
    running.until_all_serve()
    return running


def test_what_one_machine_builds_all_servers_serve_and_no_request_fails(cluster):
    before = cluster.current()
    with Load(cluster) as load:
        load.wait(50)
        place, books = str(cluster.builder.folder), str(cluster.twins / "books" / "other")
        new = cluster.regula("build", "--if-needed", "--rulebooks", books, "--index", place).strip()
        begun = time.monotonic()
        assert (cluster.current(), new == before) == (new, False)
        cluster.until_all_serve()
        print(f"published on both servers {time.monotonic() - begun:.1f} s after the build")
        load.wait(50)
        again = cluster.publish(0)
        cluster.until_all_serve()
        load.wait(50)
    load.assert_all_answered({before, new, again})
    assert {server.snapshots.current() for server in cluster.servers} == {again}
    print(f"{len(load.answers)} requests")


@pytest.mark.trial
def test_nobody_notices_that_a_server_ends_and_comes_back(cluster):
    before = cluster.current()
    with Load(cluster) as load:
        for number, (server, end) in enumerate(
            zip(cluster.servers, (Server.kill, Server.stop), strict=True)
        ):
            load.wait(50)
            end(server)
            load.wait(100)
            cluster.publish(number)  # which it takes up when it is back
            server.start()
            cluster.until_all_serve()
    load.assert_all_answered({before, *cluster.builder.all()})
    print(f"{len(load.answers)} requests")


def test_where_no_server_is_left_that_is_said_and_when_to_come_back(cluster):
    for server in cluster.servers:
        server.kill()
    try:
        for answer in [
            cluster.client().call("/v1/ask?q=x"),
            cluster.client().call("/v1/ask", {"question": "x"}),
        ]:
            assert (answer.status, answer.headers.get("retry-after")) == (503, "5")
            assert answer.headers["content-type"].startswith("application/problem+json")
            assert answer.json()["status"] == 503
    finally:
        for server in cluster.servers:
            server.start()
        for server in cluster.servers:
            until(server.serves, 300, server.logs)
    until(lambda: cluster.client().call("/v1/ask?q=x").status == 200)


def test_limits_are_counted_over_all_servers_and_hold_in_each_while_redis_is_away(cluster):
    def statuses(client, number):
        return Counter(client.call(f"/v1/ask?q={turn}").status for turn in range(number))

    def counts_together(address):
        before = cluster.front.upstreams()
        assert statuses(cluster.client(address), LIMIT + 10) == {200: LIMIT, 429: 10}
        assert len(cluster.front.upstreams() - before) == 2
        for server in cluster.servers:  # each knows what the other has counted
            refused = Client(server.port, said={"X-Forwarded-For": address}).call("/v1/ask?q=x")
            assert (refused.status, "retry-after" in refused.headers) == (429, True)

    counts_together("127.0.0.21")
    with Load(cluster) as load:
        load.wait(50)
        cluster.redis.kill()
        begun = len(load.answers)
        load.wait(100)
        alone = statuses(cluster.client("127.0.0.22"), 2 * WORKERS * LIMIT + 10)
        assert set(alone) == {200, 429}
        assert alone[200] <= 2 * WORKERS * LIMIT
        during = len(load.answers) - begun
        cluster.redis.start()
        time.sleep(3)  # a process asks again two seconds after it was away
        load.wait(50)
    load.assert_all_answered({cluster.current()})
    said = "".join(server.served.log.read_text() for server in cluster.servers)
    assert re.search("the counts of calls at [^ ]+ cannot be reached", said)
    assert re.search("the counts of calls at [^ ]+ can be reached again", said)
    assert "hunter2" not in said
    print(f"{during} requests without Redis")
    counts_together("127.0.0.23")


def test_feedback_that_was_acknowledged_on_any_server_is_collected_once(cluster):
    acknowledged: list[str] = []

    def give(client, question):
        answer = client.call("/v1/feedback", {"question": question, "verdict": "miss"})
        if answer.status == 200:
            acknowledged.append(question)
        return answer

    direct = [Client(server.port, cluster.key) for server in cluster.servers]
    for number in range(10):
        for client in (*direct, cluster.client()):
            assert give(client, f"Frage {number} über {client.port}").status == 200
    cluster.redis.kill()
    for client in (*direct, cluster.client()):
        refused = give(client, f"Frage ohne Redis über {client.port}")
        assert (
            refused.status,
            "could not be kept" in refused.json()["detail"],
            "retry-after" in refused.headers,
        ) == (503, True, True)
    cluster.redis.start()

    first = cluster.servers[0]
    unsure: list[
        str
    ] = []  # whether a server that ends has kept what it could not acknowledge is not known
    over = threading.Event()

    def go_on():
        client = cluster.client()
        for number in count():
            answer = give(client, f"Frage {number} während ein Server endet")
            if answer.status != 200:
                assert (answer.status, answer.headers.get("retry-after")) == (503, "5"), answer
                unsure.append(f"Frage {number} während ein Server endet")
            if over.wait(0.02):
                return

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    time.sleep(1)
    first.kill()
    collected = int(cluster.regula("feedback", "collect").split()[0])
    first.start()
    until(first.serves, 300, first.logs)
    over.set()
    thread.join(60)
    collected += int(cluster.regula("feedback", "collect").split()[0])
    assert cluster.regula("feedback", "collect").split()[0] == "0"

    read = FeedbackStore(cluster.folder / "home").read()
    assert read.notes == []
    kept = [record.question for record in read.records if record.verdict is Verdict.MISS]
    assert collected >= len(kept) >= len(acknowledged) > 60
    assert Counter(kept) - Counter(unsure) == Counter(acknowledged)
    print(
        f"{len(acknowledged)} acknowledged, {len(unsure)} refused while a server ended, "
        f"{len(kept)} kept"
    )


@pytest.mark.trial
def test_a_new_server_whose_source_goes_away_while_it_pulls_serves_once_that_is_back(cluster):
    new = cluster.servers[1]
    before = cluster.current()
    with Load(cluster) as load:
        load.wait(50)
        new.kill()
        shutil.rmtree(new.snapshots.folder)
        new.pulled.unlink()
        cluster.given.kill()
        cluster.given.start(cluster.given_port, "limit_rate 100k;")
        new.start()

        def pulled():
            return sum(
                path.stat().st_size for path in new.snapshots.folder.rglob("*") if path.is_file()
            )

        until(lambda: pulled() > 200_000, 60, new.logs)
        assert new.snapshots.current() is None
        cluster.given.kill()
        until(
            lambda: (
                f"127.0.0.1:{cluster.given_port}"
                in new.pulled.read_text().partition("the others are here")[2]
            ),
            90,
            new.logs,
        )
        assert new.snapshots.current() is None
        assert not new.serves()
        after = cluster.publish(1)  # while nobody can pull it
        load.wait(50)
        assert cluster.servers[0].snapshots.current() == before
        cluster.given.start(cluster.given_port)
        cluster.until_all_serve()
    load.assert_all_answered({before, after})
    assert [server.snapshots.current() for server in cluster.servers] == [after, after]
    print(f"{len(load.answers)} requests")


def test_without_what_is_in_front_nothing_is_lost_and_it_works_again_at_once(cluster):
    cluster.front.kill()
    assert cluster.client().call("/healthz").status == 0
    assert all(server.serves() for server in cluster.servers)
    cluster.front.start(cluster.port)
    assert (
        cluster.client().call(f"/v1/ask?q={quote(QUESTIONS[0])}&fields=evidence").json()["index"]
        == cluster.current()
    )
