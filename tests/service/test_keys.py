import logging
import os
import stat
import subprocess
import sys
from functools import partial
from itertools import count

import pytest

from service.ops.keys import KeyRing, token_digest
from service.ops.settings import SettingError, Settings
from service.web.app import create_app
from tests.conftest import ROOT
from tests.environment import without_settings
from tests.service.harbour import Harbour, Indexes, library
from tests.service.test_protection import bearer
from tests.tasks import killed_at

ASK = "/v1/ask?q=Wann steigt der Pegel?"
DAMAGE = {
    "a bad byte": b"\xff\xfe",
    "no TOML": b"[[[",
    "another file": b'keys = "none"\n',
    "a key without a date": b'["bot"]\nsha256 = "00"\nmade = "yesterday"\n',
    "nothing": b"",
}


@pytest.fixture
def ring(tmp_path):
    return KeyRing(tmp_path / "keys.toml")


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_service_goes_on_with_the_keys_it_had_when_their_file_is_damaged_and_says_so_once(
    ring, caplog, damage
):
    token = ring.make("bot")
    whole = ring.file.read_bytes()
    asking = create_app(
        Indexes(Harbour(library())), Settings(keys=ring.file, require_key=True)
    ).test_client()
    assert asking.get(ASK, headers=bearer(token)).status_code == 200
    ring.file.write_bytes(DAMAGE[damage])
    with caplog.at_level(logging.ERROR):
        assert [
            asking.get(ASK, headers=bearer(t)).status_code for t in (token, token, "regula_x")
        ] == [200, 200, 401]
    assert [str(ring.file) in line for line in caplog.messages] == [True]
    ring.file.write_bytes(whole)
    other = ring.make("other")
    ring.revoke("bot")
    assert [asking.get(ASK, headers=bearer(t)).status_code for t in (token, other)] == [401, 200]


@pytest.mark.parametrize("damage", [name for name in DAMAGE if DAMAGE[name]])
def test_a_damaged_file_is_not_written_over(ring, damage):
    ring.make("bot")
    ring.file.write_bytes(DAMAGE[damage])
    for change in (lambda: ring.make("other"), lambda: ring.revoke("bot"), ring.all):
        with pytest.raises(SettingError, match=r"keys\.toml"):
            change()
    assert ring.file.read_bytes() == DAMAGE[damage]


def test_whoever_could_read_the_file_can_read_it_after_a_change(ring):
    ring.make("bot")
    assert stat.S_IMODE(ring.file.stat().st_mode) == 0o600
    ring.file.chmod(0o640)
    if os.getuid() == 0:
        os.chown(ring.file, 12345, 54321)
    before = ring.file.stat()
    ring.make("other")
    ring.revoke("bot")
    after = ring.file.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )
    assert [key.name for key in ring.all()] == ["other"]


def test_where_the_owner_cannot_be_kept_nothing_is_changed_and_it_says_why(ring, monkeypatch):
    ring.make("bot")
    before = ring.file.read_bytes()

    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refuse)
    with pytest.raises(SettingError, match="as that owner or as root"):
        ring.make("other")
    assert ring.file.read_bytes() == before
    assert sorted(p.name for p in ring.file.parent.iterdir()) == ["keys.toml", "keys.toml.lock"]


def test_a_link_to_the_file_stays_a_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "keys.toml", tmp_path / "keys.toml"
    KeyRing(target).make("bot")
    link.symlink_to(target)
    KeyRing(link).make("other")
    assert link.is_symlink()
    assert [key.name for key in KeyRing(target).all()] == ["bot", "other"]


def test_a_name_that_somebody_wrote_by_hand_survives(ring):
    ring.make("bot")
    with ring.file.open("a") as file:
        file.write('\n["Bot of \\"Anna\\""]\nsha256 = "00"\nmade = 2026-01-01\n')
    ring.make("other")
    assert [key.name for key in KeyRing(ring.file).all()] == ['Bot of "Anna"', "bot", "other"]


def test_whenever_making_a_key_is_killed_there_is_none_that_nobody_was_told(ring, tmp_path):
    """A token that was told and is no key does no harm."""
    ring.make("bot")
    told, kept, killed = tmp_path / "told", set(), True
    for step in count():
        told.write_text("")
        killed = killed_at(
            step, tmp_path, partial(KeyRing(ring.file).make, f"new-{step}", tell=told.write_text)
        )
        keys = {key.name: key.sha256 for key in KeyRing(ring.file).all()}
        assert "bot" in keys
        if f"new-{step}" in keys:
            assert token_digest(told.read_text()) == keys[f"new-{step}"]
        kept.add(f"new-{step}" in keys)
        if not killed:
            break
    assert kept == {True, False}
    KeyRing(ring.file).revoke(f"new-{step}")
    assert sorted(path.name for path in ring.file.parent.iterdir()) == [
        "keys.toml",
        "keys.toml.lock",
        "told",
    ]


@pytest.mark.parametrize("output", ["closed", "full", "nobody reads"])
def test_a_key_that_cannot_be_printed_is_not_made(ring, tmp_path, output):
    command = [sys.executable, "-m", "service.cli", "keys", "new", "bot"]
    environment = {**without_settings(), "REGULA_KEYS": str(ring.file)}
    if output == "closed":
        command = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
    read, write = os.pipe()
    os.close(read)
    full = os.open("/dev/full", os.O_WRONLY)
    target = {"closed": subprocess.DEVNULL, "full": full, "nobody reads": write}[output]
    done = subprocess.run(
        command,
        stdout=target,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        check=False,
        timeout=600,
        cwd=ROOT,
    )
    os.close(write)
    os.close(full)
    assert done.returncode == 1
    assert done.stderr.startswith("regula: the key could not be printed (")
    assert len(done.stderr.splitlines()) == 1
    assert KeyRing(ring.file).all() == []
    assert KeyRing(ring.file).make("bot").startswith("regula_")
