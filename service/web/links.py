"""Where links to this service lead: never to a name that only the caller gave it."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from service.ops.settings import Settings


def base_address(settings: Settings, called: str) -> str | None:
    """Return the address that links begin with: ``public_url``, else ``called`` where its host is
    the service's own, else None.

    A service's own are the names in ``hosts``, what it listens at, names of this machine, and
    addresses of networks that are not the Internet. Anybody can write any other into the header
    Host.
    """
    if settings.public_url is not None:
        return str(settings.public_url)
    try:
        parts = urlsplit(called)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if not _is_own(settings, host):
        return None
    # Put together anew: browsers read some addresses, such as http://foreign\@localhost, otherwise
    # than Python does.
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}{parts.path}"


def is_own_host(settings: Settings, called: str) -> bool:
    """Whether ``called``, a header Host, is a name of this service or of this machine, not one that
    only the caller gave it.
    """
    try:
        return _is_own(settings, urlsplit(f"//{called}").hostname or "")
    except ValueError:
        return False


def _is_own(settings: Settings, host: str) -> bool:
    return host in (*settings.hosts, settings.host.lower()) or _is_local(host)


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):  # RFC 6761, 6.3
        return True
    try:
        return not ip_address(host).is_global
    except ValueError:
        return False
