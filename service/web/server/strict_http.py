"""Requests that two readers could divide differently, such as a proxy and this server, are refused
(RFC 9112, 2.2, 5.1, 5.2, 6.1, 6.3).
"""

from __future__ import annotations

from h11 import Connection, RemoteProtocolError
from h11._receivebuffer import ReceiveBuffer

_FINE = bytes(byte for byte in range(256) if byte in b"\t\r\n" or 32 <= byte != 127)
_FRAMING = (b"content-length:", b"transfer-encoding:")


def make_strict(connection: Connection) -> None:
    """Have ``connection``, which has not received anything yet, refuse what h11 puts up with."""
    connection._receive_buffer = _StrictBuffer()


class _StrictBuffer(ReceiveBuffer):
    """What h11 takes heads and trailers from, line by line."""

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """Return the lines up to the first empty one; None where that is not there yet. Raises
        `RemoteProtocolError`.
        """
        end = 0 if self._data.startswith(b"\r\n") else self._data.find(b"\r\n\r\n")
        head = self._data if end < 0 else self._data[: end + 2]
        ends = head.count(b"\r\n")
        if head.count(b"\n") != ends or head.count(b"\r") - head.endswith(b"\r") != ends:
            raise RemoteProtocolError(
                "a line that ends otherwise than with carriage return and line feed"
            )
        if b"\n " in head or b"\n\t" in head or head.translate(None, _FINE):
            raise RemoteProtocolError("a header in several lines, or a control character")
        lines = super().maybe_extract_lines()
        if lines:
            _check_framing(lines)
        return lines


def _check_framing(lines: list[bytearray]) -> None:
    """Raise `RemoteProtocolError` where it is not said once, and in one way, how long a body is."""
    said = [line for line in lines[1:] if line[:18].lower().startswith(_FRAMING)]
    if len(said) > 1 or any(b"," in line for line in said):
        raise RemoteProtocolError("the length of the body is said more than once")
    if said and lines[0].endswith(b"HTTP/1.0") and said[0].lower().startswith(_FRAMING[1]):
        raise RemoteProtocolError("HTTP/1.0 has no Transfer-Encoding")
