"""A Flask route that does nothing but return the bytes of a typical answer: what the web server alone costs."""

from __future__ import annotations

import os
from pathlib import Path

from flask import Flask, Response

app = Flask(__name__)
_ANSWER = Path(os.environ["BARE_ANSWER"]).read_bytes()


@app.post("/v1/ask")
def ask() -> Response:
    """The same bytes for every question."""
    return Response(_ANSWER, content_type="application/json")
