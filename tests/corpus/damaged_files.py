"""Damage files at random, but reproducibly for a seed, and check what reading them does.

The damage affects bytes anywhere and, in archives and PDFs, also the structures that readers use.
"""

from __future__ import annotations

import io
import os
import random
import re
import resource
import socket
import sys
import threading
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from corpus import Document, Rulebook, UnreadableDocument, identify, read
from corpus.layouts import LAYOUTS

# Seconds of processor time for one file; extraction stops with an error after 120
SECONDS = 150.0

Damage = Callable[[random.Random, bytes], bytes]

_TOKENS = (
    b"<", b">", b"</", b"&", b"&#0;", b"&#x110000;", b"<!--", b"]]>", b"<![CDATA[", b"\0",
    b"\xff\xfe", b"%PDF-1.7", b"endobj", b"stream\n",
    b"endstream", b"obj\n<<", b">>", b"[" * 600, b"(" * 600, b"<b>" * 600, b"R ", b"PK\x03\x04",
    b"PK\x01\x02", b"xref", b"trailer",
    b"-1", b"99999999999999999999", b"1e308", b"NaN", b"\xed\xa0\x80", b"\xc3", b"\r",
    b"\n" * 300, "\u202e\u200b\ufeff".encode(),
)  # fmt: skip
_NUMBERS = (
    b"0",
    b"-1",
    b"1",
    b"65535",
    b"65536",
    b"2147483647",
    b"-2147483648",
    b"4294967296",
    b"1e30",
    b"0.0000001",
    b"999999999999999999",
)
_CONNECTING = frozenset(
    {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
)  # audit events
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_ELEMENT = re.compile(rb"<[^<>]{1,300}>")


def _flipped(rng: random.Random, raw: bytes) -> bytes:
    changed = bytearray(raw)
    for _ in range(rng.choice([1, 3, 30, 300])):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _cut(rng: random.Random, raw: bytes) -> bytes:
    a, b = sorted(rng.randrange(len(raw) + 1) for _ in range(2))
    return rng.choice([raw[:b], raw[a:], raw[:a] + raw[b:], raw[:a] + bytes(b - a) + raw[b:]])


def _swapped(rng: random.Random, raw: bytes) -> bytes:
    a, b, c = sorted(rng.randrange(len(raw) + 1) for _ in range(3))
    return raw[:a] + raw[b:c] + raw[a:b] + raw[c:]


def _repeated(rng: random.Random, raw: bytes) -> bytes:
    a = rng.randrange(len(raw))
    b = min(len(raw), a + rng.choice([4, 40, 400, 4000]))
    return raw[:b] + raw[a:b] * rng.choice([1, 10, 300]) + raw[b:]


def _token(rng: random.Random, raw: bytes) -> bytes:
    for _ in range(rng.choice([1, 5])):
        at = rng.randrange(len(raw) + 1)
        raw = raw[:at] + rng.choice(_TOKENS) + raw[at:]
    return raw


def _numbers(rng: random.Random, raw: bytes) -> bytes:
    """Change numbers: references to objects, lengths, coordinates, levels of lists."""
    share = rng.choice([0.002, 0.02, 0.3])
    return _NUMBER.sub(
        lambda found: rng.choice(_NUMBERS) if rng.random() < share else found.group(), raw
    )


def _elements(rng: random.Random, raw: bytes) -> bytes:
    """Drop, repeat or swap tags."""
    tags: list[bytes] = _ELEMENT.findall(raw)
    share = rng.choice([0.002, 0.02, 0.3])
    if not tags:
        return _token(rng, raw)

    def other(found: re.Match[bytes]) -> bytes:
        tag: bytes = found.group()
        changed: bytes = rng.choice([b"", tag + tag, rng.choice(tags), tag * 50])
        return changed if rng.random() < share else tag

    return _ELEMENT.sub(other, raw)


def _nested(rng: random.Random, raw: bytes) -> bytes:
    """Nest an element in itself, hundreds of times."""
    tags: list[bytes] = [
        tag for tag in _ELEMENT.findall(raw) if tag[1:2] not in b"/!?" and not tag.endswith(b"/>")
    ]
    if not tags:
        return _repeated(rng, raw)
    tag = rng.choice(tags)
    at, many = raw.find(tag), rng.choice([20, 300, 3000])
    return raw[:at] + tag * many + raw[at:]


_SIMPLE: tuple[Damage, ...] = (_flipped, _cut, _swapped, _repeated, _token, _numbers)
_MARKED: tuple[Damage, ...] = (*_SIMPLE, _elements, _nested)


def _part(rng: random.Random, raw: bytes) -> bytes:
    """Damage a part of an archive, or drop it, or replace it by another part. The archive is packed
    again, so that readers read all of it.
    """
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    damaged = {
        name
        for name in parts
        if name.endswith(("xml", "opf", "html", "rels")) and len(parts[name]) > 1
    }
    for name in rng.sample(sorted(damaged), min(len(damaged), rng.choice([1, 1, 2, 4]))):
        parts[name] = rng.choice(_MARKED)(rng, parts[name])
    if rng.random() < 0.1:
        parts[rng.choice(sorted(damaged))] = parts[rng.choice(sorted(parts))]
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            if name == "mimetype" or rng.random() > 0.02:
                archive.writestr(name, part, zipfile.ZIP_STORED if name == "mimetype" else None)
    return written.getvalue()


def damaged(raw: bytes, seed: str) -> bytes:
    """Return ``raw`` with one to three faults, the same for the same ``seed``."""
    rng = random.Random(seed)
    if raw.startswith(b"PK") and rng.random() < 0.75:
        return _part(rng, raw)
    for damage in rng.choices(_MARKED, k=rng.choice([1, 1, 2, 3])):
        raw = damage(rng, raw)[:4_000_000] or b"\n"
    return raw


@dataclass(frozen=True)
class Trial:
    """The result of reading a file.

    Attributes:
        read: The layout in which it was read.
        said: The line that says why it was refused.
        fault: An unacceptable result; "" if there is none.
        memory: The peak bytes, until now, of the reading process and of those that extract texts.
    """

    read: str = ""
    said: str = ""
    fault: str = ""
    memory: tuple[int, int] = (0, 0)


class RequestWatch:
    """Counts connections to `address`, by any program."""

    def __init__(self) -> None:
        self.seen = 0
        self._server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def address(self) -> str:
        """The address it listens at."""
        return f"http://127.0.0.1:{self._server.getsockname()[1]}/"

    def _listen(self) -> None:
        while True:
            connection, _ = self._server.accept()
            self.seen += 1
            connection.close()


def refuse_connections() -> None:
    """From now on, raise an error for every connection that this process opens."""
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: object) -> None:
    if event in _CONNECTING:
        raise AssertionError(f"a request: {event} {arguments!r}")


