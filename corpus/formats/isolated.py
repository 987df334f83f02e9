"""Extraction in a process of its own, which may crash, hang or take too much memory without harm."""

from __future__ import annotations

import pickle
import resource
import subprocess
import sys
from pathlib import Path

from corpus.blocks import ExtractedText
from corpus.formats.format import UnreadableFile

MEMORY = 1 << 30  # bytes of address space
SECONDS = 120  # for one file; 300 pages take less than 60


def extract(name: str, raw: bytes) -> ExtractedText:
    """What the format ``name`` makes of the file ``raw``. Raises `UnreadableFile` where it makes nothing of it, whatever the reason."""
    command = [sys.executable, "-P", "-c", "from corpus.formats.isolated import work; work()", name]
    root = str(Path(__file__).resolve().parents[2])
    try:
        done = subprocess.run(
            command, input=raw, capture_output=True, timeout=SECONDS, env={"PYTHONPATH": root, "OMP_NUM_THREADS": "1"}, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise UnreadableFile(f"reading it took longer than {SECONDS} seconds; divide it") from error
    if done.returncode != 0:
        raise UnreadableFile(f"reading it failed ({_ending(done.returncode)}); it may be damaged: open it and save it again")
    result = pickle.loads(done.stdout)  # our own process wrote it
    if isinstance(result, ExtractedText):
        return result
    raise UnreadableFile(str(result))


def _ending(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"status {status}"


def work() -> None:
    """Extract what standard input has in the format that the command line names, and write the result to standard output."""
    from corpus.formats import EXTRACTED

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    (format,) = (each for each in EXTRACTED if each.name == sys.argv[1])
    result: ExtractedText | str
    try:
        result = format.extract(sys.stdin.buffer.read())
    except UnreadableFile as error:
        result = str(error)
    except MemoryError:
        result = "reading it needs more than 1 GB of memory; divide it"
    pickle.dump(result, sys.stdout.buffer)
