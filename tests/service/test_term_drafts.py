import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from glossary.concepts import load_concepts
from service.ops.workspace import WorkspaceDataFile
from tests.service.invented_replies import aliases
from tests.service.model_server import completion, model_server
from tests.service.test_drafting import home, regula

__all__ = ["home", "regula"]

GAME = "nebelkutter"


@pytest.fixture
def model(monkeypatch) -> Callable[[str], None]:
    def use(url):
        monkeypatch.setenv("REGULA_MODEL_URL", url)
        monkeypatch.setenv("REGULA_MODEL_NAME", "toy")

    return use


def replying(*terms):
    """A model that has something to say on some terms."""
    nothing: dict[str, Any] = {"names": [], "abbreviations": [], "slang": [], "english": []}
    return lambda *_: completion(json.dumps({"terms": [{**nothing, **term} for term in terms]}))


def concepts_file(home):
    (path,) = (home / "concepts").glob("*.yaml")
    return path


def game_of(home):
    (path,) = (home / "editions").glob("*.yaml")
    return str(yaml.safe_load(path.read_text())["game"])


def test_aliases_are_written_read_and_asked_for_only_once(regula, home, model):
    with model_server(aliases) as server:
        model(server.url)
        assert "8 terms, 1 calls" in regula("terms", "draft", "--dry-run").out
        assert server.requests == []
        done = regula("terms", "draft", "--yes")
        assert done.status == 0
        again = regula("terms", "draft", "--yes")
        assert len(server.requests) == 1
    assert "nothing to draft" in again.out
    user = server.requests[0]["messages"][1]["content"]
    assert "Heading 2: Anker" in user
    assert user.count("</passage>") == user.count("<passage>")
    concepts = {concept.id: concept for concept in load_concepts(game_of(home))}
    anchor = concepts["anker"]
    assert anchor.names["de"][0] == "Anker"
    assert len(anchor.names["de"]) == 2
    assert (
        len(anchor.names["en"]) == len(anchor.slang["de"]) == len(anchor.abbreviations["de"]) == 1
    )
    assert anchor.drafted.startswith("toy, 20")
    assert not anchor.entries


def test_what_means_another_term_or_nothing_is_refused(regula, home, model):
    replies = replying(
        {
            "number": 2,
            "names": ["ANKER", "Boje", "Ankers"],
            "slang": ["Haken", "und", "x", "wer wirft wann was wohin und warum"],
        },
        {"number": 4, "slang": ["haken", "42"]},
        {"number": 77},
    )
    with model_server(replies) as server:
        model(server.url)
        done = regula("terms", "draft", "--yes")
    found = yaml.safe_load(concepts_file(home).read_text())
    assert found["anker"]["de"] == ["Anker", "Ankers"]
    assert found["anker"]["slang"] == {"de": ["Haken"]}
    assert "slang" not in found["kohle"]
    for reason in (
        "1 × duplicate",
        "2 × another term",
        "3 × length",
        "1 × everyday word",
        "1 × number",
    ):
        assert reason in done.out


def test_what_the_owner_wrote_stays_as_it_is(regula, home, model):
    before = (
        "# mine\nanchor:\n  de: [Anker]   # as printed\n  slang: {de: [Haken]}\nother:\n  de: "
        "[Anderes]\n"
    )
    path = home / "concepts" / f"{game_of(home)}.yaml"
    path.write_text(before)
    with model_server(replying({"number": 2, "slang": ["Eisen"], "english": ["anchor"]})) as server:
        model(server.url)
        assert regula("terms", "draft", "--yes").status == 0
    text = path.read_text()
    assert text.startswith("# mine\nanchor:\n  de: [Anker]   # as printed\n")
    assert "other:\n  de: [Anderes]\n" in text
    found = yaml.safe_load(text)["anchor"]
    assert found["slang"] == {"de": ["Haken", "Eisen"]}
    assert found["en"] == ["anchor"]
    assert "anker" not in yaml.safe_load(text)


def test_drafts_for_a_concept_of_the_package_are_added_to_it(regula, home):
    packaged = {concept.id: concept for concept in load_concepts("pegelwacht")}["lantern-rule"]
    file = WorkspaceDataFile.of_concepts(home, "pegelwacht")
    file.change(
        lambda _: (
            "lantern-rule:\n  de: [Die Laternenregel]\n  slang: {de: [Funzelregel]}\n  drafted: "
            "toy\n"
        )
    )
    joined = {concept.id: concept for concept in load_concepts("pegelwacht")}["lantern-rule"]
    assert joined.names == packaged.names
    assert joined.entries == packaged.entries
    assert joined.slang["de"] == (*packaged.slang.get("de", ()), "Funzelregel")
