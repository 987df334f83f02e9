import json
import os
import shutil
import threading
import time
from typing import Any

import pytest

import service.ops.background as build_beside
from corpus.errors import RegulaError
from index.building.fingerprints import DEPENDS, combined, dependencies, differences
from index.building.snapshots import FORMAT, Busy, Damaged, file_digest
from service.ops.background import (
    BuildOutcome,
    build_noted,
    build_while,
    last_build,
)
from service.ops.indexes import IndexManager, NoIndex
from tests.index.small_indexes import QUESTIONS, indexes, publish_copy
from tests.timing import until

pytestmark = pytest.mark.acceptance


@pytest.fixture
def said():
    return []


@pytest.fixture
def served(twins, tmp_path, said) -> IndexManager:
    return indexes(twins.books[0], tmp_path / "index", said.append)


def change_manifest(served, id, **fields):
    path = served.snapshots.path(id) / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def of_another_program(served, built, **fields):
    id = publish_copy(served.snapshots, built)
    manifest = json.loads((built / "manifest.json").read_text())
    depends = {**manifest[DEPENDS], "program": "another"}
    change_manifest(served, id, **{DEPENDS: depends, "fingerprint": combined(depends), **fields})
    return id


def no_build(_):
    raise AssertionError("nothing is to be built")


def test_what_fits_is_not_stale_and_what_does_not_says_in_what(twins, served, said):
    publish_copy(served.snapshots, twins.built[0])
    assert served.ready_to_serve(no_build).stale == ()
    assert said == []
    other = publish_copy(served.snapshots, twins.built[1])  # of another text of the rulebook
    assert served.refresh()
    assert (served.current().id, served.current().stale) == (other, ("rulebooks",))
    old = of_another_program(served, twins.built[1])
    assert served.ready_to_serve(no_build).stale == ("program", "rulebooks")
    assert f"index {old} serves although it does not fit any more (program, rulebooks)" in said[-1]
    publish_copy(served.snapshots, twins.built[0])
    assert served.refresh()
    assert served.current().stale == ()


def test_each_thing_that_an_index_depends_on_is_told_apart(tmp_path, monkeypatch):
    home, book = tmp_path / "home", "text.txt"
    for name in ("rulebooks", "cards/g", "concepts"):
        (home / name).mkdir(parents=True)
    (home / "rulebooks" / book).write_text("A text.")
    monkeypatch.setenv("REGULA_HOME", str(home))
    before = dependencies(home / "rulebooks")
    manifest = {DEPENDS: before, "fingerprint": combined(before)}
    assert differences(manifest, dependencies(home / "rulebooks")) == ()
    assert differences(manifest, dependencies(home / "rulebooks", encoder="another")) == (
        "encoder",
    )
    assert differences(manifest, dependencies(home / "rulebooks", store="milvus://there")) == (
        "settings",
    )
    (home / "cards" / "g" / "cards.json").write_text("[]")
    assert differences(manifest, dependencies(home / "rulebooks")) == ("layers",)
    (home / "concepts" / "g.yaml").write_text("{}")
    (home / "rulebooks" / book).write_text("Another text.")
    assert differences(manifest, dependencies(home / "rulebooks")) == (
        "rulebooks",
        "workspace",
        "layers",
    )
    assert differences({"fingerprint": "of a version that told nothing apart"}, before) == (
        "program",
    )


def test_where_another_program_has_built_it_the_questions_are_asked_and_not_compared(
    twins, served, said
):
    probes = json.loads((twins.built[0] / "manifest.json").read_text())["probes"]
    wrong = [{**probe, "entry": "pegelduell-de-2.0/nothing"} for probe in probes]
    old = of_another_program(served, twins.built[0], probes=wrong)
    assert served.ready_to_serve(no_build).id == old
    change_manifest(
        served, old, counts={"editions": 1, "entries": 1, "passages": 1}
    )  # it must still hold what it says
    with pytest.raises(NoIndex):
        served.load()
    id = publish_copy(served.snapshots, twins.built[0])
    change_manifest(served, id, probes=wrong)
    with pytest.raises(Damaged, match="finds only 0"):
        served.open(id)


