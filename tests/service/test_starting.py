import time

import psutil
import pytest

from tests.index.small_indexes import indexes, publish_copy
from tests.service.serving import serving

pytestmark = pytest.mark.acceptance


def libraries(service):
    """The files that the service's processes have mapped."""
    processes = [service.process.pid, *[worker.pid for worker in service.workers()]]
    return "\n".join(
        row.path for process in processes for row in psutil.Process(process).memory_maps()
    )


def test_a_service_that_had_one_built_is_as_light_as_any_other(twins, tmp_path):
    with serving(twins.books[0], tmp_path / "index", tmp_path / "log", workers=1) as service:
        assert "numpy" in libraries(service)
        assert "torch" not in libraries(service)
    assert "encoding texts" in (tmp_path / "log").read_text()


def test_where_nothing_can_be_built_the_last_good_index_serves(twins, tmp_path):
    good = publish_copy(indexes(twins.books[0], tmp_path / "index").snapshots, twins.built[0])
    empty = tmp_path / "empty"
    empty.mkdir()
    told = ""
    with serving(empty, tmp_path / "index", tmp_path / "log", workers=1):
        end = time.monotonic() + 120
        while "the build ended" not in told and time.monotonic() < end:
            time.sleep(0.1)
            told = (tmp_path / "log").read_text()
    assert f"index {good} serves although it does not fit any more (rulebooks)" in told
    assert "no rulebook" in told
    assert (
        told.count(
            "the build ended with status 1; the index in use goes on serving, and a new one is "
            "tried again in 10 s"
        )
        == 1
    )
