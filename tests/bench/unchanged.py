"""Record the program's answers, and compare two such records: for changes that must not change any
answer.

    python -m tests.bench.unchanged record FOLDER [--questions FILE ...]
    python -m tests.bench.unchanged compare FOLDER FOLDER

Records come from the command line and over HTTP. To record the code before a change, name another
checkout with ``--program``. ``REGULA_RULEBOOKS`` and ``REGULA_INDEX`` choose the rulebooks and the
index, as for every command.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import itertools
import json
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import httpx

from tests.service.serving import free_port

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-c", "from service.cli import main; main()"]
STARTING = 900.0  # for the service to answer; it may first have to build its index
SAMPLE = 25  # entries of each edition whose pages are recorded
ASKED = 40  # questions of each file that are also sent to the pages, to /v1/context and to chats
LANGUAGES = ("de", "it", "en")

# Parts that differ between runs without any change: the snapshot's id and age, versions in
# addresses of static files, times.
_VARIABLE = [
    (re.compile(rb"\b\d{8}T\d{9}-[0-9a-f]{8}\b"), b"SNAPSHOT"),
    (re.compile(rb"([?&](?:amp;)?v=)[0-9a-f]{12}"), rb"\1VERSION"),
    (re.compile(rb"\b\d{8}T\d{6}Z"), b"TIME"),
    (re.compile(rb"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|\+00:00)?"), b"TIME"),
    (re.compile(rb"127\.0\.0\.1:\d+"), b"HOST"),
    (re.compile(rb'"request": ?"[0-9a-f]{16}"'), b'"request":"REQUEST"'),
    (re.compile(rb"(<time datetime=\"TIME\">)[^<]*(</time>) \([^)]*\)"), rb"\1TIME\2"),
]


def commands(
    editions: Sequence[dict[str, str]], games: Iterable[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield names of records and the arguments of the commands that print them."""
    yield "editions", ["editions", "--json"]
    yield "entries", ["entries", "--json"]
    yield "check.json", ["check", "--json"]
    yield "check.txt", ["check"]
    yield "phrasings-missing", ["phrasings", "missing", "--json"]
    yield "phrasings-orphaned", ["phrasings", "orphaned", "--json"]
    for edition in editions:
        yield f"check-{edition['id']}", ["check", "--edition", edition["id"]]
    for left, right in itertools.permutations(editions, 2):
        if left["game"] == right["game"]:
            for form in ("table", "json", "csv", "html", "tbx", "tmx"):
                yield (
                    f"compare-{left['id']}-{right['id']}.{form}",
                    ["compare", left["id"], right["id"], "--format", form],
                )
    for game in games:
        for form in ("json", "csv", "tbx"):
            yield f"terms-{game}.{form}", ["terms", "--game", game, "--format", form]
        yield f"terms-{game}-check", ["terms", "--game", game, "--check", "--json"]


def run(program: Path, arguments: Sequence[str]) -> bytes:
    """Return what a command writes to standard output and standard error, and its exit status."""
    environment = os.environ | {"PYTHONPATH": str(program)}
    done = subprocess.run(
        [*COMMAND, *arguments], cwd=program, env=environment, capture_output=True, check=False
    )
    return (
        done.stdout
        + b"\n--- standard error\n"
        + done.stderr
        + f"\n--- exit status {done.returncode}\n".encode()
    )


@contextmanager
def serving(program: Path, log: Path) -> Iterator[str]:
    """Yield the address of the service of ``program`` while it runs. Raises `RuntimeError` where it
    does not start.
    """
    port = free_port()
    environment = os.environ | {
        "PYTHONPATH": str(program),
        "REGULA_RATE_LIMIT": "",
        "REGULA_CONNECTIONS_PER_CLIENT": "100",
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*COMMAND, "serve", "--port", str(port)],
            cwd=program,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + STARTING
        while True:
            with suppress(httpx.TransportError):
                if httpx.get(f"{address}/readyz", timeout=5).status_code == 200:
                    break
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(log.read_text(errors="replace")[-2000:])
            time.sleep(0.5)
        yield address
    finally:
        process.terminate()
        process.wait(60)


