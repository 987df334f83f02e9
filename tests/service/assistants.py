"""Call the MCP tools as assistants do."""

from __future__ import annotations

from typing import Any

from mcp.client import Client

from service.mcp import create_server
from tests.service.loops import in_a_loop


def asked(index, talk, **options) -> Any:
    """Return the result of the coroutine ``talk`` with a client of the tools over ``index``."""

    async def connected():
        async with Client(create_server(lambda: index, **options)) as client:
            return await talk(client)

    return in_a_loop(connected())


def result_of(index, tool, **arguments) -> Any:
    return asked(index, lambda client: client.call_tool(tool, arguments))


def call(index, tool, **arguments) -> dict[str, Any]:
    """Return a tool's result."""
    result = result_of(index, tool, **arguments)
    assert not result.is_error, result.content
    return dict(result.structured_content)


def trouble(index, tool, **arguments) -> str:
    """Return a tool's error message."""
    result = result_of(index, tool, **arguments)
    assert result.is_error
    return str(result.content[0].text)
