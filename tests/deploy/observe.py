"""Write what happens to the unit under systemd to the named file, as JSON, and turn the machine
off: see `boot`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

PATIENCE = 60.0  # seconds until it runs again


def systemctl(*words: str) -> str:
    return subprocess.run(["systemctl", *words], capture_output=True, text=True).stdout.strip()


def answer(page: str) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:8080/{page}", timeout=10) as response:
        return int(response.status)


def main_process() -> int:
    return int(systemctl("show", "--property=MainPID", "--value", "regula"))


def state() -> str:
    return systemctl("show", "--property=ActiveState", "--value", "regula")


def wait_for_another(ended: int) -> None:
    """Wait until the service runs again in another process than ``ended``."""
    end = time.monotonic() + PATIENCE
    while main_process() in (0, ended) or state() != "active":
        if time.monotonic() > end:
            raise TimeoutError(f"not started again within {PATIENCE:.0f} seconds")
        time.sleep(0.2)


def writable(process: int) -> list[str]:
    """Return the folders of the workspace and the index that ``process`` could write to, whatever
    user it ran as.
    """
    there = [
        *Path("/srv/regula").glob("*/"),
        *Path("/var/lib/regula").glob("*/"),
        *map(Path, ("/srv/regula", "/var/lib/regula")),
    ]
    script = (
        'for each; do if touch "$each/.probe" 2>/dev/null; then rm "$each/.probe"; echo "$each"; '
        "fi; done"
    )
    command = [
        "nsenter",
        f"--target={process}",
        "--mount",
        "sh",
        "-c",
        script,
        "sh",
        *map(str, there),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def wait_for_build() -> str:
    """Wait for the timer's check whether an index must be built, and return its result."""
    end = time.monotonic() + PATIENCE
    while not systemctl(
        "show", "--property=ExecMainExitTimestampMonotonic", "--value", "regula-build"
    ).strip("0"):
        if time.monotonic() > end:
            raise TimeoutError("nobody looked whether an index has to be built")
        time.sleep(0.2)
    return systemctl("show", "--property=Result", "--value", "regula-build")


def log() -> str:
    """Return the end of the units' log."""
    return subprocess.run(
        ["journalctl", "--no-pager", "--unit=regula*"], capture_output=True, text=True
    ).stdout[-20000:]


def observe(seen: dict[str, object]) -> None:
    seen["state"] = state()
    seen["healthz"], seen["readyz"] = answer("healthz"), answer("readyz")
    main = main_process()
    seen["writable"] = writable(main)
    seen["build"] = wait_for_build()
    seen["reload"] = subprocess.run(["systemctl", "reload", "regula"]).returncode
    end = time.monotonic() + PATIENCE
    while "read again" not in log() and time.monotonic() < end:
        time.sleep(0.2)
    seen["user"] = Path(f"/proc/{main}").owner()
    os.kill(main, signal.SIGKILL)
    wait_for_another(main)
    seen["healthz after a kill"] = answer("healthz")
    begun = time.monotonic()
    systemctl("stop", "regula")
    seen["seconds to stop"] = time.monotonic() - begun
    seen["result"] = systemctl("show", "--property=Result", "--value", "regula")


if __name__ == "__main__":
    seen: dict[str, object] = {}
    try:
        observe(seen)
    except Exception as fault:
        seen["fault"] = repr(fault)
    seen["log"] = log()
    Path(sys.argv[1]).write_text(json.dumps(seen))
    os.sync()
    subprocess.run(["systemctl", "exit", "0", "--force", "--force"])
