"""The bytes of a fragment: a header in JSON and arrays behind it, deflated; the same content always gives the same bytes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ALIGNED = 8  # bytes: every array begins at a multiple, so that a browser reads it in place


def pack_fragment(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The fragment with ``header``, which JSON can hold, and ``arrays``.

    Inflated, it begins with the length of the header as 32 bits, little-endian. The header has, beside what is given, under ``arrays``
    the type, the first byte behind the header, and the number of values of each array.
    """
    places: dict[str, list[Any]] = {}
    body = bytearray()
    for name, values in arrays.items():
        body += bytes(-len(body) % _ALIGNED)
        plain = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"))
        places[name] = [plain.dtype.str[1:], len(body), int(plain.size)]
        body += plain.tobytes()
    text = json.dumps({**header, "arrays": places}, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    text += b" " * (-(len(text) + 4) % _ALIGNED)
    return zlib.compress(len(text).to_bytes(4, "little") + text + bytes(body), 9)


def unpack_fragment(fragment: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of a ``fragment``. Raises `ValueError` or `zlib.error` where it is damaged."""
    plain = zlib.decompress(fragment)
    start = 4 + int.from_bytes(plain[:4], "little")
    header = json.loads(plain[4:start])
    places = header.pop("arrays")
    return header, {name: np.frombuffer(plain, f"<{kind}", count, start + first) for name, (kind, first, count) in places.items()}
