import json

import pytest
from bot_settings import WrongSetup

from tests.bots.fake_regula import MESSAGE, FakeRegula, busy, problem
from tests.bots.fake_telegram import reply_parameters
from tests.bots.running import telegram_running
from tests.service.loops import in_a_loop

QUESTION = "Wer entscheidet bei gleichzeitigen Effekten?"
CITED = r"[Pegelwacht Regelbuch 1\.1 \(de\), Gleichzeitige Effekte, Z\. "


def test_private_messages_and_commands_in_groups_are_answered_with_the_ruling(regula):
    async def scenario():
        async with telegram_running(
            regula, BOT_PLACES='{"7": {"game": "pegelwacht"}, "-70": {"game": "pegelduell"}}'
        ) as telegram:
            telegram.say(QUESTION)
            (private,) = await telegram.sent("sendMessage")
            assert private["parse_mode"] == "MarkdownV2"
            assert reply_parameters(private) == 1
            assert CITED in private["text"]
            assert (
                "(https://regula.example.org/e/pegelwacht-de-1.1/gleichzeitige-effekte)"
                in private["text"]
            )
            assert "reply_markup" not in private
            telegram.say(f"/rule@regula_bot {QUESTION}", group=True)
            _, group = await telegram.sent("sendMessage", 2)
            assert group["chat_id"] == "-70"
            assert "Pegelduell" in group["text"]
            telegram.say("/rule@regula_bot", language="it", group=True)
            *_, usage = await telegram.sent("sendMessage", 3)
            assert "Chiedi delle regole" in usage["text"]
            languages = [
                body.get("language_code", "") for body in await telegram.sent("setMyCommands", 3)
            ]
            assert sorted(languages) == ["", "de", "it"]

    in_a_loop(scenario())


def test_an_inline_query_offers_the_ruling_and_short_ones_ask_nothing(regula):
    async def scenario():
        async with telegram_running(regula, BOT_GAME="pegelwacht") as telegram:
            telegram.type_inline("Wer")
            (nothing,) = await telegram.sent("answerInlineQuery")
            assert json.loads(nothing["results"]) == []
            telegram.type_inline(QUESTION)
            _, found = await telegram.sent("answerInlineQuery", 2)
            (article,) = json.loads(found["results"])
            assert article["title"].startswith(
                "Pegelwacht Regelbuch 1.1 (de), Gleichzeitige Effekte"
            )
            assert CITED in article["input_message_content"]["message_text"]

    in_a_loop(scenario())


def test_a_question_that_goes_on_is_read_with_the_one_before_it_in_its_chat():
    async def scenario():
        async with FakeRegula(MESSAGE) as service, telegram_running(service.address) as telegram:
            for count, (question, user) in enumerate((("eins", 7), ("zwei", 7), ("drei", 8)), 1):
                telegram.say(question, user=user)
                await telegram.sent("sendMessage", count)
            assert service.contexts() == [[], ["eins"], []]

    in_a_loop(scenario())


@pytest.mark.parametrize(
    ("reply", "calls", "language", "said"),
    [
        (b"<html>", 3, "it", "Il servizio delle regole al momento non risponde."),
        (busy("Fri, 31 Dec 2999 23:59:59 GMT"), 1, "de", "in 3600 Sekunden"),
    ],
    ids=["malformed", "busy"],
)
def test_what_a_user_sees_of_a_service_that_fails(reply, calls, language, said):
    async def scenario():
        async with (
            FakeRegula(reply) as service,
            telegram_running(service.address, BOT_PATIENCE="0.7") as telegram,
        ):
            telegram.say(QUESTION, language)
            (answer,) = await telegram.sent("sendMessage")
            assert said in answer["text"]
            assert "parse_mode" not in answer
            assert 1 <= len(service.calls) <= calls

    in_a_loop(scenario())


def test_a_service_that_comes_back_is_asked_again():
    async def scenario():
        back = problem(503, "no index", headers={"Retry-After": "1"})
        async with (
            FakeRegula(back, MESSAGE) as service,
            telegram_running(service.address, BOT_PATIENCE="5") as telegram,
        ):
            telegram.say(QUESTION)
            (answer,) = await telegram.sent("sendMessage")
            assert answer["text"] == MESSAGE["message"]

    in_a_loop(scenario())


def test_buttons_say_whether_this_was_it_until_the_service_keeps_nothing(regula):
    async def scenario():
        async with telegram_running(regula, BOT_FEEDBACK="true", BOT_GAME="pegelwacht") as telegram:
            telegram.say(QUESTION)
            (answer,) = await telegram.sent("sendMessage")
            hit, _ = json.loads(answer["reply_markup"])["inline_keyboard"][0]
            telegram.press(hit["callback_data"])
            (thanks,) = await telegram.sent("answerCallbackQuery")
            assert thanks["text"] == "Danke, das ist notiert."
        async with (
            FakeRegula(MESSAGE, problem(404, "keeps no feedback"), MESSAGE) as service,
            telegram_running(service.address, BOT_FEEDBACK="true") as telegram,
        ):
            telegram.say(QUESTION)
            (answer,) = await telegram.sent("sendMessage")
            telegram.press(
                json.loads(answer["reply_markup"])["inline_keyboard"][0][0]["callback_data"]
            )
            await telegram.sent("answerCallbackQuery")
            telegram.say(QUESTION)
            _, plain = await telegram.sent("sendMessage", 2)
            assert "reply_markup" not in plain

    in_a_loop(scenario())


def test_telegram_may_ask_for_a_pause():
    async def scenario():
        async with FakeRegula(MESSAGE) as service, telegram_running(service.address) as telegram:
            telegram.fail_once("sendMessage", 429, retry_after=1)
            telegram.say(QUESTION)
            assert len(await telegram.sent("sendMessage", 2)) == 2
            assert len(service.calls) == 1

    in_a_loop(scenario())


def test_a_wrong_token_ends_the_bot_after_one_request():
    async def scenario():
        with pytest.raises(WrongSetup, match="BOT_TELEGRAM_TOKEN"):
            async with telegram_running(
                "http://127.0.0.1:9", BOT_TELEGRAM_TOKEN="1:wrong"
            ) as telegram:
                await telegram.bot_ended.wait()
        return telegram

    assert [call.path for call in in_a_loop(scenario()).calls] == ["/bot1:wrong/getMe"]


def test_a_token_that_is_revoked_ends_the_bot_too():
    async def scenario():
        with pytest.raises(WrongSetup, match="BOT_TELEGRAM_TOKEN"):  # noqa: PT012
            async with telegram_running("http://127.0.0.1:9") as telegram:
                await telegram.sent("getUpdates")
                telegram.revoked = True
                await telegram.bot_ended.wait()
        return telegram

    assert len(in_a_loop(scenario()).calls) < 10
