"""Keys made, revoked and listed by many processes at once: none is lost, none comes back, the file
stays its owner's.

``REGULA_KEY_CHANGES`` is how many commands run side by side.
"""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path

from service.ops.keys import KeyRing
from tests.tasks import forked

CHANGES = int(os.environ.get("REGULA_KEY_CHANGES", "60"))


def test_of_many_changes_at_once_none_is_lost_and_none_undone(tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    old = [f"old-{n}" for n in range(CHANGES // 4)]
    tokens = {name: KeyRing(file).make(name) for name in old}
    new = [f"new-{n}" for n in range(CHANGES // 2)]
    file.chmod(0o640)
    if os.getuid() == 0:
        os.chown(file, 12345, 54321)
    before = file.stat()
    serving = KeyRing(file)

    def listed() -> None:
        assert {key.name for key in KeyRing(file).all()} <= {*old, *new}

    def make(name: str) -> None:
        KeyRing(file).make(name)

    def revoke(name: str) -> None:
        KeyRing(file).revoke(name)

    work: list[Callable[[], None]] = [partial(make, name) for name in new]
    work += [partial(revoke, name) for name in old]
    work += [listed] * (CHANGES - len(work))
    random.Random(5).shuffle(work)
    children = [forked(each) for each in work]
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * len(
        children
    )
    assert [key.name for key in KeyRing(file).all()] == sorted(new)
    assert [serving.find(token) for token in tokens.values()] == [None] * len(old)
    after = file.stat()
    assert (after.st_uid, after.st_gid, stat.S_IMODE(after.st_mode)) == (
        before.st_uid,
        before.st_gid,
        0o640,
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["keys.toml", "keys.toml.lock"]
