import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from index.building.snapshots import (
    FORMAT,
    MANIFEST,
    NotWritable,
    Pointer,
    Snapshots,
    file_digest,
)
from index.library.former_entries import FormerEntries, FormerEntry
from index.library.former_words import FormerWords
from service.cli import main
from service.cli.common import index_manager
from service.ops import pulling, settings
from service.ops import pulling as sources
from service.ops.indexes import NoIndex
from service.ops.pulling import (
    NoPublishedIndex,
    PullFailed,
    SourceFault,
    WebSource,
    index_source,
    pull,
)
from service.ops.settings import load
from tests.environment import without_settings
from tests.index.small_indexes import ROOT, indexes, publish_copy
from tests.service.index_server import IndexServer, index_server
from tests.timing import until

pytestmark = pytest.mark.acceptance

BIG = os.urandom(300_000)


def publish(snapshots, id, **files):
    """Publish a snapshot of three files, one of which is always another."""
    content = {"big": BIG, "in a folder/ä ö#?.pdf": b"document", "own": id.encode(), **files}
    with snapshots.building() as place:
        for name, written in content.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(written)
        hashes = {name: file_digest(place / name) for name in content}
        (place / MANIFEST).write_text(json.dumps({"id": id, "format": FORMAT, "files": hashes}))
        snapshots.publish(place, id)


@pytest.fixture
def builder(tmp_path) -> Snapshots:
    """Where indexes are built, with one that is published."""
    snapshots = Snapshots(tmp_path / "builder")
    publish(snapshots, "1")
    return snapshots


@pytest.fixture
def here(tmp_path, monkeypatch) -> Snapshots:
    """Where indexes are pulled to; whether they can be opened is not looked at."""
    monkeypatch.setattr(pulling, "_check", lambda *_: None)
    monkeypatch.setattr(sources, "_PAUSES", (0.0, 0.0, 0.0, 0.0))
    monkeypatch.setenv("HOME", str(tmp_path))
    return Snapshots(tmp_path / "here")


@pytest.fixture
def server(builder) -> Iterator[IndexServer]:
    with index_server(builder.folder) as found:
        yield found


@pytest.fixture(params=["folder", "address"])
def source(request, builder) -> str:
    return (
        str(builder.folder)
        if request.param == "folder"
        else request.getfixturevalue("server").address
    )


def says(path, id):
    return path.read_text().endswith(f"{id}\n")


def left(snapshots):
    """What is in a folder besides indexes."""
    return {path.name for path in snapshots.folder.iterdir()} - set(snapshots.all())


def test_what_is_published_there_is_published_here_and_only_what_is_new_is_taken(
    builder, here, source
):
    said: list[str] = []
    assert pull(here, index_source(source), report=said.append) == "1"
    assert here.pointer() == Pointer("1", pulled=True)
    here.verify("1")
    assert pull(here, index_source(source), report=said.append) is None
    assert "index 1 is the published one already" in said
    publish(builder, "2")
    assert pull(here, index_source(source), report=said.append) == "2"
    assert here.pointer() == Pointer("2", pulled=True, after="1")
    here.verify("2")
    assert [line for line in said if line.startswith("pulling "
                                                     "2")] == ["pulling 2 from "
                                                               f"{index_source(source).name}: "
                                                                       "1 of its 3 files, the "
                                                                       "others are "
                                                                       "here"]  # fmt: skip
    assert left(here) == {".lock", "current"}


def test_going_back_there_goes_back_here_without_taking_anything(builder, here, server):
    pull(here, index_source(server.address))
    publish(builder, "2")
    pull(here, index_source(server.address))
    builder.pin("1")
    server.asked.clear()
    assert pull(here, index_source(server.address)) == "1"
    assert here.pointer() == Pointer("1", pulled=True, after="2")
    assert server.files() == []


def test_an_index_gone_back_to_here_serves_until_there_is_another_one(builder, here, source):
    said: list[str] = []
    pull(here, index_source(source))
    publish(builder, "2")
    pull(here, index_source(source))
    here.pin("1")
    assert pull(here, index_source(source), report=said.append) is None
    assert "index 1 was rolled back to here" in said[-1]
    assert "'regula rollback 2'" in said[-1]
    publish(builder, "3")
    assert pull(here, index_source(source)) == "3"


@pytest.mark.parametrize("ranges", [True, False])
def test_a_connection_that_ends_early_is_taken_up_where_it_ended(here, server, ranges):
    server.ranges = ranges
    server.cut = 3
    pull(here, index_source(server.address))
    here.verify("1")
    assert server.cut == 0
    whole = sum(path.stat().st_size for path in here.path("1").rglob("*") if path.is_file())
    assert (server.sent < whole + 5000) == ranges


