"""A running service over the sample, its description, and the npm packages that generate
clients.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path
from urllib.request import urlopen

import pytest

from index.search import Index
from service.core.snapshot import Snapshot
from service.ops.settings import Settings
from service.web.app import create_app
from tests.clients.running import HERE, Described
from tests.service.harbour import Indexes
from tests.service.serving import answering, free_port
from tests.shared import made_once

OLDEST_NODE = 20  # that the packages run on
_NO_REGISTRY = (
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ECONNRESET",
    "ETIMEDOUT",
    "ENETUNREACH",
    "ENOTCACHED",
    "E403",
    "E502",
    "E503",
)


@pytest.fixture(scope="session")
def service(sample_index: Index, tmp_path_factory: pytest.TempPathFactory) -> Described:
    settings = Settings(port=free_port(), rate_limit="none")
    address = answering(create_app(Indexes(Snapshot(sample_index)), settings), settings)
    file = tmp_path_factory.mktemp("described") / "openapi.json"
    with urlopen(f"{address}/openapi-translators.json") as response:
        file.write_bytes(response.read())
    return Described(address, file)


@pytest.fixture(scope="session")
def for_bots(service: Described) -> Described:
    """The same service, with the OpenAPI document for bots."""
    file = service.file.with_name("openapi-bots.json")
    with urlopen(f"{service.address}/openapi.json") as response:
        file.write_bytes(response.read())
    return Described(service.address, file)


@pytest.fixture(scope="session")
def packages(shared: Path) -> Path:
    """The folder of the locked npm packages: installed once for all test processes."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("npm is not here")
    version = subprocess.run(
        ["node", "--version"], capture_output=True, text=True, check=True
    ).stdout  # v20.20.2
    if int(version.strip().removeprefix("v").partition(".")[0]) < OLDEST_NODE:
        pytest.skip(f"Node.js is older than {OLDEST_NODE}")
    locked = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()[:12]
    return made_once(shared / f"npm-{locked}", _install) / "node_modules"


def _install(folder: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    command = [
        "npm",
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--prefer-offline",
        "--fetch-retries=1",
        "--fetch-timeout=30000",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode and any(fault in done.stderr for fault in _NO_REGISTRY):
        pytest.skip("the npm registry cannot be reached")
    assert done.returncode == 0, done.stderr
