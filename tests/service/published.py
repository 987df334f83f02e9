"""An application whose workers watch what is published, and how gunicorn runs it: ``gunicorn --config python:tests.service.published``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from service.app import create_app
from tests.index.twins import indexes as indexes_of


def say(line):
    print(line, file=sys.stderr, flush=True)


indexes = indexes_of(Path(os.environ["TWIN_RULEBOOKS"]), Path(os.environ["TWIN_INDEX"]), say)
indexes.load()
app = create_app(indexes)

wsgi_app = "tests.service.published:app"
bind = f"127.0.0.1:{os.environ['TWIN_PORT']}"
workers = 2
worker_class = "gthread"
threads = 4
keepalive = 30  # longer than a client ever waits before it asks again: a connection closed meanwhile would count as a failure
preload_app = True


def post_fork(server, worker):
    indexes.watch(0.2)