def test_a_server_that_is_busy_for_a_moment_is_asked_again(here, server):
    server.refuse = 4
    assert pull(here, index_source(server.address)) == "1"


FAILURES: dict[str, tuple[dict[str, Any], str]] = {
    "always cut off": ({"cut": 1000, "ranges": False}, "the connection ended early"),
    "always busy": ({"refuse": 1000}, "status 503"),
    "no lengths": ({"lengths": False}, "its length is not said"),
    "altered": ({"lies": {"/2/own": b"3"}}, "2/own is not the file that its manifest lists"),
    "truncated": ({"lies": {"/2/own": b""}}, "2/own is not the file that its manifest lists"),
    "manifest cut off": ({"lies": {"/2/manifest.json": b'{"files": {"a'}}, "no readable manifest"),
    "manifest of another": (
        {"lies": {"/2/manifest.json": b'{"id": "7", "format": %d, "files": {}}' % FORMAT}},
        "is that of 7",
    ),
    "manifest without hashes": (
        {"lies": {"/2/manifest.json": b'{"format": %d, "files": {"own": "x"}}' % FORMAT}},
        "no hash",
    ),
    "another format": (
        {"lies": {"/2/manifest.json": b'{"format": 999, "files": {}}'}},
        "format 999",
    ),
    "no folder of indexes": (
        {"lies": {"/current": b"<!doctype html>\n<p>Welcome"}},
        "names no index",
    ),
    "a name that leads elsewhere": ({"lies": {"/current": b"../../etc\n"}}, "names no index"),
    "a page without an end": ({"lies": {"/current": b"x" * 5000}}, "more than 1,000 bytes"),
}


@pytest.mark.parametrize("way", FAILURES)
def test_whatever_is_wrong_is_told_in_a_line_and_nothing_changes(builder, here, server, way):
    pull(here, index_source(server.address))
    publish(builder, "2", big=os.urandom(300_000))
    fails, told = FAILURES[way]
    for name, value in fails.items():
        setattr(server, name, value)
    with pytest.raises((PullFailed, SourceFault)) as raised:
        pull(here, index_source(server.address))
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)
    assert here.pointer() == Pointer("1", pulled=True)
    assert here.all() == ["1"]
    here.verify("1")
    assert left(here) == {".lock", "current"}


NAMES = ["../2/x", "/etc/passwd", "a/../../x", "", ".", "./x", "a//b", "a/", MANIFEST, "\x00"]


@pytest.mark.parametrize("name", NAMES)
def test_names_in_a_manifest_are_not_trusted(builder, here, server, name):
    server.lies["/1/manifest.json"] = json.dumps(
        {"format": FORMAT, "files": {"own": builder.hashes("1")["own"], name: "0" * 64}}
    ).encode()
    with pytest.raises(PullFailed, match="which is no file of it"):
        pull(here, index_source(server.address))
    assert server.files() == []
    assert here.all() == []


@pytest.mark.parametrize("harm", ["altered", "missing", "gone"])
def test_a_file_that_was_damaged_here_is_taken_again_and_never_copied(builder, here, source, harm):
    pull(here, index_source(source))
    big = here.path("1") / "big"
    big.chmod(0o644)
    if harm == "altered":
        time.sleep(0.02)
        big.write_bytes(BIG[:-1] + bytes([BIG[-1] ^ 1]))
    elif harm == "missing":
        big.unlink()
    else:
        shutil.rmtree(here.path("1"))
    publish(builder, "2")
    assert pull(here, index_source(source)) == "2"
    here.verify("2")
    builder.pin("1")
    assert pull(here, index_source(source)) == "1"
    here.verify("1")
    assert left(here) == {".lock", "current"}


def test_the_published_index_is_mended_where_it_was_damaged(here, source):
    pull(here, index_source(source))
    big = here.path("1") / "big"
    big.chmod(0o644)
    time.sleep(0.02)
    big.write_bytes(b"half")
    assert pull(here, index_source(source)) == "1"
    here.verify("1")
    assert here.pointer() == Pointer("1", pulled=True)


def test_what_is_published_and_removed_there_meanwhile_begins_anew(builder, here, server):
    publish(builder, "2")
    said: list[str] = []

    def publish_another(path):
        if path == "/2/own":
            for id in "345":
                publish(builder, id)

    server.before = publish_another
    assert pull(here, index_source(server.address), report=said.append) == "5"
    here.verify("5")
    assert here.all() == ["5"]
    assert f"{server.address}/ has published another index meanwhile" in said


