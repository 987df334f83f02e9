import asyncio
import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from index.building.snapshots import NotWritable
from service.answers.context import estimate_tokens
from service.browse.edition_contents import section_entries
from service.core.problems import Problem
from service.mcp import BackgroundIndexLoader
from service.mcp.results import PAGE_LENGTH
from tests.conftest import ROOT, SAMPLE
from tests.environment import without_settings
from tests.service.assistants import asked, call, result_of, trouble
from tests.service.harbour import Harbour, Indexes
from tests.service.loops import in_a_loop

DE, IT = "sternenhafen-de-1.0", "sternenhafen-it-1.1"
TOOLS = {
    "ask",
    "read_entry",
    "card_rulings",
    "find_card",
    "rulings_of",
    "compare_editions",
    "list_editions",
    "context",
    "verify",
}
RULING = (
    "Wirken mehrere Fähigkeiten mit gleichem Vorrang zur selben Zeit, bestimmt der Wachhabende die "
    "Reihenfolge."
)


@pytest.fixture(scope="session")
def harbour(harbour_library) -> Harbour:
    return Harbour(harbour_library, id="harbour-mcp")


def test_every_tool_is_described_typed_and_changes_nothing(harbour):
    tools = asked(harbour, lambda client: client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    for tool in tools:
        assert tool.description
        assert tool.output_schema is None
        assert tool.annotations.read_only_hint
        assert not tool.annotations.open_world_hint
        assert all("description" in value for value in tool.input_schema["properties"].values())


def test_an_answer_quotes_cites_and_can_be_checked(harbour):
    body = call(harbour, "ask", question="betäubtes Schiff", edition=DE, k=1)
    assert body["verdict"] == "settled"
    passage = body["passages"][0]
    assert (
        passage["words"]
        == "Ein Schiff kann nur im eigenen Hafen ankern. Ein betäubtes Schiff kann nicht ankern."
    )
    assert "decides" not in passage, "all of it does"
    assert passage["label"] == "Sternenhafen Regelbuch 1.0 (de), Ankern, Z. 10–11"
    checked = call(harbour, "verify", text=f"«{passage['words']}» [{passage['marker']}]")
    assert checked["verdict"] == "exact"
    assert (
        call(harbour, "context", question="betäubtes Schiff", budget=400)["passages"][0]["marker"]
        == passage["marker"]
    )


def test_what_assistants_read_is_short(harbour):
    listed = asked(harbour, lambda client: client.list_tools())
    tools = listed.model_dump_json(by_alias=True, exclude_none=True)
    # A token of o200k is at least 4 bytes of these English descriptions.
    assert len(tools.encode()) / 4 <= 3000

    def parts(part):
        yield part
        for each in (
            part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        ):
            yield from parts(each)

    for body in (
        call(harbour, "ask", question="betäubtes Schiff"),
        call(harbour, "read_entry", entry=f"{DE}/ankern"),
        call(harbour, "verify", text="„Ein betäubtes Schiff kann nicht ankern.“"),
    ):
        inside = list(parts(body))
        assert not [each for each in inside if each in (None, "", [], {})]
        assert not [each for each in inside if isinstance(each, dict) and "source" in each]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("ask", {"question": "x", "k": 99}, "k: This has to be at most 20."),
        ("ask", {"question": 7}, "question: This has to be a text."),
        ("ask", {"question": "x", "layers": ["poems"]}, "layers"),
        ("read_entry", {}, "entry is missing"),
        ("context", {"question": "x", "budget": "many"}, "budget: This has to be a whole number."),
    ],
)
def test_a_wrong_value_is_told_in_plain_words(harbour, tool, arguments, said):
    told = trouble(harbour, tool, **arguments)
    assert said in told
    assert "pydantic" not in told
    assert "http" not in told


def test_an_open_question_comes_with_the_games_own_rule(harbour_library):
    body = call(
        Harbour(harbour_library, id="harbour-open", settles=False), "ask", question="Schiff"
    )
    assert body["verdict"] == "open"
    assert "Hafenmeister" in body["fallback"]["words"]


def test_an_entry_is_read_whole_and_replaced_wording_told_apart(harbour):
    body = call(harbour, "read_entry", entry=f"{DE}/ankern")
    assert len(body["passages"]) == 4
    assert [each["entry"] for each in body["see_also"]] == [f"{DE}/flaute", f"{DE}/sturm"]
    assert [each["title"] for each in body["inside"]] == ["Glossar"]
    assert [
        p.get("superseded", False)
        for p in call(harbour, "read_entry", entry=f"{DE}/erratum-leuchtturm-12")["passages"]
    ] == [True, False]


