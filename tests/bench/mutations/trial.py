"""Puts a file to the reader, and says what came of it: a rulebook, a line that says what is wrong, or a fault of the reader."""

from __future__ import annotations

import resource
import socket
import sys
import threading
import time
from dataclasses import dataclass

from corpus import Document, Rulebook, UnreadableDocument, identify, read
from corpus.layouts import LAYOUTS

SECONDS = 150.0  # for one file: extraction may take 120 seconds, then says that it took too long
_CONNECTING = frozenset({"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"})  # audit events


@dataclass(frozen=True)
class Trial:
    """What came of a file: the layout in which it was ``read``, or what was ``said``; ``fault`` is what must not happen, "" if nothing.

    ``memory`` is the most that the process which read it and those that extract texts have held so far, in bytes.
    """

    name: str
    seconds: float
    read: str = ""
    said: str = ""
    fault: str = ""
    memory: tuple[int, int] = (0, 0)


class RequestWatch:
    """Sees whoever connects to `address`, whatever program it is."""

    def __init__(self) -> None:
        self.seen = 0
        self._server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.getsockname()[1]}/"

    def _listen(self) -> None:
        while True:
            connection, _ = self._server.accept()
            self.seen += 1
            connection.close()


def refuse_connections() -> None:
    """Make every connection that this process opens from now on an error."""
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: object) -> None:
    if event in _CONNECTING:
        raise AssertionError(f"a request: {event} {arguments!r}")


def tried(name: str, raw: bytes) -> Trial:
    """Read the file ``raw`` as a rulebook with everything that belongs to it."""
    began = time.monotonic()
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
    seconds = time.monotonic() - began
    if not fault and seconds > SECONDS:
        fault = f"took {seconds:.0f} s"
    memory = tuple(resource.getrusage(who).ru_maxrss * 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return Trial(name, seconds, layout, said, fault, (memory[0], memory[1]))


def _inexact(book: Rulebook) -> str:
    """What is wrong with the spans of ``book``: text that belongs to nothing, or twice to something; "" if nothing is."""
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