def test_a_file_that_the_published_index_lacks_there_is_named(builder, here, source):
    (builder.path("1") / "own").unlink()
    with pytest.raises(
        PullFailed, match="1/own: is not there, although its index is the published one"
    ):
        pull(here, index_source(source))
    assert left(here) == {".lock"}


def test_a_server_that_is_not_there_or_says_nothing_is_given_up(tmp_path, here, server):
    server.silent = threading.Event()
    began = time.monotonic()
    with pytest.raises(SourceFault, match="it does not answer in time"):
        pull(here, WebSource(server.address, timeout=0.1))
    assert time.monotonic() - began < 60  # not for ever
    server.silent.set()
    with index_server(tmp_path) as gone:
        pass
    with pytest.raises(SourceFault, match="refused"):
        pull(here, index_source(gone.address))
    assert not here.folder.exists()


def test_a_full_disk_is_told_and_nothing_of_it_stays(here, source, monkeypatch):
    if source.startswith("http"):
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
        with pytest.raises(SourceFault, match="0 MB are free here"):
            pull(here, index_source(source))
    else:
        child = os.fork()  # the limit holds for good
        if child == 0:
            status = 1
            try:
                import resource

                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
                pull(here, index_source(source))
            except NotWritable as fault:
                status = 0 if "no room" in str(fault) else 2
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert left(here) <= {".lock"}
    assert here.all() == []


# ---- who may


SECRET = "s3cret:p@ss/?#"


def test_a_user_and_a_password_of_the_address_or_of_netrc_let_in(tmp_path, here, server):
    server.login = f"puller:{SECRET}"
    said = server.address.replace("//", "//puller:s3cret%3Ap%40ss%2F%3F%23@")
    assert index_source(said).name == f"{server.address}/"
    assert pull(here, index_source(said)) == "1"
    (tmp_path / ".netrc").write_text(f'machine 127.0.0.1 login puller password "{SECRET}"\n')
    (tmp_path / ".netrc").chmod(0o600)
    shutil.rmtree(here.folder)
    assert pull(here, index_source(server.address)) == "1"


def test_no_message_has_the_password(tmp_path, here, server):
    server.login = "somebody:else"
    said: list[str] = []
    with index_server(tmp_path) as other:
        addresses = [
            server.address,
            other.address,
            f"{server.address}/?x=1",
            f"{server.address}:x",
            "http://[::1",
            f"{server.address}/#x",
        ]
    for address in [*addresses, "ftp://127.0.0.1/x", "/nowhere", "127.0.0.1/x"]:
        scheme, found, rest = address.partition("//")
        with pytest.raises((SourceFault, NoPublishedIndex, PullFailed)) as raised:
            pull(
                here,
                index_source(
                    f"{scheme}{found}user:hunter2@{rest}" if found else f"user:hunter2@{address}"
                ),
                report=said.append,
            )
        assert "hunter2" not in str(raised.value), address
    assert "hunter2" not in "".join(said)
    with pytest.raises(SourceFault, match=r"not given to this machine \(status 401\)"):
        pull(here, index_source(server.address))


def test_a_damaged_netrc_is_told(tmp_path, here, server):
    (tmp_path / ".netrc").write_text("machine hunter2 password\n")
    with pytest.raises(NoPublishedIndex, match=r"~/\.netrc: cannot be read"):
        pull(here, index_source(server.address))


def test_a_few_redirects_are_followed_and_a_stranger_is_not_told_the_password(
    tmp_path, builder, here, server
):
    with index_server(tmp_path) as front:
        said = front.address.replace("//", "//puller:hunter2@")
        front.redirect = lambda path: server.address + path
        assert pull(here, index_source(said)) == "1"
        assert set(front.logins) == {"Basic cHVsbGVyOmh1bnRlcjI="}
        assert set(server.logins) == {None}

        shutil.copytree(builder.folder, tmp_path / "new")
        shutil.rmtree(here.folder)
        front.login = "puller:hunter2"
        front.redirect = lambda path: None if path.startswith("/new/") else "/new" + path
        assert pull(here, index_source(said)) == "1"

        publish(builder, "2")
        front.redirect = lambda path: path
        with pytest.raises(SourceFault, match="leads elsewhere"):
            pull(here, index_source(said))
        for to in ("ftp://127.0.0.1/x", "file:///etc/passwd", "//"):
            front.redirect = partial(lambda to, _: to, to)
            with pytest.raises(SourceFault):
                pull(here, index_source(said))


