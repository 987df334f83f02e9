"""The service over the invented game of `harbour`, and a client that talks to it."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from corpus import Shelf
from index.library import Library
from index.tying import tie
from service.app import create_app
from tests.service.described import DescribedClient
from tests.service.harbour import Harbour, Indexes, library


@pytest.fixture(scope="session")
def harbour_library() -> Library:
    return library()


@pytest.fixture(scope="session")
def sample_library(sample: Shelf) -> Library:
    """The sample rulebooks as an index keeps them, without an index."""
    return tie(sample.rulebooks)


@pytest.fixture
def indexes(harbour_library: Library) -> Indexes:
    return Indexes(Harbour(harbour_library))


@pytest.fixture
def app(indexes: Indexes) -> Flask:
    made = create_app(indexes)
    made.test_client_class = DescribedClient  # whatever a test asks for, the answer has to be one that is described
    return made


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()