def fetch(address: str, language: str = "de", body: object = None) -> bytes:
    """Return status, type and body of the response. Retries while the service is busy (429, 503) or
    not ready yet (202).
    """
    method, headers = "GET" if body is None else "POST", {"Accept-Language": language}
    while True:
        response = httpx.request(
            method, address, headers=headers, json=body, timeout=300, follow_redirects=True
        )
        if response.status_code not in (202, 429, 503):
            return (
                f"{response.status_code} {response.headers.get('Content-Type')}\n".encode()
                + response.content
            )
        time.sleep(1)


def stable(content: bytes) -> bytes:
    """Return ``content`` without parts that differ between two runs of the same program; for a
    workbook, its unpacked parts.
    """
    head, line, rest = content.partition(b"\n")
    if rest.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(rest)) as parts:
            named = [
                (name, parts.read(name))
                for name in sorted(parts.namelist())
                if not name.startswith("docProps/")
            ]
        content = head + line + b"".join(name.encode() + b"\n" + part for name, part in named)
    for pattern, replacement in _VARIABLE:
        content = pattern.sub(replacement, content)
    return content


def addresses(
    base: str, editions: Sequence[dict[str, str]], entries: Sequence[dict[str, str]]
) -> Iterator[str]:
    """Yield addresses of pages and API calls that need no question."""
    games = sorted({edition["game"] for edition in editions})
    yield from (
        f"{base}/{page}"
        for page in (
            "",
            "browse",
            "cards",
            "compare",
            "state",
            "about",
            "offline",
            "v1/editions",
            "openapi.json",
            "openapi-translators.json",
        )
    )
    for game in games:
        yield f"{base}/terms/{game}"
        yield from (
            f"{base}/v1/terms?game={game}&format={form}" for form in ("json", "csv", "xlsx", "tbx")
        )
        yield f"{base}/v1/terms/check?game={game}"
    for edition in editions:
        id = edition["id"]
        yield from (f"{base}/{page}/{id}" for page in ("browse", "state", "v1/editions"))
        yield f"{base}/v1/editions/{id}/changes"
        yield from (f"{base}/v1/entries?edition={id}&page={page}" for page in (1, 2))
    for left, right in itertools.permutations(editions, 2):
        if left["game"] == right["game"]:
            yield f"{base}/compare/{left['id']}/{right['id']}"
            pair = f"{base}/v1/compare/{left['id']}/{right['id']}"
            yield from (f"{pair}{form}" for form in ("", "/csv", "/html", "/tbx", "/tmx", "/xlsx"))
    for entry in entries:
        yield f"{base}/e/{quote(entry['id'])}"
        yield f"{base}/v1/entries/{quote(entry['id'])}"
        start = quote(entry["title"][:5])
        yield f"{base}/v1/suggest?q={start}"
        if entry["kind"] in ("ruling", "erratum"):
            yield f"{base}/v1/rulings?card={quote(entry['title'])}"
        if entry["concept"]:
            yield f"{base}/v1/concepts/{quote(entry['concept'])}"


