"""The headers of every response: no foreign content, no framing, no guessing of types."""

from __future__ import annotations

from urllib.parse import urlsplit

from werkzeug.wrappers import Response

_IMAGES = "img-src 'self'"
HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'self'; {_IMAGES}; script-src 'self'; connect-src 'self'; manifest-src 'self'; "
        "worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(self)",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SECURE = {"Strict-Transport-Security": "max-age=31536000"}  # believed by browsers over HTTPS alone


def allow_images_of(response: Response, address: str) -> None:
    """Let the page of ``response`` show pictures of the server of ``address``."""
    parts = urlsplit(address)
    policy = HEADERS["Content-Security-Policy"].replace(_IMAGES, f"{_IMAGES} {parts.scheme}://{parts.netloc}")
    response.headers["Content-Security-Policy"] = policy
