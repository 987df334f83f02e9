"""Regula for assistants: a server of the Model Context Protocol, whose tools quote and cite.
Imports its SDK; import it late.
"""

from service.mcp.server import BackgroundIndexLoader, create_server, transport_security

__all__ = ["BackgroundIndexLoader", "create_server", "transport_security"]