def test_a_long_chapter_has_pages_that_have_every_rule_once(sample_library):
    index, edition = Harbour(sample_library, id="sample-sections"), "pegelwacht-de-1.1"
    roots = [
        entry
        for entry in sample_library.entries_of(edition)
        if sample_library.children_of.get(entry.id)
    ]
    longest = max(roots, key=lambda entry: sum(1 for _ in section_entries(sample_library, entry)))
    first = call(index, "read_entry", entry=longest.id)["contents"]
    assert first["pages"] > 1
    pages = [
        first,
        *(
            call(index, "read_entry", entry=longest.id, page=page)["contents"]
            for page in range(2, first["pages"] + 1)
        ),
    ]
    assert [each["entry"] for page in pages for each in page["entries"]] == [
        e.id for e, _ in section_entries(sample_library, longest)
    ]
    assert all(len(json.dumps(page, ensure_ascii=False)) < 2 * PAGE_LENGTH for page in pages)


def test_the_text_of_a_result_is_its_json_without_blanks(harbour):
    result = result_of(harbour, "ask", question="betäubtes Schiff")
    assert result.content[0].text == json.dumps(
        result.structured_content, ensure_ascii=False, separators=(",", ":")
    )


def test_a_context_is_within_its_budget_as_it_reaches_the_assistant(harbour):
    counts = []
    for budget in (200, 300, 500, 1500):
        result = result_of(harbour, "context", question="Schiff Hafen Leuchtturm", budget=budget)
        assert estimate_tokens(result.content[0].text) <= budget
        counts.append(len(result.structured_content.get("passages", [])))
    assert counts[1] >= 1
    assert counts == sorted(counts)


def prompt(index, **arguments):
    """What the prompt for a ruling says."""
    found = asked(index, lambda client: client.get_prompt("rule_on_question", arguments))
    return str(found.messages[0].content.text)


def test_a_prompt_tells_how_to_rule_on_a_question(harbour):
    (found,) = asked(harbour, lambda client: client.list_prompts()).prompts
    assert (found.name, found.title) == ("rule_on_question", "Rule on this question")
    assert [(each.name, each.required) for each in found.arguments] == [
        ("question", True),
        *((name, False) for name in ("game", "edition", "language")),
    ]
    said = prompt(harbour, question="Mein {Schiff} liegt …", edition=DE, language="it")
    for words in (
        "Mein {Schiff} liegt …",
        f"[{DE}]",
        f'edition "{DE}"',
        "(German)",
        "four times",
        "word for word",
        "in the language it",
    ):
        assert words in said
    assert IT not in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"query": "x"}, "Did you mean question?"),
        ({}, "question is empty"),
        ({"question": "x", "game": "chess"}, "sternenhafen"),
        ({"question": "x", "language": "la tin"}, "language tag"),
    ],
)
def test_a_prompt_that_cannot_be_made_says_why(harbour, arguments, said):
    async def get(client):
        with pytest.raises(MCPError, match=re.escape(said)):
            await client.get_prompt("rule_on_question", arguments)

    asked(harbour, get)


def test_rulings_of_a_card_and_differences_of_editions(harbour):
    assert [
        each["kind"] for each in call(harbour, "card_rulings", card="Leuchtturm")["rulings"]
    ] == ["ruling", "ruling", "erratum"]
    assert call(harbour, "card_rulings", number="99")["total"] == 0
    body = call(harbour, "compare_editions", left=DE, right=IT)
    assert sum(body["summary"].values()) == body["total"] == len(body["entries"])
    assert not any("rows" in entry for entry in body["entries"])
    one = call(harbour, "compare_editions", left=DE, right=IT, entry="Ankern")
    assert one["total"] == 1
    assert one["entries"][0]["rows"][0]["left"][0]["words"].startswith("Ein Schiff kann nur")


def test_entries_that_differ_come_first_by_pages(sample_library):
    index = Harbour(sample_library, id="sample-mcp")
    pages = [
        call(
            index,
            "compare_editions",
            left="pegelwacht-de-1.0",
            right="pegelwacht-de-1.1",
            page=page,
        )
        for page in (1, 2)
    ]
    assert [len(page["entries"]) for page in pages] == [20, 20]
    last = call(
        index,
        "compare_editions",
        left="pegelwacht-de-1.0",
        right="pegelwacht-de-1.1",
        page=pages[0]["pages"],
    )
    statuses = [entry["status"] for page in (*pages, last) for entry in page["entries"]]
    assert "same" not in statuses[: statuses.index("same")]
    assert set(statuses[statuses.index("same") :]) == {"same"}


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("read_entry", {"entry": "none"}, "no entry"),
        ("card_rulings", {}, "Name a card"),
        ("compare_editions", {"left": DE, "right": DE}, "same as itself"),
        ("compare_editions", {"left": DE, "right": "none"}, IT),
        ("compare_editions", {"left": DE, "right": IT, "entry": "Nichts"}, "Nichts"),
        ("context", {"question": "Schiff", "budget": 1}, "200"),
        ("verify", {"text": ""}, "empty"),
        (
            "ask",
            {"query": "Schiff"},
            "no argument 'query' here. Known: question, game, edition, language, k, as_of, layers, "
            "context. Did you mean question?",
        ),
        ("read_entry", {"id": f"{DE}/ankern"}, "Did you mean entry?"),
        ("list_editions", {"game": "sternenhafen"}, "takes no arguments"),
    ],
)
def test_a_wrong_call_says_what_to_do(harbour, tool, arguments, said):
    assert said in trouble(harbour, tool, **arguments)


