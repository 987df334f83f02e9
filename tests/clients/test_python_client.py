import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.clients import bots
from tests.conftest import ROOT
from tests.service import examples

CONFIG = ROOT / "examples" / "python_client.yaml"
BIN = Path(sys.executable).parent
NEW, ITALIAN = "pegelwacht-de-1.1", "pegelwacht-it-1.1"


def generate(described, folder):
    """Make the client of a description in ``folder``."""
    command = [
        BIN / "openapi-python-client",
        "generate",
        "--path",
        described.file,
        "--config",
        CONFIG,
        "--output-path",
        folder / "made",
    ]
    variables = os.environ | {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
    }  # ruff is looked for there
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, env=variables
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "arning" not in done.stdout + done.stderr
    return folder / "made"


@pytest.fixture(scope="module")
def client_folder(service, tmp_path_factory) -> Path:
    """The folder with the generated package, and the program of the page beside it."""
    made = generate(service, tmp_path_factory.mktemp("python"))
    (made / "bot.py").write_text(bots.program("python"), encoding="utf-8")
    return made


def test_what_bots_need_makes_a_small_client_that_the_bot_of_the_page_runs_on(for_bots, tmp_path):
    made = generate(for_bots, tmp_path)
    modules = list((made / "regula_client").rglob("*.py"))
    assert sum(len(each.read_text(encoding="utf-8").splitlines()) for each in modules) < 12_000
    (made / "bot.py").write_text(bots.program("python"), encoding="utf-8")
    printed = bots.run([sys.executable, str(made / "bot.py")], for_bots.address)
    assert printed == bots.expected(for_bots.address)


def test_the_configuration_names_every_format_that_is_no_text(service):
    answered = {
        kind
        for _, _, each in examples.paths(service.document()).values()
        for kind in each["responses"]["200"]["content"]
    }
    files = {
        kind for kind in answered if not kind.startswith("text/") and kind != "application/json"
    }
    assert (
        set(yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["content_type_overrides"]) == files
    )


def test_types_fit(client_folder):
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "--cache-dir",
        str(client_folder / ".mypy"),
        "bot.py",
    ]
    done = subprocess.run(command, cwd=client_folder, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("Success"), done.stdout


def test_the_bot_of_the_page_answers_ten_questions(client_folder, service):
    printed = bots.run([sys.executable, str(client_folder / "bot.py")], service.address)
    assert printed == bots.expected(service.address)
    assert len(bots.questions()) == 10
    assert bots.answered(printed) >= 7


def test_the_bot_of_the_page_says_what_is_wrong(client_folder, service):
    command = [sys.executable, str(client_folder / "bot.py")]
    assert re.search(r"2[.,]000", bots.run(command, service.address, asked=["a" * 2001])), (
        "the most there may be"
    )
    assert "does not answer" in bots.run(command, "http://127.0.0.1:9", asked=["Anker?"])


def test_every_kind_of_call_is_answered(client_folder, service, monkeypatch):
    monkeypatch.syspath_prepend(str(client_folder))
    made: Any = importlib.import_module("regula_client")
    models: Any = importlib.import_module("regula_client.models")
    client = made.Client(service.address)

    def call(group, name):
        return importlib.import_module(f"regula_client.api.{group}.{name}").sync

    answer = call("ask", "ask")(
        client=client, body=models.Ask("Darf ein Lotse angreifen?", game=bots.GAME, k=3)
    )
    assert isinstance(answer, models.Answer)
    assert answer.passages[0].label
    context = call("ground", "give_context")(
        client=client, body=models.ContextBody("Darf ein Lotse angreifen?", game=bots.GAME)
    )
    assert context.passages[0].marker in context.prompt
    passage = next(each for each in answer.passages if each.layer == "rulebook")
    checked = call("ground", "verify_quotations")(
        client=client, body=models.VerifyBody(f"„{passage.display}“")
    )
    assert checked.verdict == "exact"
    assert isinstance(call("compare", "terms")(client=client, game=bots.GAME), models.Terms)
    assert isinstance(call("compare", "compare")(NEW, ITALIAN, client=client), models.Comparison)
    refused = call("compare", "compare")(NEW, "no-such", client=client)
    assert isinstance(refused, models.ProblemDetails)
    assert refused.status == 404
    files = [
        name
        for name in examples.paths(service.document())
        if "_as_" in name and name != "document_as_text"
    ]
    assert {"terms_as_xlsx", "compare_as_tmx", "compare_cards_as_csv"} <= set(files)
    said = {
        "compare": ((NEW, ITALIAN), {}),
        "terms": ((), {"game": bots.GAME}),
        "compare_cards": ((bots.GAME,), {"language": "it"}),
    }
    for name in files:
        places, options = said[name.partition("_as_")[0]]
        file = call("compare", name)(*places, client=client, **options)
        content = file if isinstance(file, str) else file.payload.read()
        assert len(content) > 100, name
