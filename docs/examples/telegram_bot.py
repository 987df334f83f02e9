"""A Telegram bot that answers every message with the ruling. Needs TELEGRAM_TOKEN and REGULA (address of the service), nothing else."""

import json
import os
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

REGULA = os.environ.get("REGULA", "http://127.0.0.1:8080")
TELEGRAM = f"https://api.telegram.org/bot{os.environ.get('TELEGRAM_TOKEN', '')}"


def get(address: str, **values: object) -> dict:
    """The JSON at an address; of a problem, what is wrong as a message."""
    try:
        with urlopen(f"{address}?{urlencode(values)}", timeout=60) as response:
            return json.load(response)
    except HTTPError as error:
        return {"message": json.load(error).get("detail"), "format": "plain"}


def reply(update: dict) -> None:
    """Answer one message."""
    if "text" in (message := update.get("message", {})):
        found = get(f"{REGULA}/v1/ask", q=message["text"], format="markdown")
        style = {"parse_mode": "MarkdownV2"} if found["format"] == "markdown" else {}
        get(f"{TELEGRAM}/sendMessage", chat_id=message["chat"]["id"], text=found["message"], **style)


def main() -> None:
    """Fetch messages for ever, each once."""
    seen = 0
    while True:
        for update in get(f"{TELEGRAM}/getUpdates", offset=seen + 1, timeout=50).get("result", []):
            seen = update["update_id"]
            reply(update)


if __name__ == "__main__":
    main()
