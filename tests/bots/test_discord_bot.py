import asyncio
import json

import pytest
from bot_settings import WrongSetup

from tests.bots.fake_discord import CHANNEL, GUILD
from tests.bots.fake_regula import MESSAGE, FakeRegula, busy, problem
from tests.bots.running import discord_running
from tests.service.loops import in_a_loop

QUESTION = "Wer entscheidet bei gleichzeitigen Effekten?"
PRIVILEGED = 1 << 1 | 1 << 8 | 1 << 15  # members, presences, content of messages


def test_a_command_is_deferred_and_answered_with_the_ruling_of_the_channels_game(regula, caplog):
    places = json.dumps({GUILD: {"game": "pegelduell"}, CHANNEL: {"game": "pegelwacht"}})

    async def scenario():
        async with discord_running(regula, BOT_PLACES=places) as discord:
            deferred, answer = await discord.answered(
                await discord.command(question=f"{QUESTION} @everyone *jetzt*")
            )
            assert deferred["type"] == 5
            assert answer["content"].startswith(f"**{QUESTION} @everyone \\*jetzt\\*")
            assert "> Wirken mehrere Fähigkeiten" in answer["content"]
            assert (
                "](<https://regula.example.org/e/pegelwacht-de-1.1/gleichzeitige-effekte>)"
                in answer["content"]
            )
            assert answer["allowed_mentions"] == {"parse": []}
            assert answer["components"] == []
            assert not discord.intents & PRIVILEGED
            assert "deprecates" not in caplog.text

    in_a_loop(scenario())


def test_the_command_is_offered_in_three_languages_and_completed(regula):
    async def scenario():
        async with discord_running(regula, BOT_GAME="pegelwacht") as discord:
            (completed,) = await discord.answered(await discord.complete("gleichz"))
            assert "Gleichzeitige Effekte" in [
                choice["value"] for choice in completed["data"]["choices"]
            ]
            ((command,),) = [call.body for call in discord.calls if call.method == "PUT"]
            assert command["name_localizations"] == {"de": "regel", "it": "regola"}
            assert {"de", "it"} == set(command["description_localizations"])
            for option in command["options"]:
                assert (
                    {"de", "it"}
                    == set(option["name_localizations"])
                    == set(option["description_localizations"])
                )
            assert [option["name"] for option in command["options"] if option.get("required")] == [
                "question"
            ]

    in_a_loop(scenario())


def test_a_question_that_goes_on_is_read_with_the_one_before_it():
    async def scenario():
        async with FakeRegula(MESSAGE) as service, discord_running(service.address) as discord:
            for question, user in (("eins", "7"), ("zwei", "7"), ("drei", "8")):
                await discord.answered(await discord.command(question=question, user=user))
            assert service.contexts() == [[], ["eins"], []]

    in_a_loop(scenario())


@pytest.mark.parametrize(
    ("reply", "calls", "language", "said"),
    [
        (problem(503, "no index"), 3, "de", "Der Regeldienst antwortet gerade nicht."),
        (b'{"message": "half', 3, "it", "Il servizio delle regole al momento non risponde."),
        (30.0, 1, "en-GB", "The rules service does not answer at the moment."),
        (busy(40), 1, "de", "Gerade sind es zu viele Fragen. Bitte versuch es in 40 Sekunden"),
        (
            problem(422, "The question is too long.", "question"),
            1,
            "fr",
            "The question is too long.",
        ),
        (
            problem(404, "No such game.", "game"),
            1,
            "it",
            "Questo bot non è configurato correttamente.",
        ),
    ],
    ids=["not-ready", "malformed", "slow", "busy", "refused", "wrong-game"],
)
def test_what_a_user_sees_of_a_service_that_fails(reply, calls, language, said):
    async def scenario():
        async with (
            FakeRegula(reply) as service,
            discord_running(service.address, BOT_PATIENCE="0.7") as discord,
        ):
            _, answer = await discord.answered(
                await discord.command(question=QUESTION, language=language)
            )
            assert said in answer["content"]
            assert 1 <= len(service.calls) <= calls
            if "40" in said:  # not asked again before the time is over
                await discord.answered(await discord.command(question=QUESTION, language=language))
                assert len(service.calls) == 1

    in_a_loop(scenario())