def spaced(things: Sequence[dict[str, str]], count: int) -> Sequence[dict[str, str]]:
    """Return about ``count`` of ``things``, evenly spaced."""
    return things[:: max(1, len(things) // count)]


def record(folder: Path, program: Path, questions: Sequence[Path]) -> None:
    """Write all records of ``program`` into ``folder``: a file for each command, and JSON lines of
    responses with their hashes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with serving(program, folder / ".log") as base:
        listed = json.loads(fetch(f"{base}/v1/editions").partition(b"\n")[2])
        editions = listed["editions"] if isinstance(listed, dict) else listed
        games = sorted({edition["game"] for edition in editions})
        for name, arguments in commands(editions, games):
            (folder / f"cli-{name}").write_bytes(stable(run(program, arguments)))
        for file in questions:
            (folder / f"cli-ask-{file.name}").write_bytes(
                stable(run(program, ["ask", "--batch", str(file)]))
            )
            (folder / f"cli-evaluate-{file.name}").write_bytes(
                stable(run(program, ["evaluate", str(file)]))
            )
        entries = [
            json.loads(line)
            for line in run(program, ["entries", "--json"]).splitlines()
            if line.startswith(b"{")
        ]
        chosen = [
            e
            for edition in editions
            for e in spaced([x for x in entries if x["edition"] == edition["id"]], SAMPLE)
        ]
        with (folder / "http.jsonl").open("w") as out:

            def note(name: str, content: bytes) -> None:
                body = stable(content)
                digest = hashlib.sha256(body).hexdigest()
                out.write(
                    json.dumps(
                        {"name": name, "sha256": digest, "body": body.decode("utf-8", "replace")},
                        ensure_ascii=False,
                    )
                    + "\n"
                )

            for address in addresses(base, editions, chosen):
                for language in LANGUAGES:
                    note(f"{language} {address.removeprefix(base)}", fetch(address, language))
            for file in questions:
                rows = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
                for row in spaced(rows, ASKED):
                    asked = {"question": row["question"]}
                    quoted = quote(row["question"])
                    for language in LANGUAGES:
                        note(f"{language} page {row['id']}", fetch(f"{base}/?q={quoted}", language))
                    answer = fetch(f"{base}/v1/ask", body={**asked, "fields": "all"})
                    note(f"ask {row['id']}", answer)
                    for form in ("markdown", "plain", "discord"):
                        note(
                            f"chat {form} {row['id']}",
                            fetch(f"{base}/v1/message?format={form}&q={quoted}"),
                        )
                    context = fetch(f"{base}/v1/context", body=asked | {"budget": 800})
                    note(f"context {row['id']}", context)
                    text = (
                        str(json.loads(context.partition(b"\n")[2]).get("text") or "")
                        if context.startswith(b"200")
                        else ""
                    )
                    note(
                        f"verify {row['id']}",
                        fetch(f"{base}/v1/verify", body={"text": text[:8000] or row["question"]}),
                    )


def _read(folder: Path) -> dict[str, str]:
    """Return every record of ``folder`` by its name."""
    found = {path.name: path.read_text(errors="replace") for path in sorted(folder.glob("cli-*"))}
    for line in (folder / "http.jsonl").read_text().splitlines():
        row = json.loads(line)
        found[row["name"]] = stable(row["body"].encode()).decode()
    return found


def compare(left: Path, right: Path) -> int:
    """Print which records differ, each with its first difference, and return their number."""
    before, after = _read(left), _read(right)
    differing = 0
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        if one == other:
            continue
        differing += 1
        if one is None or other is None:
            print(f"{name}: only in {right if one is None else left}")
            continue
        at = next(
            (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
            min(len(one), len(other)),
        )
        print(
            f"{name}: differs at {at}:\n  - {one[max(0, at - 80) : at + 80]!r}\n  + "
            f"{other[max(0, at - 80) : at + 80]!r}"
        )
    print(f"{len(before.keys() | after.keys())} records, {differing} differ")
    return differing


def main() -> int:
    """Run the command line of this module and return 1 where records differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    actions = parser.add_subparsers(dest="action", required=True)
    recording = actions.add_parser("record")
    recording.add_argument("folder", type=Path)
    recording.add_argument(
        "--program", type=Path, default=ROOT, help="checkout whose code is recorded"
    )
    recording.add_argument(
        "--questions", type=Path, nargs="*", default=[], help="question files (JSON lines)"
    )
    comparing = actions.add_parser("compare")
    comparing.add_argument("left", type=Path)
    comparing.add_argument("right", type=Path)
    options = parser.parse_args()
    if options.action == "record":
        record(
            options.folder.resolve(),
            options.program.resolve(),
            [path.resolve() for path in options.questions],
        )
        return 0
    return 1 if compare(options.left, options.right) else 0


if __name__ == "__main__":
    sys.exit(main())
