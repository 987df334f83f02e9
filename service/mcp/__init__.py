"""The MCP server (Model Context Protocol): tools with which assistants quote and cite. Import it
late, since it imports the SDK.
"""

from service.mcp.server import BackgroundIndexLoader, create_server, transport_security

__all__ = ["BackgroundIndexLoader", "create_server", "transport_security"]
