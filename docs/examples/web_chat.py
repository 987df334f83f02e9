"""A chat on a web page that answers with the ruling. Needs Flask, markdown-it-py, and REGULA (address of the service)."""

import json
import os
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

from flask import Flask, render_template_string, request
from markdown_it import MarkdownIt

REGULA = os.environ.get("REGULA", "http://127.0.0.1:8080")
PAGE = """<!doctype html><meta charset="utf-8"><title>Chat</title>
<form><input name="q" maxlength="2000" value="{{ question }}" autofocus><button>?</button></form>
<article>{{ answer | safe }}</article>"""

app = Flask(__name__)
markdown = MarkdownIt("commonmark", {"html": False})  # what came from elsewhere is never HTML


def answer(question: str) -> str:
    """The answer as HTML."""
    try:
        with urlopen(f"{REGULA}/v1/ask?{urlencode({'q': question, 'format': 'markdown'})}", timeout=10) as response:
            return markdown.render(json.load(response)["message"])
    except HTTPError as error:
        return markdown.render(json.load(error)["detail"])


@app.get("/")
def chat() -> str:
    """The page, with the answer to what was asked."""
    question = request.args.get("q", "")
    return render_template_string(PAGE, question=question, answer=answer(question) if question.strip() else "")


if __name__ == "__main__":
    app.run(port=8090)
