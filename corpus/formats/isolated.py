"""Extracts text in a separate process without network access, which may crash, hang or run out of
memory without harm.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import subprocess
import sys
from pathlib import Path

from corpus.blocks import ExtractedText
from corpus.formats import ExtractedFormat, UnreadableFile, extracted_formats
from corpus.parent_process import end_with

MEMORY = 900 << 20  # bytes of address space: less than 1 GB, however one counts
SECONDS = 120  # of processor time for one file; 300 pages take less than 60
_WAIT = 4 * SECONDS  # seconds in all, on a busy machine
MOST_CHARACTERS = 5_000_000  # the largest rulebook known has 0.8 million
MOST_BLOCKS = 100_000  # the largest rulebook known has 8,000 paragraphs
_REFUSED = (  # beginnings of audit events
    *("socket.", "subprocess.", "urllib."),
    *("os.exec", "os.fork", "os.posix_spawn", "os.system"),
)


def extract(name: str, raw: bytes) -> ExtractedText:
    """Return the text of the file ``raw``, extracted by the format ``name``. Raises
    `UnreadableFile` on any failure.
    """
    command = [sys.executable, "-P", "-c", "from corpus.formats.isolated import work; work()", name]
    root = str(Path(__file__).resolve().parents[2])
    try:
        done = subprocess.run(
            command,
            input=raw,
            capture_output=True,
            timeout=_WAIT,
            env={"PYTHONPATH": root, "OMP_NUM_THREADS": "1"},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UnreadableFile(f"reading it took longer than {_WAIT} seconds; divide it") from error
    status = done.returncode
    if status == -signal.SIGXCPU:
        raise UnreadableFile(f"reading it took longer than {SECONDS} seconds; divide it")
    if status < 0:
        raise UnreadableFile(
            f"damaged, or needs more memory than a rulebook can (signal {-status}): "
            "open it and save it again"
        )
    if status > 0:
        raise UnreadableFile(
            f"reading it failed (status {status}); it may be damaged: open it and save it again"
        )
    result = pickle.loads(done.stdout)  # our own process wrote it
    if isinstance(result, ExtractedText):
        return result
    raise UnreadableFile(str(result))


def work() -> None:
    """Extract standard input in the format named on the command line, and write the pickled result
    to standard output.
    """
    (format,) = (each for each in extracted_formats() if each.name == sys.argv[1])
    _confine()
    try:
        result = pickle.dumps(_extracted(format, sys.stdin.buffer.read()))
    except MemoryError:
        result = pickle.dumps("reading it needs more than 1 GB of memory; divide it")
    sys.stdout.buffer.write(result)


def _confine() -> None:
    """Limit memory and time of this process, and forbid network connections, starting programs and
    writing files.
    """
    end_with(os.getppid())
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # even if the parent no longer waits
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    def refuse(event: str, _: object) -> None:
        if event.startswith(_REFUSED):
            raise PermissionError(f"a document may not do this: {event}")

    sys.addaudithook(refuse)


def _extracted(format: ExtractedFormat, raw: bytes) -> ExtractedText | str:
    try:
        found = format.extract(raw)
    except UnreadableFile as error:
        return str(error)
    for many, what, most in (
        (len(found.text), "characters", MOST_CHARACTERS),
        (len(found.blocks), "paragraphs", MOST_BLOCKS),
    ):
        if many > most:
            return f"has {many:,} {what}, more than a rulebook can have ({most:,}); divide it"
    return found
