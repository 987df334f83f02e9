"""Update the examples in the API description.

`python -m tests.service.examples edition` requests the response of ``examples/edition.json`` from
the sample index again; without a name, all responses.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from flask.testing import FlaskClient

from service.web import openapi

FOLDER = Path(openapi.__file__).resolve().parents[1] / "schemas" / "examples"
ADMIN = "/v1/admin/"
SHOWN = 2  # items of a list shown in an example


def paths(described: dict[str, Any]) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Return method, path and operation by operation id."""
    return {
        op["operationId"]: (method, path, op)
        for path, item in described["paths"].items()
        for method, op in item.items()
    }


def call(client: FlaskClient, method: str, path: str, example: dict[str, Any]) -> Any:
    """Return the response to an example."""
    said = dict(example["parameters"])
    for name in [n for n in said if f"{{{n}}}" in path]:
        path = path.replace(f"{{{name}}}", quote(str(said.pop(name)), safe="/"))
    return client.open(path, method=method.upper(), query_string=said, json=example.get("body"))


def short(part: Any) -> Any:
    """Return ``part`` of a response with its lists shortened."""
    if isinstance(part, dict):
        return {name: short(value) for name, value in list(part.items())}
    if isinstance(part, list) and part and isinstance(part[0], (dict, str)):
        return [short(each) for each in part[:SHOWN]]
    return part


def write(client: FlaskClient, names: Collection[str] = ()) -> None:
    """Request the responses of the examples ``names``, or of all, and write them into their
    files.
    """
    found = paths(client.get("/openapi-translators.json").get_json())
    for file in sorted(FOLDER.glob("*.json")):
        if names and file.stem not in names:
            continue
        example = json.loads(file.read_text(encoding="utf-8"))
        method, path, _ = found[file.stem]
        if path.startswith(ADMIN):
            continue  # needs an index on disk and a key
        response = call(client, method, path, example)
        while response.status_code == 503:  # it is being prepared
            time.sleep(1)
            response = call(client, method, path, example)
        assert response.status_code == 200, (file.name, response.text)
        example["response"] = short(response.get_json())
        file.write_text(json.dumps(example, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    from service.ops.indexes import IndexManager
    from service.ops.settings import USUAL, Settings, locations
    from service.web.app import create_app

    indexes = IndexManager(locations(Settings(rulebooks=USUAL.sample)), print)
    indexes.ready()
    with TemporaryDirectory() as home:
        write(
            create_app(indexes, Settings(feedback=True, home=Path(home))).test_client(),
            sys.argv[1:],
        )
