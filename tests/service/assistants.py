"""What assistants are told by the tools."""

from __future__ import annotations

from typing import Any

from mcp.client import Client

from service.mcp import create_server
from tests.service.loops import in_a_loop


def asked(index, talk, **options) -> Any:
    """What the coroutine ``talk`` returns of a client of the tools over ``index``."""

    async def connected():
        async with Client(create_server(lambda: index, **options)) as client:
            return await talk(client)

    return in_a_loop(connected())


def result_of(index, tool, **arguments) -> Any:
    return asked(index, lambda client: client.call_tool(tool, arguments))


def call(index, tool, **arguments) -> dict[str, Any]:
    """What a tool answers with."""
    result = result_of(index, tool, **arguments)
    assert not result.is_error, result.content
    return dict(result.structured_content)


def trouble(index, tool, **arguments) -> str:
    """What a tool says is wrong."""
    result = result_of(index, tool, **arguments)
    assert result.is_error
    return str(result.content[0].text)