@pytest.mark.parametrize(
    "said", ["", "ftp://builder/indexes", "nowhere", "http://", "https://:80/", "http://x/?a=b"]
)
def test_what_is_no_source_is_told(tmp_path, here, said, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((NoPublishedIndex, PullFailed)):
        pull(here, index_source(said))


def test_a_folder_is_not_pulled_into_itself(builder):
    with pytest.raises(PullFailed, match="is the folder that would be pulled into"):
        pull(Snapshots(builder.folder / "x" / ".."), index_source(str(builder.folder)))


def test_a_build_or_another_pull_is_waited_for(here, source):
    with here.building(), pytest.raises(PullFailed, match="--wait"):
        pull(here, index_source(source))
    said: list[str] = []
    began = threading.Event()

    def build():
        with here.building():
            began.set()
            until(lambda: said)  # the other one waits
            time.sleep(0.2)

    thread = threading.Thread(target=build)
    thread.start()
    began.wait()
    assert pull(here, index_source(source), wait=30, report=said.append) == "1"
    assert "a build or another pull is under way; waiting for it" in said
    thread.join()


def test_two_pulls_at_once_take_an_index_once(builder, here, server):
    found: list[str | None] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(
                pull(Snapshots(here.folder), index_source(server.address), wait=30)
            )
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, found)) == ["1", "None", "None"]
    assert len(server.files()) == len(builder.files("1"))


# ---- real indexes


def run(*arguments, **variables):
    command = [sys.executable, "-c", "from service.cli import main; main()", *arguments]
    environment = without_settings() | variables
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def test_a_pulled_index_answers_whatever_rulebooks_are_here(twins, tmp_path):
    there = Snapshots(tmp_path / "there")
    id = publish_copy(there, twins.built[0])
    place = str(tmp_path / "here")
    done = run("index", "pull", str(there.folder), "--index", place)
    assert (done.returncode, done.stdout.strip()) == (0, id), done.stderr
    asked = run("ask", "Wann sinkt ein Kahn?", "--json", "--index", place)
    assert asked.returncode == 0, asked.stderr
    assert json.loads(asked.stdout)["index"] == id
    assert "sample" not in asked.stderr
    with_others = run(
        "ask",
        "Wann sinkt ein Kahn?",
        "--json",
        "--index",
        place,
        "--rulebooks",
        str(twins.books[1]),
    )
    assert json.loads(with_others.stdout)["index"] == id
    assert "was pulled and serves, whatever the rulebooks are now" in with_others.stderr
    listed = json.loads(run("indexes", "--json", "--index", place).stdout)
    assert [(row["id"], row["current"], row["pinned"], row["pulled"]) for row in listed] == [
        (id, True, False, True)
    ]
    assert "pulled from where it was built" in run("indexes", "--index", place).stdout
    assert run("build", "--if-needed", "--index", place).stdout.strip() == id


@pytest.fixture
def without_rulebooks(tmp_path, monkeypatch):
    """Nobody's rulebooks are in any of the usual folders; what would the sample be is empty, so
    that nothing can be built of it.
    """
    monkeypatch.delenv("REGULA_RULEBOOKS", raising=False)
    monkeypatch.setattr(
        settings,
        "USUAL",
        SimpleNamespace(
            sample=tmp_path, find_rulebooks=lambda: tmp_path, index_of=lambda _: tmp_path
        ),
    )


@pytest.mark.parametrize("builds", ["true", "false"])
def test_a_pulled_index_is_not_taken_for_the_sample(
    twins, without_rulebooks, tmp_path, builds, monkeypatch, capfd
):
    there = Snapshots(tmp_path / "there")
    id = publish_copy(there, twins.built[0])
    monkeypatch.setenv("REGULA_BUILDS", builds)
    pull(Snapshots(tmp_path / "here"), index_source(str(there.folder)))
    manager = index_manager(load({"index": str(tmp_path / "here")}))
    assert (
        f"no rulebooks are here: what is published in {tmp_path / 'here'} answers"
        in capfd.readouterr().err
    )
    assert manager.ready_to_serve(None).id == id
    assert manager.current().stale == ()
    manager.snapshots.pin(id)
    assert manager.ready().id == id


def test_where_others_build_any_index_fits_and_nothing_is_built_of_the_sample(
    twins, without_rulebooks, tmp_path, monkeypatch, capfd
):
    """As with the folder of the machine that builds mounted: its index was not pulled."""
    monkeypatch.setenv("REGULA_BUILDS", "false")
    manager = index_manager(load({"index": str(tmp_path / "here")}))
    with pytest.raises(NoIndex, match="'regula index pull' takes one from where it is built"):
        manager.build()
    with pytest.raises(NoIndex, match="no rulebooks are here"):
        manager.ready()
    id = publish_copy(manager.snapshots, twins.built[0])
    assert manager.ready().id == id
    manager = index_manager(load({"index": str(tmp_path / "here")}))
    assert manager.ready_to_serve(None).stale == ()
    assert "sample" not in capfd.readouterr().err


