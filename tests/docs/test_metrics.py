import re

from tests.conftest import ROOT


def documented():
    """Each metric of the table with the code spans of what it is."""
    page = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| metric | is |\n")
    found: dict[str, set[str]] = {}
    for names, meaning in re.findall(
        r"(?m)^\| (`regula_[^|]*) \| (.*) \|$", table.partition("\n\n")[0]
    ):
        for name in re.findall(r"`(\w+)`", names):
            found[name] = set(re.findall(r"`(\w+)`", meaning))
    return found


def exposition(client):
    """What Prometheus reads from a service that has answered the same question twice."""
    for _ in range(2):
        assert client.get("/v1/ask?q=Anker").status_code == 200
    return client.get("/metrics").text


def test_the_documents_have_every_metric_and_no_other(client):
    exported = set(re.findall(r"(?m)^# TYPE (\S+)", exposition(client)))
    assert documented().keys() == exported


def test_the_documents_name_every_label(client):
    labelled = re.findall(r"(?m)^(\w+?)(?:_bucket|_count|_sum)?\{(.*)\} ", exposition(client))
    assert {"regula_questions_total", "regula_request_duration_seconds"} <= {
        name for name, _ in labelled
    }
    for name, labels in labelled:
        told = documented()[name]
        assert set(re.findall(r'(\w+)="', labels)) - {"le", "id"} <= told, name
