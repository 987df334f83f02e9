import json

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from service.cli import cli
from service.editions.terms import (
    library_term_use,
    rulebooks_term_use,
    term_use_table,
    terms_check_out,
)
from service.web.app import create_app
from tests.conftest import SAMPLE
from tests.service.test_comparing import Loaded

SORTS = {"several-renderings", "one-word-several-concepts", "undefined-term", "heading-spelling"}


@pytest.fixture(scope="module")
def loaded(sample_index) -> FlaskClient:
    return create_app(Loaded(sample_index)).test_client()


def test_the_table_lists_renderings_with_counts_and_lines_and_then_what_is_wrong(sample):
    table = term_use_table(rulebooks_term_use(sample.rulebooks, "pegelwacht")).split("\n")
    assert [line.partition(":")[0] for line in table if line and line[0] != " "] == [
        "pegelwacht-de-1.0", "pegelwacht-de-1.1", "pegelwacht-de-online", "pegelwacht-it-1.1",
    ]  # fmt: skip
    assert any(line.endswith("other      Wasserstand  (line 492)") for line in table)
    assert any(
        "Headings spelled otherwise" in line and "Ersetzender Effekt → Ersetzende Effekte" in line
        for line in table
    )


def test_every_concept_has_its_renderings_in_each_edition(sample):
    body = terms_check_out(
        "pegelwacht", rulebooks_term_use(sample.rulebooks, "pegelwacht")
    ).model_dump(mode="json")
    level = next(c for c in body["concepts"] if c["concept"] == "pegelwacht/level")
    assert set(level["editions"]) >= {"pegelwacht-de-1.0", "pegelwacht-de-1.1", "pegelwacht-it-1.1"}
    german = level["editions"]["pegelwacht-de-1.1"]
    assert german["name"] == "Pegel"
    assert [r["lines"] for r in german["renderings"] if r["form"] == "Wasserstand"] == [[492]]
    assert all(r["count"] == sum(r["forms"].values()) >= len(r["lines"]) for c in body["concepts"] for e in c["editions"].values()
               for r in e["renderings"])  # fmt: skip
    assert {f["sort"] for f in body["findings"]} <= SORTS


def test_rulebooks_and_what_an_index_keeps_of_them_are_judged_alike(sample, sample_library):
    for game in ("pegelwacht", "pegelduell"):
        read = terms_check_out(game, rulebooks_term_use(sample.rulebooks, game))
        assert terms_check_out(game, library_term_use(sample_library, game)) == read


def test_the_api_answers_with_the_same(loaded, sample):
    body = loaded.get("/v1/terms/check?game=pegelduell").json
    assert body == terms_check_out(
        "pegelduell", rulebooks_term_use(sample.rulebooks, "pegelduell")
    ).model_dump(mode="json")
    assert loaded.get("/v1/terms/check").status_code == 400
    assert loaded.get("/v1/terms/check?game=nix").status_code in (404, 422)


def test_the_command_line_prints_the_table_or_one_json_object(tmp_path, monkeypatch):
    monkeypatch.setenv("REGULA_RULEBOOKS", str(SAMPLE))
    shown = CliRunner().invoke(cli, ["terms", "--game", "pegelduell", "--check"])
    assert shown.exit_code == 0
    assert shown.output.startswith("pegelduell-de-2.0: ")
    file = tmp_path / "terms.json"
    assert (
        CliRunner()
        .invoke(cli, ["terms", "--game", "pegelduell", "--check", "--json", "--output", str(file)])
        .exit_code
        == 0
    )
    assert set(json.loads(file.read_text(encoding="utf-8"))) == {
        "game",
        "editions",
        "concepts",
        "findings",
    }
    assert CliRunner().invoke(cli, ["terms", "--game", "pegelduell", "--json"]).exit_code == 2
