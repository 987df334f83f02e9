"""Damages files: at random, but the same for a seed. Bytes anywhere, and for archives and PDFs also what their readers look at."""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable

Damage = Callable[[random.Random, bytes], bytes]

_TOKENS = (
    b"<", b">", b"</", b"&", b"&#0;", b"&#x110000;", b"<!--", b"]]>", b"<![CDATA[", b"\0", b"\xff\xfe", b"%PDF-1.7", b"endobj", b"stream\n",
    b"endstream", b"obj\n<<", b">>", b"[" * 600, b"(" * 600, b"<b>" * 600, b"R ", b"PK\x03\x04", b"PK\x01\x02", b"xref", b"trailer",
    b"-1", b"99999999999999999999", b"1e308", b"NaN", b"\xed\xa0\x80", b"\xc3", b"\r", b"\n" * 300, "\u202e\u200b\ufeff".encode(),
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
    """Other numbers: references to objects, lengths, coordinates, levels of lists."""
    share = rng.choice([0.002, 0.02, 0.3])
    return _NUMBER.sub(lambda found: rng.choice(_NUMBERS) if rng.random() < share else found.group(), raw)


def _elements(rng: random.Random, raw: bytes) -> bytes:
    """Tags left out, doubled or exchanged."""
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
    """One element within itself, hundreds of times."""
    tags: list[bytes] = [tag for tag in _ELEMENT.findall(raw) if tag[1:2] not in b"/!?" and not tag.endswith(b"/>")]
    if not tags:
        return _repeated(rng, raw)
    tag = rng.choice(tags)
    at, many = raw.find(tag), rng.choice([20, 300, 3000])
    return raw[:at] + tag * many + raw[at:]


_SIMPLE: tuple[Damage, ...] = (_flipped, _cut, _swapped, _repeated, _token, _numbers)
_MARKED: tuple[Damage, ...] = (*_SIMPLE, _elements, _nested)


def _part(rng: random.Random, raw: bytes) -> bytes:
    """Damage within the parts of an archive, which is packed again so that all of it is read; a part may be lost or be another's."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    damaged = {name for name in parts if name.endswith(("xml", "opf", "html", "rels")) and len(parts[name]) > 1}
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
    """``raw`` with one to three faults, the same ones for the same ``seed``."""
    rng = random.Random(seed)
    if raw.startswith(b"PK") and rng.random() < 0.75:
        return _part(rng, raw)
    for damage in rng.choices(_MARKED, k=rng.choice([1, 1, 2, 3])):
        raw = damage(rng, raw)[:4_000_000] or b"\n"
    return raw
