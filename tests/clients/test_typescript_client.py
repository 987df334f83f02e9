import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.clients import bots
from tests.clients.running import HERE
from tests.service import examples

NEW, ITALIAN = "pegelwacht-de-1.1", "pegelwacht-it-1.1"
_PARAMS = {
    "/v1/compare/{left}/{right}": f'path: {{ left: "{NEW}", right: "{ITALIAN}" }}',
    "/v1/compare/cards/{game}": f'path: {{ game: "{bots.GAME}" }}, query: {{ language: "it" }}',
    "/v1/terms": f'query: {{ game: "{bots.GAME}" }}',
}


@pytest.fixture(scope="module")
def project(service, packages, tmp_path_factory) -> Path:
    """The folder of both programs, compiled."""
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "node_modules").symlink_to(packages)
    for name in ("package.json", "tsconfig.json", "every_call.ts"):
        shutil.copy(HERE / name, folder)
    (folder / "bot.ts").write_text(bots.program("typescript"), encoding="utf-8")
    (folder / "files.ts").write_text(_download_every_file(service), encoding="utf-8")
    done = subprocess.run(
        [packages / ".bin" / "openapi-typescript", service.file, "--output", folder / "regula.ts"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "arning" not in done.stdout + done.stderr
    done = subprocess.run(
        [packages / ".bin" / "tsc", "--project", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return folder / "built"


def _download_every_file(service):
    """A module that downloads a file in each format there is, through the types of its call."""
    calls = [
        f'  "{name}": () => client.GET("{path}", {{ params: {{ {_PARAMS[path.rpartition("/")[0]]} '
        '}, parseAs: "arrayBuffer" }),'
        for name, (_, path, _) in examples.paths(service.document()).items()
        if "_as_" in name and name != "document_as_text"
    ]
    head = (
        'import type { Client } from "openapi-fetch";\nimport type { paths } from "./regula.js";\n'
    )
    return (
        head + "export const files = (client: Client<paths>) => ({\n" + "\n".join(calls) + "\n});\n"
    )


def test_the_bot_of_the_page_answers_ten_questions(project, service):
    assert bots.run(["node", str(project / "bot.js")], service.address) == bots.expected(
        service.address
    )


def test_the_bot_of_the_page_says_what_is_wrong(project, service):
    command = ["node", str(project / "bot.js")]
    assert re.search(r"2[.,]000", bots.run(command, service.address, asked=["a" * 2001])), (
        "the most there may be"
    )
    assert "does not answer" in bots.run(command, "http://127.0.0.1:9", asked=["Anker?"])


def test_every_kind_of_call_is_answered(project, service):
    found = json.loads(
        bots.run(["node", str(project / "every_call.js")], service.address, asked=[])
    )
    assert found["label"].startswith("Pegelwacht ")
    assert found["marked"] is True
    assert found["verdict"] == "exact"
    assert {"de", "it"} <= set(found["languages"])
    assert found["right"] == ITALIAN
    assert found["refused"] == 404
    assert {"terms_as_xlsx", "compare_as_tmx", "compare_cards_as_csv"} <= set(found["files"])
    assert all(size > 100 for size in found["files"].values())
