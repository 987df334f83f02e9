"""Draw pictures of the pages of PDF documents, in a separate process, so that no document can harm
the process that answers.
"""

from __future__ import annotations

import os
import resource
import struct
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpus.errors import RegulaError
from index.building.snapshots import Damaged, Snapshots
from service.core.i18n import N_, TranslatableText
from service.core.jobs.queue import JobQueue
from service.core.jobs.stored_files import render_once
from service.core.problems import Problem

WIDTHS = (640, 1280, 1920)  # pixels; few, since each is drawn and stored
_STEPS = 32  # levels of red, green and blue in a picture with a palette
_TALLEST = 4  # greatest ratio of height to width; higher pages are drawn smaller
_SECONDS = 20.0  # time limit for one page
_IDLE = 30.0  # seconds after which the process ends
_NICE = 5  # a reader waits for the picture: after answers, before checks and comparisons
_MEMORY = 1 << 30  # bytes of memory that the process may use


class NoPicture(RegulaError, ValueError):
    """Raised if a page cannot be drawn; the message says why."""


def page_picture(folder: Path, sha256: str, number: int, width: int) -> bytes:
    """Return page ``number`` of a document of the snapshot in ``folder`` as PNG, of the first of
    `WIDTHS` from ``width`` on.

    Raises `Problem` 404 if the page cannot be drawn, 503 if that takes too long or the files of the
    snapshot are gone.
    """
    pixels = next((each for each in WIDTHS if each >= width), WIDTHS[-1])
    try:
        return render_once(
            folder,
            ("page", sha256, str(number), str(pixels)),
            lambda: _queue().run(_draw, folder, sha256, number, pixels),
        )
    except NoPicture as fault:
        raise Problem.unknown(
            TranslatableText(N_("This page cannot be drawn (%(reason)s)."), {"reason": str(fault)})
        ) from fault
    except (OSError, Damaged) as fault:
        raise Problem(
            503, N_("The files of this index are gone or damaged. Ask again in a few seconds.")
        ) from fault


@cache
def _queue() -> JobQueue:
    """Return the queue of this process for pages only, with their own limits."""
    return JobQueue(_SECONDS, _IDLE, _NICE)


os.register_at_fork(after_in_child=_queue.cache_clear)


def _draw(folder: Path, sha256: str, number: int, width: int) -> bytes:
    """Draw a page in the worker process. Scripts and forms of the document are ignored, and nothing
    is fetched.
    """
    import pypdfium2

    with suppress(OSError, ValueError):  # some systems do not have this limit
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    raw = Snapshots(folder.parent).read(folder.name, f"documents/{sha256}")
    try:
        document = pypdfium2.PdfDocument(raw)
        try:
            return _png(_pixels(document[number - 1], width))
        finally:
            document.close()
    except (pypdfium2.PdfiumError, IndexError, MemoryError) as fault:
        raise NoPicture(str(fault) or type(fault).__name__) from fault


def _pixels(page: Any, width: int) -> NDArray[np.uint8]:
    """Return the colours of ``page``, shape (height, width, 3)."""
    wide, high = page.get_size()
    if min(wide, high) <= 0:
        raise NoPicture("it has no size")
    bitmap = page.render(
        scale=min(width / wide, width * _TALLEST / high), rev_byteorder=True, prefer_bgrx=False
    )
    return np.array(bitmap.to_numpy())[:, :, :3]


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """Return ``pixels``, shape (height, width, 3), as PNG (ISO 15948).

    If they have few colours, as text does, a palette is used, for a third of the size; colours
    differ from the original by at most 5 of 255.
    """
    height, width, _ = pixels.shape
    codes = _fewer_colours(pixels)
    used = np.flatnonzero(np.bincount(codes.ravel(), minlength=_STEPS**3))
    colours: NDArray[np.int64] = np.zeros((0, 3), dtype=np.int64)
    if few := len(used) <= 256:
        rows = np.searchsorted(used, codes).astype(np.uint8)
        colours = (
            np.stack([used // _STEPS**2, used // _STEPS % _STEPS, used % _STEPS], axis=1)
            * 255
            // (_STEPS - 1)
        )
    else:
        rows = pixels.reshape(height, -1)
    filtered = np.zeros(
        (height, rows.shape[1] + 1), dtype=np.uint8
    )  # the first byte of each row: no filter
    filtered[:, 1:] = rows
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3 if few else 2, 0, 0, 0))]
    if few:
        parts.append((b"PLTE", colours.astype(np.uint8).tobytes()))
    parts += [(b"IDAT", zlib.compress(filtered.tobytes(), 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content))
        + name
        + content
        + struct.pack(">I", zlib.crc32(name + content))
        for name, content in parts
    )


def _fewer_colours(pixels: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the colour of each pixel, rounded to `_STEPS` levels, as a number below `_STEPS`
    cubed, shape (height, width).
    """
    nearest = ((np.arange(256) * (_STEPS - 1) + 127) // 255).astype(np.int32)
    red, green, blue = (nearest[pixels[:, :, channel]] for channel in range(3))
    return np.asarray((red * _STEPS + green) * _STEPS + blue, dtype=np.int32)