def test_a_service_that_is_stopped_is_called_down():
    async def scenario():
        async with FakeRegula() as service:
            address = service.address
        async with discord_running(address, BOT_PATIENCE="0.7") as discord:
            _, answer = await discord.answered(await discord.command(question=QUESTION))
            assert "Der Regeldienst antwortet gerade nicht." in answer["content"]

    in_a_loop(scenario())


def test_a_user_who_asks_too_much_is_told_alone_and_nobody_else_waits():
    async def scenario():
        async with (
            FakeRegula(MESSAGE) as service,
            discord_running(service.address, BOT_USER_LIMIT="1/minute") as discord,
        ):
            await discord.answered(await discord.command(question="eins"))
            (refused,) = await discord.answered(await discord.command(question="zwei"))
            assert refused["data"]["flags"] == 64  # ephemeral
            assert "zu viele Fragen" in refused["data"]["content"]
            assert (
                len(await discord.answered(await discord.command(question="drei", user="8"))) == 2
            )
            assert len(service.calls) == 2

    in_a_loop(scenario())


def test_what_is_typed_is_asked_once_and_no_more_than_a_user_may():
    async def scenario():
        found = {"suggestions": [{"title": "Pegel"}, {"title": "Pegel"}, {"title": "x" * 101}]}
        async with (
            FakeRegula(found) as service,
            discord_running(service.address, BOT_USER_LIMIT="1/minute") as discord,
        ):
            offered = [
                await discord.answered(await discord.complete(typed))
                for typed in ("p", "p", *"abcdef")
            ]
            titles = [
                [choice["value"] for choice in response["data"]["choices"]]
                for (response,) in offered
            ]
            assert titles[:2] == [["Pegel"], ["Pegel"]]
            assert titles[-1] == []
            assert len(service.calls) == 6

    in_a_loop(scenario())


def test_buttons_say_whether_this_was_it_and_outlive_their_answer(regula):
    async def scenario():
        async with discord_running(regula, BOT_FEEDBACK="true", BOT_GAME="pegelwacht") as discord:
            _, answer = await discord.answered(await discord.command(question=QUESTION))
            hit, miss = answer["components"][0]["components"]
            assert [hit["label"], miss["label"]] == ["Das war es", "Das war es nicht"]
            for button in (hit, miss):  # the second takes the first back
                deferred, thanks = await discord.answered(await discord.press(button["custom_id"]))
                assert deferred["data"]["flags"] == 64
                assert thanks["content"] == "Danke, das ist notiert."
            _, late = await discord.answered(
                await discord.press("regula:hit:0123456789abcdef", language="it")
            )
            assert "troppo vecchia" in late["content"]

    in_a_loop(scenario())


def test_an_answer_under_way_is_still_given_when_the_bot_stops():
    async def scenario():
        async with FakeRegula(0.6) as service, discord_running(service.address) as discord:
            await discord.command(question=QUESTION)
            while not service.calls:
                await asyncio.sleep(0.02)
        return discord

    assert in_a_loop(scenario()).calls[-1].method == "PATCH"


@pytest.mark.parametrize(
    ("token", "revoked"), [("MTIz.wrong.token", False), (None, True)], ids=["unknown", "revoked"]
)
def test_a_token_that_is_refused_ends_the_bot_after_a_handful_of_requests(token, revoked):
    async def scenario():
        settings = {"BOT_DISCORD_TOKEN": token} if token else {}
        with pytest.raises(WrongSetup, match="BOT_DISCORD_TOKEN"):
            async with discord_running("http://127.0.0.1:9", revoked, **settings) as discord:
                await discord.bot_ended.wait()
        assert len(discord.calls) == (1 if token else 4)

    in_a_loop(scenario())