def test_an_index_that_cannot_be_opened_here_is_not_published(twins, tmp_path):
    there, here = Snapshots(tmp_path / "there"), Snapshots(tmp_path / "here")
    first = publish_copy(there, twins.built[0])
    pull(here, index_source(str(there.folder)))
    other = tmp_path / "other"
    shutil.copytree(twins.built[0], other)
    library = other / "library.json"
    library.chmod(0o644)
    library.write_text("{}")
    manifest = json.loads((other / MANIFEST).read_text())
    manifest["files"]["library.json"] = file_digest(library)
    manifest["depends"] = {"program": "another"}
    (other / MANIFEST).chmod(0o644)
    (other / MANIFEST).write_text(json.dumps(manifest))
    publish_copy(there, other)
    with pytest.raises(
        PullFailed,
        match=r"cannot be used .*, and another version of the program built it; it was not "
        r"published",
    ):
        pull(here, index_source(str(there.folder)))
    assert here.pointer() == Pointer(first, pulled=True)
    assert left(here) == {".lock", "current"}


def test_words_that_earlier_links_cite_come_along(twins, tmp_path, here):
    there = indexes(twins.books[0], tmp_path / "there")
    shutil.copytree(twins.indexes[0].snapshots.folder, there.snapshots.folder, dirs_exist_ok=True)
    there = indexes(twins.books[1], tmp_path / "there")
    there.build()
    moved = FormerEntry("pegel-de-0.9/1", "1", "", "", "de", "", "pegel-de/2", False, (), "")
    FormerEntries(there.snapshots.folder).keep([moved])
    kept = list(FormerWords(there.snapshots.folder).records())
    assert kept
    with index_server(there.snapshots.folder) as server:
        pull(here, index_source(server.address))
    assert list(FormerWords(here.folder).records()) == kept
    assert FormerEntries(here.folder).find(moved.id) == moved
    assert left(here) == {".lock", "current", "former-words.db"}


def test_a_pull_that_is_killed_leaves_nothing_and_the_next_one_works(builder, tmp_path, server):
    place = tmp_path / "index"
    reached = threading.Event()

    def wait(path):
        if path == "/1/own":
            reached.set()
            time.sleep(60)

    server.before = wait
    command = [
        sys.executable,
        "-c",
        "from service.cli import main; main()",
        "index",
        "pull",
        server.address,
        "--index",
        str(place),
    ]
    process = subprocess.Popen(command, cwd=ROOT, env=without_settings())
    assert reached.wait(120)
    process.kill()
    process.wait()
    assert (place / ".building").exists()
    server.before = lambda _: None
    snapshots = Snapshots(place)
    snapshots.tidy()
    assert snapshots.all() == []
    assert left(snapshots) == {".lock"}


def test_every_so_often_what_is_published_is_taken_up_until_told_to_end(twins, tmp_path):
    there, here = Snapshots(tmp_path / "there"), Snapshots(tmp_path / "here")
    there.folder.mkdir()
    command = [
        sys.executable,
        "-c",
        "from service.cli import main; main()",
        "index",
        "pull",
        str(there.folder),
        "--every",
        "1",
    ]
    taken, told = tmp_path / "taken", tmp_path / "told"
    with taken.open("w") as out, told.open("w") as err:
        process = subprocess.Popen(
            [*command, "--index", str(here.folder)],
            cwd=ROOT,
            env=without_settings(),
            stdout=out,
            stderr=err,
        )
    nothing = "no folder with a published index"
    try:
        until(lambda: nothing in told.read_text(), told=told.read_text)
        time.sleep(2)  # it looks again each second, and says nothing anew
        for number in range(2):
            id = publish_copy(there, twins.built[number])
            until(partial(says, taken, id), told=told.read_text)  # which it does at the end
            assert here.current() == id
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(120)
    assert process.returncode == 0, told.read_text()
    assert told.read_text().count(nothing) == 1


def test_the_command_says_what_is_wrong_in_a_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["index", "pull", str(tmp_path / "nowhere"), "--index", str(tmp_path / "index")])
    assert ended.value.code == 2
    assert "no such folder" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["index", "pull", str(tmp_path), "--index", str(tmp_path / "index")])
    assert ended.value.code == 1
    assert "no folder with a published index" in capsys.readouterr().err