def tried(name: str, raw: bytes) -> Trial:
    """Read the file ``raw`` as a rulebook and return the result."""
    began = sum(os.times()[:4])
    layout = said = fault = ""
    try:
        document = Document.from_bytes(name, raw)
        edition = identify(document)
        if edition is None:
            said = "in no known layout"
        else:
            layout = edition.layout
            assert layout in LAYOUTS
            fault = _inexact(read(document, edition))
    except UnreadableDocument as error:
        said = str(error)
        if len(said.splitlines()) != 1 or not said.isprintable() or len(said) > 300:
            fault = f"says {said[:300]!r}, which is no line"
        elif "reading it failed (status" in said:
            fault = f"raised in the process that extracts: {said}"
    except Exception as error:
        fault = f"{type(error).__name__}: {str(error)[:300]}"
    seconds = sum(os.times()[:4]) - began  # of this process and its children
    if not fault and seconds > SECONDS:
        fault = f"took {seconds:.0f} s of a processor"
    extracting = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    return Trial(layout, said, fault, (_held(), extracting))


def _held() -> int:
    """Return the peak memory of this process in bytes. `getrusage` would include the process that
    forked it, before it was replaced by this program.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) * 1024


def _inexact(book: Rulebook) -> str:
    """Return what is wrong with the spans of ``book``, text that belongs to nothing or to something
    twice; "" if nothing.
    """
    text = book.document.text
    spans = [span for entry in book.entries for span in entry.heading_spans]
    spans += [span for passage in book.passages for span in passage.spans]
    spans += [furniture.span for furniture in book.furniture]
    end = 0
    for start, stop in [*sorted(spans), (len(text), len(text))]:
        if start < end:
            return f"claimed twice: {text[start:end][:60]!r}"
        if text[end:start].strip():
            return f"not claimed: {text[end:start].strip()[:60]!r}"
        end = stop
    wrong = [p.id for p in book.passages if p.text != "\n".join(text[a:b] for a, b in p.spans)]
    return f"not what is printed: {wrong[0]}" if wrong else ""
