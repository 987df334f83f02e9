"""Whose requests the MCP server takes over HTTP: a web page must not reach it under a name of its own (DNS rebinding)."""

from __future__ import annotations

from mcp.server.transport_security import TransportSecuritySettings

from service.ops.settings import Settings

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def transport_security(settings: Settings, host: str) -> TransportSecuritySettings:
    """Return the headers Host and Origin that a server at ``host`` accepts: names of this machine and of the service."""
    public = settings.public_url.host if settings.public_url else None
    names = {*_LOOPBACK, host.lower(), *settings.hosts, *([public] if public else [])} - {"0.0.0.0", "::"}
    written = sorted(f"[{name.strip('[]')}]" if ":" in name else name for name in names)
    return TransportSecuritySettings(
        allowed_hosts=[form for name in written for form in (name, f"{name}:*")],
        allowed_origins=[f"{scheme}://{form}" for name in written for form in (name, f"{name}:*") for scheme in ("http", "https")],
    )