def break_library(place):
    """Write a file that this program does not understand, with the right hash, as another version
    may have.
    """
    path = place / "library.json"
    path.write_text(json.dumps({"editionen": {}}))
    manifest = json.loads((place / "manifest.json").read_text())
    manifest["files"]["library.json"] = file_digest(path)
    (place / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("how", ["number", "content"])
def test_what_this_version_cannot_read_is_passed_over_for_an_older_index(twins, served, said, how):
    old = of_another_program(served, twins.built[1])
    new = of_another_program(served, twins.built[0])
    if how == "number":
        change_manifest(served, new, format=FORMAT + 1)
    else:
        break_library(served.snapshots.path(new))
    assert served.ready_to_serve(no_build).id == old
    told = (
        f"format {FORMAT + 1}, and this version of the program reads format {FORMAT}"
        if how == "number"
        else "cannot be used"
    )
    assert any(new in line and told in line for line in said)
    assert any(f"index {old} serves instead of {new}" in line for line in said)


@pytest.mark.parametrize("how", ["number", "content"])
def test_where_none_can_be_read_one_is_built_before_and_nothing_of_the_old_one_stops_it(
    twins, served, said, how
):
    old = of_another_program(served, twins.built[1])
    if how == "number":
        change_manifest(served, old, format=FORMAT + 1)
    break_library(served.snapshots.path(old))
    built = served.ready_to_serve(served.build)
    assert built.id == served.snapshots.current() != old
    assert built.stale == ()
    assert built.search is not None


def test_an_index_without_a_number_is_one_of_version_1_and_not_read(twins, served):
    id = publish_copy(served.snapshots, twins.built[0])
    path = served.snapshots.path(id) / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["format"], manifest[DEPENDS]
    path.write_text(json.dumps({**manifest, "fingerprint": "of version 1.0"}))
    with pytest.raises(
        Damaged, match=f"format 1, and this version of the program reads format {FORMAT}"
    ):
        served.snapshots.check_format(id)
    with pytest.raises(AssertionError, match="nothing is to be built"):
        served.ready_to_serve(no_build)


def test_who_does_not_build_waits_for_the_first_index(twins, served, said):
    found: list[Any] = []
    waiting = threading.Thread(target=lambda: found.append(served.ready_to_serve(None)))
    waiting.start()
    until(lambda: any("waiting for an index to be published" in line for line in said))
    assert not found
    id = publish_copy(served.snapshots, twins.built[0])
    waiting.join(30)
    assert [each.id for each in found] == [id]


class Builds:
    """Counts the builds that were begun; those before the last ``fail``."""

    def __init__(self, fail=0, then=lambda: None):
        self.begun, self._fail, self._then = 0, fail, then

    def __call__(self):
        self.begun += 1
        if self.begun <= self._fail:
            raise RegulaError(f"failure {self.begun}")
        self._then()


def test_a_stale_index_has_one_built_that_is_taken_up(twins, served, said):
    old = of_another_program(served, twins.built[0])
    served.ready_to_serve(no_build)
    over = [served.watch(0.02)]
    builds = Builds(then=lambda: publish_copy(served.snapshots, twins.built[0]))
    try:
        over.append(served.build_beside(builds))
        until(lambda: served.current().id != old)
        assert served.current().stale == ()
        time.sleep(0.2)
        assert builds.begun == 1
    finally:
        for each in over:
            each.set()


@pytest.mark.parametrize(
    "why",
    ["it fits", "it was gone back to", "another was published", "the folder may only be read"],
)
def test_nothing_is_built_beside_where(twins, served, said, why, monkeypatch):
    if why == "it fits":
        publish_copy(served.snapshots, twins.built[0])
    else:
        old = of_another_program(served, twins.built[0])
    if why == "it was gone back to":
        served.rollback(old)
    served.ready_to_serve(no_build)
    if why == "another was published":  # by a service of another version: both would build for ever
        monkeypatch.setattr(
            served.snapshots,
            "current",
            lambda: "the index that was published when the service began",
        )
    if why == "the folder may only be read":
        monkeypatch.setattr(os, "access", lambda *_: False)
    builds = Builds()
    served.build_beside(builds)
    time.sleep(0.3)
    assert builds.begun == 0
    assert any("cannot be written to" in line for line in said) == (
        why == "the folder may only be read"
    )


def test_a_build_that_fails_is_told_and_tried_again_after_longer_and_longer_pauses(
    tmp_path, said, monkeypatch
):
    monkeypatch.setattr(build_beside, "_FIRST_PAUSE", 0.1)
    builds = Builds(fail=3)
    begun = time.monotonic()
    build_while(lambda: True, builds, tmp_path, said.append)
    until(lambda: builds.begun == 4)
    assert time.monotonic() - begun >= 0.1 + 0.2 + 0.4
    assert [line.partition(";")[0] for line in said] == ["failure 1", "failure 2", "failure 3"]
    assert all("goes on serving" in line for line in said)


def test_of_several_processes_one_builds_and_another_takes_over_where_it_ends(
    tmp_path, said, monkeypatch
):
    monkeypatch.setattr(build_beside, "_FIRST_PAUSE", 0.05)
    done, go = threading.Event(), threading.Event()

    def finish():
        go.wait(20)
        done.set()

    first, second = Builds(then=finish), Builds()
    build_while(lambda: not done.is_set(), first, tmp_path, said.append)
    until(lambda: first.begun == 1)
    build_while(lambda: not done.is_set(), second, tmp_path, said.append)
    time.sleep(0.3)
    assert second.begun == 0
    go.set()
    until(done.is_set)
    time.sleep(0.2)
    assert second.begun == 0
    killed = Builds(fail=1)
    over = build_while(lambda: True, killed, tmp_path, said.append)
    until(lambda: killed.begun >= 1)
    over.set()
    build_while(lambda: second.begun == 0, second, tmp_path, said.append)
    until(lambda: second.begun == 1)


def test_how_the_last_build_ended_is_kept(tmp_path):
    assert last_build(tmp_path) is None
    with build_noted(tmp_path):
        time.sleep(0.01)
    found = last_build(tmp_path)
    assert found is not None
    assert found.fault == ""
    assert 0 < found.seconds < 60
    assert abs(found.ended - time.time()) < 60
    for fault, told in (
        (RegulaError("no room"), "no room"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
    ):
        with pytest.raises(type(fault)), build_noted(tmp_path):
            raise fault
        assert last_build(tmp_path).fault == told
    with pytest.raises(Busy), build_noted(tmp_path):  # another build is under way: nothing ended
        raise Busy("another build is under way")
    assert last_build(tmp_path).fault == "KeyboardInterrupt"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".last-build"]
    for damaged in ("{", '{"ended": "x"}', '{"ended": 1}', "[]"):
        (tmp_path / ".last-build").write_text(damaged)
        assert last_build(tmp_path) is None
    shutil.rmtree(tmp_path)
    with build_noted(tmp_path):  # where nothing can be written, nothing is
        pass
    assert BuildOutcome(1.0, 2.0, "").fault == ""


def test_an_index_of_another_program_answers_as_it_did(twins, served):
    from index.model import Query

    of_another_program(served, twins.built[0])
    found = served.ready_to_serve(no_build)
    fitting = twins.indexes[0].load()
    for question in QUESTIONS:
        assert [hit.passage.id for hit in found.search(Query(question)).hits] == [
            hit.passage.id for hit in fitting.search(Query(question)).hits
        ]
