"""The MCP server (Model Context Protocol): tools with which assistants quote and cite. It imports
the SDK, so import it late.
"""

from service.mcp.server import BackgroundIndexLoader, create_server, transport_security

__all__ = ["BackgroundIndexLoader", "create_server", "transport_security"]
