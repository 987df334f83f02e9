import json

import pytest
import yaml

from tests.service.model_server import completion, model_server
from tests.service.test_concept_file import rulebook
from tests.service.test_drafting import home

__all__ = ["home"]

FILE = """\
# mine
net:
  de: [Fangnetz]
  it: [Rete]
  entries:
    moorhuhnjagd-de: Fangnetz
    moorhuhnjagd-it: Rete
  proposed: {moorhuhnjagd-de: 0.4, moorhuhnjagd-it: 0.4}   # hm
path:
  de: [Bohlenweg]
  it: [Passerella]
  entries: {moorhuhnjagd-de: Bohlenweg, moorhuhnjagd-it: Passerella}
  proposed: {moorhuhnjagd-de: 0.9, moorhuhnjagd-it: 0.9}
"""


@pytest.fixture
def regula(regula, tmp_path):
    for language in ("de", "it"):
        (tmp_path / f"book-{language}.md").write_text(rulebook(language), encoding="utf-8")
        assert (
            regula(
                "add", tmp_path / f"book-{language}.md", "--game", "moorhuhnjagd", "--yes"
            ).status
            == 0
        )
    return regula


def test_a_reason_is_written_and_nothing_else_changes(regula, home, monkeypatch):
    path = home / "concepts" / "moorhuhnjagd.yaml"
    path.write_text(FILE, encoding="utf-8")

    def reply(_, __):
        pairs = [
            {"number": 1, "reason": "Same: both\n hold a player."},
            {"number": 7, "reason": "Different: no."},
        ]
        return completion(json.dumps({"pairs": pairs}))

    with model_server(reply) as server:
        monkeypatch.setenv("REGULA_MODEL_URL", server.url)
        monkeypatch.setenv("REGULA_MODEL_NAME", "toy")
        done = regula("concepts", "explain", "--yes")
        assert "nothing to explain" in regula("concepts", "explain", "--yes").out
        assert len(server.requests) == 1
    assert done.status == 0
    assert "1 doubtful proposals" in done.out
    user = server.requests[0]["messages"][1]["content"]
    assert "headed: Fangnetz" in user
    assert "Bohlenweg" not in user.partition("</passage>")[0]
    before, after = yaml.safe_load(FILE), yaml.safe_load(path.read_text())
    assert after["net"].pop("why") == "Same: both hold a player."
    assert after == before
    assert path.read_text().startswith(FILE[: FILE.index("path:")].rstrip("\n"))
