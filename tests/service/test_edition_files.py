import base64
import gzip
import hashlib
import json
import os
import subprocess
import sys
import tracemalloc
from datetime import timedelta
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from jsonschema import Draft202012Validator

from service.editions.exported_files import compressed, entry_lines
from service.ops.settings import Settings
from service.web.app import create_app
from tests.conftest import SAMPLE
from tests.environment import without_settings
from tests.service.harbour import Harbour, Indexes, library

DE = "sternenhafen-de-1.0"
FILE = f"/v1/export/{DE}.jsonl.gz"


def make(**said):
    indexes = Indexes(Harbour(library()))
    return FlaskClient(create_app(indexes, Settings(**said))), indexes


def test_a_line_is_what_the_entry_itself_answers(client):
    lines = gzip.decompress(client.get(FILE).data).decode().splitlines()
    listed = client.get(f"/v1/entries?edition={DE}").json["entries"]
    assert [json.loads(line)["id"] for line in lines] == [entry["id"] for entry in listed]
    for line in lines:
        assert json.loads(line) == client.get(f"/v1/entries/{json.loads(line)['id']}").json


def test_every_line_is_as_the_description_says(client):
    description = client.get("/openapi-translators.json").json
    address, _, pointer = client.get("/v1/export").json["line"].partition("#")
    schema: Any = client.get(address).json
    for part in pointer.strip("/").split("/"):
        schema = schema[part]
    validator = Draft202012Validator(schema | {"components": description["components"]})
    for line in gzip.decompress(client.get(FILE).data).splitlines():
        validator.validate(json.loads(line))


def test_the_list_says_what_is_loaded_later(client):
    listed = client.get("/v1/export").json
    assert listed["index"] == client.get("/v1/export").headers["X-Regula-Index"]
    assert {each["edition"] for each in listed["exports"]} == {
        each["id"] for each in client.get("/v1/editions").json["editions"]
    }
    for each in listed["exports"]:
        raw = client.get(each["url"]).data
        assert (each["bytes"], each["sha256"]) == (len(raw), hashlib.sha256(raw).hexdigest())
        assert each["lines"] == len(gzip.decompress(raw).splitlines()) > 0


def test_the_headers_name_the_bytes_and_their_day(client, indexes):
    answer = client.get(FILE)
    digest = hashlib.sha256(answer.data).digest()
    assert (answer.mimetype, "Content-Encoding" in answer.headers) == ("application/gzip", False)
    assert answer.headers["ETag"] == f'"{digest.hex()}"'
    assert answer.headers["Repr-Digest"] == f"sha-256=:{base64.b64encode(digest).decode()}:"
    assert answer.last_modified == indexes.index.built
    assert answer.headers["Content-Disposition"] == f"attachment; filename={DE}.jsonl.gz"
    assert len(answer.headers.getlist("Date")) == 0  # which the server says, once
    head = client.head(FILE)
    assert (head.data, head.headers["Content-Length"], head.headers["ETag"]) == (
        b"",
        str(len(answer.data)),
        answer.headers["ETag"],
    )


def test_who_has_it_loads_nothing_even_of_another_index(client, indexes):
    tag = client.get(FILE).headers["ETag"]
    indexes.index = Harbour(library(), id="index-2", built=indexes.index.built + timedelta(days=1))
    again = client.get(FILE, headers={"If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert again.headers["X-Regula-Index"] == "index-2"
    assert (
        client.get(FILE, headers={"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}).status_code
        == 304
    )


def test_a_download_that_broke_off_goes_on(client):
    whole = client.get(FILE)
    part = client.get(FILE, headers={"Range": "bytes=100-", "If-Range": whole.headers["ETag"]})
    assert (part.status_code, part.data) == (206, whole.data[100:])
    assert part.headers["Content-Range"] == f"bytes 100-{len(whole.data) - 1}/{len(whole.data)}"
    assert part.headers["Repr-Digest"] == whole.headers["Repr-Digest"]
    assert (
        client.get(FILE, headers={"Range": "bytes=100-", "If-Range": '"another"'}).data
        == whole.data
    )
    beyond = client.get(FILE, headers={"Range": "bytes=99999999-"})
    assert (beyond.status_code, beyond.json["type"]) == (
        416,
        "urn:regula:problem:range-not-satisfiable",
    )
    assert beyond.headers["Content-Range"] == f"bytes */{len(whole.data)}"


def test_what_is_not_there_is_a_problem(client):
    for path in (
        "/v1/export/none.jsonl.gz",
        f"/v1/export/{DE}",
        f"/v1/export/{DE}.jsonl",
        "/v1/export/../export",
    ):
        assert client.get(path).status_code == 404
        assert client.get(path).mimetype == "application/problem+json"


def test_an_owner_who_shows_no_documents_gives_none_away():
    client, _ = make(show_documents=False)
    for path in ("/v1/export", FILE):
        assert (client.get(path).status_code, client.get(path).json["type"]) == (
            404,
            "urn:regula:problem:unknown",
        )
    assert client.get(f"/v1/entries/{DE}/hafen").status_code == 200


def test_the_bytes_are_the_same_at_every_time_and_in_every_process(sample_library, tmp_path):
    here = compressed(entry_lines(sample_library, "pegelduell-de-2.0"))
    assert here == compressed(entry_lines(sample_library, "pegelduell-de-2.0"))
    assert here[:8] == bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0])  # no name, no time
    program = Path(sys.executable).parent / "regula"
    options = ["--edition", "pegelduell-de-2.0", "--output", str(tmp_path / "made")]
    environment = without_settings() | {
        "REGULA_RULEBOOKS": str(SAMPLE),
        "PYTHONHASHSEED": "7",
        "TZ": "Asia/Tokyo",
    }
    done = subprocess.run(
        [program, "export", *options], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "made" / "pegelduell-de-2.0.jsonl.gz").read_bytes() == here
    assert sorted(os.listdir(tmp_path / "made")) == ["SHA256SUMS", "pegelduell-de-2.0.jsonl.gz"]
    check = subprocess.run(
        ["sha256sum", "--check", "SHA256SUMS"],
        cwd=tmp_path / "made",
        capture_output=True,
        text=True,
    )
    assert check.returncode == 0, check.stdout


def test_a_large_rulebook_is_made_line_by_line():
    line = json.dumps({"text": "Flaute " * 200}).encode() + b"\n"
    tracemalloc.start()
    try:
        made = compressed(line for _ in range(20_000))  # 28 MB
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(gzip.decompress(made)) == 20_000 * len(line)
    assert most < 3_000_000


def test_lines_have_the_spans_of_the_document(sample_library):
    edition = sample_library.editions[0].id
    for number, line in enumerate(entry_lines(sample_library, edition)):
        entry = json.loads(line)
        assert entry["source"]["sha256"] == sample_library.sources[edition].sha256
        for passage in entry["passages"]:
            assert passage["citation"]["entry"] == entry["id"]
            assert passage["citation"]["source"]["spans"]
        if number > 50:
            break
