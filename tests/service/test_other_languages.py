import json
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from flask.testing import FlaskClient
from lxml import etree

from service.cli import cli
from service.web.app import create_app
from tests.index.small_indexes import indexes

ENGLISH = """# Harbour Watch

## Setup

Each player takes three boats and puts them on the quay. Shuffle the fog deck and draw five cards.

## Glossary

### Boat

A boat carries up to two crates. A boat that is moored cannot attack.

See also: Quay, Fog

### Fog

Fog hides every boat in a zone. Hidden boats cannot be attacked until the end of the turn.

### Quay

The quay is where boats are unloaded. A player may unload one crate each turn.

# 1. Storms

1.1. A storm moves every boat by one zone.

1.2. A storm ends at the end of the round.

1.2a. The lighthouse ends a storm at once.

1.3. A storm never sinks a moored boat, see rule 1.1.
"""

SPANISH = """# Guardia del Puerto

## Preparación

Cada jugador toma tres barcos y los coloca en el muelle. Baraja el mazo de niebla y roba cinco cartas.

## Glosario

### Barco

Un barco transporta hasta dos cajas. Un barco que está amarrado no puede atacar.

Véase también: Muelle, Niebla

### Niebla

La niebla oculta todos los barcos de una zona. Los barcos ocultos no pueden ser atacados hasta el final del turno.

### Muelle

El muelle es donde se descargan los barcos. Un jugador puede descargar una caja en cada turno.
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with the rulebooks of the game and an index of them."""
    folder = tmp_path_factory.mktemp("other-languages")
    (folder / "books" / "harbour").mkdir(parents=True)
    (folder / "books" / "harbour" / "watch.md").write_text(ENGLISH, encoding="utf-8")
    (folder / "books" / "harbour" / "guardia.md").write_text(SPANISH, encoding="utf-8")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    indexes(folder / "books", folder / "index").build()
    torch.set_num_threads(threads)
    return folder


@pytest.fixture(scope="module")
def client(place) -> FlaskClient:
    manager = indexes(place / "books", place / "index")
    manager.load()
    return create_app(manager).test_client()


def _run(place, *command):
    """What a command says of these rulebooks."""
    result = CliRunner().invoke(
        cli, [*command, "--rulebooks", str(place / "books"), "--index", str(place / "index")]
    )
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def editions(place) -> dict[str, str]:
    """The id of the edition in each language."""
    return {each["language"]: each["id"] for each in json.loads(_run(place, "editions", "--json"))}


def test_both_languages_are_recognised_and_their_references_are_read(place, editions):
    assert set(editions) == {"en", "es"}
    entries = [json.loads(line) for line in _run(place, "entries", "--json").splitlines()]
    references = {
        entry["id"]: [reference["target"] for reference in entry["references"]] for entry in entries
    }
    english, spanish = editions["en"], editions["es"]
    assert references[f"{english}/boat"] == [f"{english}/quay", f"{english}/fog"]
    assert references[f"{spanish}/barco"] == [f"{spanish}/muelle", f"{spanish}/niebla"]
    assert "nothing found" in _run(place, "check", "--edition", spanish)


@pytest.mark.parametrize(
    ("question", "language", "heading"),
    [
        ("Can a moored boat attack?", "en", "Boat"),
        ("¿Puede atacar un barco amarrado?", "es", "Barco"),
        ("¿Qué oculta la niebla?", "es", "Niebla"),
        ("Est-ce que je peux attaquer deux fois avec mon bateau ?", "fr", None),
        ("Kann ich mit meinem Boot zweimal angreifen?", "de", None),
    ],
)
def test_a_question_is_answered_in_its_language(client, question, language, heading):
    answer = client.post("/v1/ask", json={"question": question, "fields": "all"}).get_json()
    assert answer["language"] == language
    assert heading in (None, answer["passages"][0]["citation"]["heading"])


@pytest.mark.parametrize(
    "question", ["rule 1.2a", "What does rule 1.2A say?", "regla 1.2a", "§ 1.2a"]
)
def test_a_rule_named_by_its_number_comes_first(client, question):
    answer = client.post("/v1/ask", json={"question": question, "fields": "all"}).get_json()
    assert "lighthouse" in answer["passages"][0]["text"]
    assert answer["reading"]["asks"] == "rule"


@pytest.mark.parametrize(
    "address",
    ["/", "/browse", "/compare", "/e/{en}/boat", "/e/{es}/barco", "/compare?left={en}&right={es}"],
)
def test_every_page_shows_them(client, editions, address):
    response = client.get(address.format(**editions), follow_redirects=True)
    assert response.status_code in (200, 202)  # 202 while a comparison is worked out
    assert "Watch" in response.text or "Guardia" in response.text


@pytest.mark.parametrize("form", ["csv", "tbx", "tbx3", "tmx"])
def test_both_languages_are_exported(place, editions, form):
    compared = _run(place, "compare", editions["en"], editions["es"], "--format", form)
    assert "Niebla" in compared or form in ("tmx", "tbx", "tbx3")
    if form != "csv":
        etree.fromstring(compared.encode())
    if form != "tmx":
        terms = _run(place, "terms", "--game", "harbour", "--format", form)
        assert "Barco" in terms
