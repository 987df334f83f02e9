"""Tools that refuse arguments they do not have, and whose results are JSON without blanks."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, TextContent

from service.core.field_names import unknown_name
from service.schemas.base import compact_json


class StrictTool(Tool):
    """A tool as the SDK has it, but for two things.

    The SDK passes over an argument that the tool does not have: an assistant that calls the question ``query`` is then told that
    ``question`` is missing, one that calls the edition ``rulebook`` gets passages of every edition. Here it is told which is meant.
    The SDK indents the text of a result, which makes it half as long again as what it says.
    """

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Run the tool as the SDK does. Raises `ToolError` for an argument that it does not have."""
        known, needed = list(self.parameters.get("properties", {})), self.parameters.get("required", [])
        for name in arguments:
            if name not in known:
                raise ToolError(str(unknown_name("argument", name, known, [each for each in needed if each not in arguments])))
        result = await super().run(arguments, context, convert_result)
        if isinstance(result, CallToolResult) and result.structured_content is not None:
            text = compact_json(result.structured_content)
            return result.model_copy(update={"content": [TextContent(type="text", text=text)]})
        return result
