"""Make up a model's replies to requests for drafts: texts of invented words, the same for the same
request.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from service.llm.model_request import request_key
from tests.service.model_server import Scripted, completion

_SYLLABLES = [
    "ba",
    "do",
    "fu",
    "gi",
    "kle",
    "mo",
    "nar",
    "pe",
    "qua",
    "rim",
    "sol",
    "tuk",
    "vo",
    "wen",
    "zil",
]
_PASSAGE = re.compile(r"^Passage (\d+), under:", re.MULTILINE)


def invented(*seed: object, words: int = 4) -> str:
    """Return words that exist in no language, the same for the same ``seed``."""
    digest = hashlib.sha256(repr(seed).encode()).digest()
    letters = [_SYLLABLES[byte % len(_SYLLABLES)] for byte in digest]
    return " ".join("".join(letters[3 * n : 3 * n + 3]) for n in range(words))


def drafted_passage(key: str, number: int, languages: list[str]) -> dict[str, Any]:
    """Return the drafts for passage ``number`` of the request with this ``key``."""
    return {
        "number": number,
        "questions": [invented(key, number, "q", n) + "?" for n in range(3)],
        "situations": [invented(key, number, "s", words=5) + "?"],
        "gist": invented(key, number, "g", words=5),
        **{code: [invented(key, number, code)] for code in languages},
    }


def drafts(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the drafts for each passage of a request."""
    schema = body["response_format"]["json_schema"]["schema"]
    fields = next(iter(schema["$defs"].values()))["properties"]
    languages = [
        name for name in fields if name not in ("number", "questions", "situations", "gist")
    ]
    user = body["messages"][1]["content"]
    return [drafted_passage(user, int(number), languages) for number in _PASSAGE.findall(user)]


def drafting(body: dict[str, Any], _: int = 0) -> Scripted:
    """Return the reply to a request for drafts."""
    return completion(json.dumps({"passages": drafts(body)}))


def record(missing: Path, file: Path) -> int:
    """Write to ``file`` the replies to the requests in ``missing``, and return their number."""
    calls = [
        json.loads(line)["request"] for line in missing.read_text(encoding="utf-8").splitlines()
    ]
    lines = [
        {"key": request_key(body), "request": body, "response": json.loads(drafting(body).body)}
        for body in calls
    ]
    with file.open("a", encoding="utf-8") as recorded:
        recorded.writelines(json.dumps(line) + "\n" for line in lines)
    return len(lines)


def aliases(body: dict[str, Any], _: int = 0) -> Scripted:
    """Return the reply to a request for terms."""
    user = body["messages"][1]["content"]
    terms = [
        {
            "number": int(number),
            "names": [invented(user, number, "n", words=1)],
            "abbreviations": [invented(user, number, "a", words=1)[:3].upper()],
            "slang": [invented(user, number, "s", words=2)],
            "english": [invented(user, number, "e", words=1)],
        }
        for number in re.findall(r"^Heading (\d+):", user, re.MULTILINE)
    ]
    return completion(json.dumps({"terms": terms}))
