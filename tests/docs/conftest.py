"""Fixtures of the service over the invented game of `tests.service.harbour`, to compare documents
with.
"""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from index.search import Index
from service.core.snapshot import Snapshot
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes, library


@pytest.fixture(scope="session")
def client() -> FlaskClient:
    return create_app(Indexes(Harbour(library()))).test_client()


@pytest.fixture(scope="session")
def sample_client(sample_index: Index) -> FlaskClient:
    return create_app(Indexes(Snapshot(sample_index))).test_client()
