"""The example bots of the documentation, run against stand-ins for the platforms; Regula answers as it does."""

from __future__ import annotations

import importlib.util
import io
import json
import sys
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit

import pytest

from service.ops.settings import Settings
from service.web.app import create_app
from tests.service.harbour import Indexes
from tests.service.loops import in_a_loop

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
QUESTION, RULING = "betäubtes Schiff", "Ein betäubtes Schiff kann nicht ankern."


@pytest.fixture
def internet(indexes: Indexes) -> Callable[..., io.BytesIO]:
    """What is at an address: Regula's answer, or that of Telegram, which keeps what it was asked."""
    client = create_app(indexes, Settings(hosts=("regula.example.org",))).test_client()
    updates = [[{"update_id": 5, "message": {"chat": {"id": 7}, "text": QUESTION}}], [{"update_id": 6, "message": {"chat": {"id": 7}}}]]

    def get(address: str, timeout: float) -> io.BytesIO:
        parts = urlsplit(address)
        values = {name: value[0] for name, value in parse_qs(parts.query).items()}
        if parts.path == "/v1/ask":
            response = client.get(f"{parts.path}?{parts.query}", base_url="https://regula.example.org")
            if response.status_code != 200:
                raise HTTPError(address, response.status_code, "", Message(), io.BytesIO(response.data))
            return io.BytesIO(response.data)
        get.asked.append((parts.path.rpartition("/")[2], values))  # type: ignore[attr-defined]
        if parts.path.endswith("getUpdates"):
            if not updates:
                raise KeyboardInterrupt
            return io.BytesIO(json.dumps({"result": updates.pop(0)}).encode())
        return io.BytesIO(b"{}")

    get.asked = []  # type: ignore[attr-defined]
    return get


def load(name: str, monkeypatch: pytest.MonkeyPatch, internet: Callable[..., io.BytesIO]) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "urlopen", internet)
    return module


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 40


def test_there_is_an_example_for_each_platform() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {"discord_bot", "telegram_bot", "web_chat"}


def test_the_discord_bot_replies_and_calls_nobody(monkeypatch: pytest.MonkeyPatch, internet: Callable[..., io.BytesIO]) -> None:
    made: dict[str, Any] = {}

    class Client:
        def __init__(self, **values: Any) -> None:
            made.update(values)

        def event(self, function: Any) -> Any:
            return function

    discord = SimpleNamespace(
        Intents=SimpleNamespace(default=SimpleNamespace),
        Client=Client,
        AllowedMentions=SimpleNamespace(none=lambda: "nobody"),
        Message=object,
    )
    monkeypatch.setitem(sys.modules, "discord", discord)
    bot = load("discord_bot", monkeypatch, internet)
    assert made["allowed_mentions"] == "nobody"
    assert made["intents"].message_content
    replies: list[str] = []

    async def reply(text: str) -> None:
        replies.append(text)

    def said(content: str, bot: bool = False) -> SimpleNamespace:
        return SimpleNamespace(content=content, author=SimpleNamespace(bot=bot), reply=reply)

    for content, by_bot in ((f"!regel {QUESTION}", False), ("Hallo!", False), (f"!regel {QUESTION}", True), ("!regel  ", False)):
        in_a_loop(bot.on_message(said(content, by_bot)))
    assert len(replies) == 2
    assert RULING in replies[0]
    assert "](<https://regula.example.org/e/sternenhafen-de-1.0/ankern>)" in replies[0]
    assert replies[1] == "The question is empty."


def test_the_telegram_bot_replies_once_to_each_message(monkeypatch: pytest.MonkeyPatch, internet: Any) -> None:
    bot = load("telegram_bot", monkeypatch, internet)
    with pytest.raises(KeyboardInterrupt):
        bot.main()
    sent = [values for name, values in internet.asked if name == "sendMessage"]
    assert [(values["chat_id"], values["parse_mode"]) for values in sent] == [("7", "MarkdownV2")]
    assert RULING.replace(".", r"\.") in sent[0]["text"]
    assert [values["offset"] for name, values in internet.asked if name == "getUpdates"] == ["1", "6", "7"]
    bot.reply({"message": {"chat": {"id": 7}, "text": "\u202e"}})
    assert "parse_mode" not in internet.asked[-1][1]


def test_the_web_chat_shows_the_quotation_and_no_html_of_others(
    monkeypatch: pytest.MonkeyPatch, internet: Callable[..., io.BytesIO]
) -> None:
    client = load("web_chat", monkeypatch, internet).app.test_client()
    page = client.get("/", query_string={"q": QUESTION}).text
    assert "<blockquote>" in page
    assert RULING in page
    assert 'href="https://regula.example.org/e/sternenhafen-de-1.0/ankern"' in page
    assert "<script>alert" not in client.get("/", query_string={"q": "laut <script>alert(1)</script>"}).text
    assert "<blockquote>" not in client.get("/").text
