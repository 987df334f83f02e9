import base64
import gzip
import hashlib

import pytest

from service.ops.settings import Settings
from service.web.app import create_app
from tests.conftest import ROOT

# A version that was given out stays as it was: pages name its hash. A change is a new file with a
# new version beside the old ones.
RELEASED = {
    "1.0.0": "i0DHsNoSQV5LuPeRPI/IABaE6Qn2y5wDYealmtYpWnsx9gxKmMxDlIN6X9STiYvw",
    "1.1.0": "PvMW+M55JFG+esDkYq7pxySY+NgB0Ok1I6XdeWa0GIwaQpqNl72rZg9K5UXTcn28",
}
NEWEST = "1.1.0"


@pytest.mark.parametrize(("version", "digest"), RELEASED.items())
def test_a_version_that_was_given_out_never_changes(client, version, digest):
    response = client.get(f"/embed/{version}/regula-ask.js")
    assert base64.b64encode(hashlib.sha384(response.data).digest()).decode() == digest
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_every_site_may_load_it_and_asks_for_the_newest_version_again(client):
    newest = client.get("/embed/regula-ask.js", headers={"Origin": "https://fans.example"})
    assert newest.status_code == 200
    assert newest.mimetype == "text/javascript"
    assert newest.data == client.get(f"/embed/{NEWEST}/regula-ask.js").data
    assert newest.headers["Access-Control-Allow-Origin"] == "*"
    assert newest.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "max-age=3600" in newest.headers["Cache-Control"]
    again = client.get("/embed/regula-ask.js", headers={"If-None-Match": newest.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("version", ["9.9.9", "1.0", "..", "regula-ask-1.0.0.js"])
def test_there_is_no_other_version(client, version):
    assert client.get(f"/embed/{version}/regula-ask.js").status_code == 404


def test_it_is_a_few_kilobytes_and_has_all_that_a_strict_page_refuses_nowhere(client):
    code = client.get("/embed/regula-ask.js").data
    assert len(gzip.compress(code, 4)) < 6000
    for refused in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "eval(",
        ".style",
        "new Function",
        "document.write",
        "import(",
    ):
        assert refused not in code.decode()


def test_the_hash_in_the_documents_is_that_of_the_newest_version():
    assert f'integrity="sha384-{RELEASED[NEWEST]}"' in (ROOT / "docs" / "embed.md").read_text(
        encoding="utf-8"
    )


def test_loading_it_is_not_counted_as_a_question(indexes):
    client = create_app(indexes, Settings(rate_limit="1/minute")).test_client()
    assert [client.get("/embed/regula-ask.js").status_code for _ in range(4)] == [200] * 4
