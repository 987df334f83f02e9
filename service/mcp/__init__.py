"""Regula for assistants: a server of the Model Context Protocol, whose tools quote and cite. Imports its SDK; import it late."""

from service.mcp.host_check import transport_security
from service.mcp.index_loading import BackgroundIndexLoader
from service.mcp.server import create_server

__all__ = ["BackgroundIndexLoader", "create_server", "transport_security"]