def test_entries_and_editions_are_resources(harbour):
    async def read(client):
        with pytest.raises(MCPError, match="no entry"):
            await client.read_resource(f"regula://entry/{DE}/none")
        return (
            (await client.list_resource_templates()).resource_templates,
            await client.read_resource(f"regula://entry/{DE}/flaute"),
            await client.read_resource("regula://editions"),
        )

    templates, entry, editions = asked(harbour, read)
    assert [template.uri_template for template in templates] == ["regula://entry/{edition}/{slug}"]
    assert (
        "> Bei Flaute darf kein Schiff den Hafen verlassen, außer es hat Ruder."
        in entry.contents[0].text
    )
    assert "— Sternenhafen Regelbuch 1.0 (de), Flaute, Z. 25–27" in entry.contents[0].text
    assert f'"{IT}"' in editions.contents[0].text


def test_calls_wait_for_the_index_and_say_so_when_it_takes_long(harbour):
    opened = threading.Event()

    def ready():
        assert opened.wait(30)
        return harbour

    opening = BackgroundIndexLoader(Indexes(None), ready, wait=0.01)
    with pytest.raises(Problem, match="still being built"):
        opening.snapshot()
    opened.set()
    opening._wait = 30
    assert opening.snapshot() is harbour

    def fails():
        raise NotWritable("the disk is full")

    with pytest.raises(Problem, match="the disk is full"):
        BackgroundIndexLoader(Indexes(None), fails).snapshot()


def test_a_fault_of_the_program_is_in_the_log_and_not_told_to_assistants(caplog):
    def fails():
        raise KeyError("capitals")

    with pytest.raises(Problem, match="fault of the program"):
        BackgroundIndexLoader(Indexes(None), fails).snapshot()
    assert "Traceback" in caplog.text
    assert "KeyError: 'capitals'" in caplog.text


async def questions(client):
    """What is asked of a server over either transport."""
    assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
    result = await client.call_tool(
        "ask", {"question": "Wer entscheidet bei gleichzeitigen Effekten?", "game": "pegelwacht"}
    )
    assert not result.is_error, result.content
    body = result.structured_content
    assert body is not None
    assert RULING in [passage["words"] for passage in body["passages"]]
    checked = await client.call_tool("verify", {"text": f"„{RULING}“"})
    assert checked.structured_content is not None
    assert checked.structured_content["verdict"] == "exact"


def test_an_assistant_asks_by_standard_input(sample_snapshots):
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from service.cli import main; main(['mcp'])"],
        env={
            **without_settings(),
            "REGULA_RULEBOOKS": str(SAMPLE),
            "REGULA_INDEX": str(sample_snapshots.folder),
        },
        cwd=ROOT,
    )

    async def ask():
        async with Client(stdio_client(server)) as client:
            await questions(client)

    in_a_loop(asyncio.wait_for(ask(), 120))


@pytest.fixture(scope="module")
def port(sample_snapshots) -> Iterator[int]:
    """Where 'regula mcp --http' listens, at every address of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        **{"REGULA_RULEBOOKS": str(SAMPLE), "REGULA_INDEX": str(sample_snapshots.folder)},
        **{"REGULA_HOSTS": "regula.example", "REGULA_PUBLIC_URL": "https://rules.example/regula"},
    }
    command = [
        sys.executable,
        "-c",
        "from service.cli import main; main()",
        "mcp",
        "--http",
        "--host",
        "0.0.0.0",
        "--port",
        str(port),
    ]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(600):
                with (
                    contextlib.suppress(OSError),
                    socket.create_connection(("127.0.0.1", port), timeout=1),
                ):
                    break
                assert server.poll() is None
                time.sleep(0.1)
            yield port
        finally:
            server.terminate()


def status(port, host, **headers):
    """What a request under the name ``host`` is answered with."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    sent = {
        "Host": host,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **headers,
    }
    try:
        connection.request("POST", "/mcp", json.dumps(body), sent)
        return connection.getresponse().status
    finally:
        connection.close()


def test_who_listens_everywhere_answers_to_names_of_its_own_alone(port):
    here = f"127.0.0.1:{port}"
    for own in (
        here,
        "localhost",
        f"localhost:{port}",
        f"[::1]:{port}",
        "regula.example",
        "regula.example:443",
        "rules.example",
    ):
        assert status(port, own) not in (403, 421), own
        assert status(port, here, Origin=f"http://{own}") not in (403, 421), own
    for foreign in (
        "foreign.example",
        f"foreign.example:{port}",
        "localhost.foreign.example",
        f"0.0.0.0:{port}",
        f"192.0.2.7:{port}",
    ):
        assert status(port, foreign) == 421, foreign
        assert status(port, here, Origin=f"http://{foreign}") == 403, foreign
    assert status(port, here, Origin="null") == 403


def test_an_assistant_asks_by_http(port):
    async def ask():
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            await questions(client)

    in_a_loop(asyncio.wait_for(ask(), 60))
