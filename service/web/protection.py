"""Who calls, with what key, and how much: API keys, rate limits, origins, believed proxies."""

from __future__ import annotations

import logging

from flask import Flask, Response, current_app, g, request
from flask_limiter import ApplicationLimit, Limiter
from limits import RateLimitItem, parse_many
from limits.errors import ConfigurationError
from werkzeug.middleware.proxy_fix import ProxyFix

from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem
from service.ops.keys import ApiKey, KeyRing
from service.ops.settings import SettingError, Settings
from service.web.counts import counts_at
from service.web.errors import RETRY_SECONDS
from service.web.headers import allow_origins
from service.web.server.connections import network

_NOT_COUNTED = (
    "/static/",
    "/healthz",
    "/readyz",
    "/metrics",
    "/offline",
    "/manifest.webmanifest",
    "/sw.js",
    "/openapi.json",
    "/openapi-translators.json",
    "/embed/",
)
_BATCH = "/v1/batch"
# How many calls a request counts as, by the beginning of its address; all others count as one, a
# batch as many as it has questions. The numbers are fixed, so that a client knows beforehand what
# it may still send, and pays for nobody else's first visit.
WEIGHTS = {
    "/v1/compare/": 3,
    "/v1/terms": 3,
    "/v1/verify": 3,
    "/compare/": 2,
    "/documents/": 2,
    "/terms/": 2,
}


def protect(app: Flask, settings: Settings) -> None:
    """Put ``app`` behind keys and limits as ``settings`` say. Raises `SettingError`."""
    app.extensions["regula-keys"] = KeyRing(settings.keys)
    if n := settings.trusted_proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=n, x_proto=n, x_host=n)  # type: ignore[method-assign]
    allow_origins(app, settings)

    def limit() -> str:
        key = caller()
        return (key.limit or settings.key_rate_limit) if key else settings.rate_limit

    def cost() -> int:
        # Never more than a client may make at once, or the request could never be answered.
        return min(_weight(), _smallest(limit()).amount)

    app.before_request(lambda: _authenticate(settings))
    app.before_request(lambda: _refuse_batch_over(limit()))
    app.after_request(_drop_retry_after)  # these run in reverse order: behind the limiter's
    storage, options = counts_at(settings.rate_storage)
    limited = settings.rate_limit or settings.key_rate_limit
    try:
        limiter = Limiter(
            _client,
            app=app,
            application_limits=[ApplicationLimit(limit, cost=cost)] if limited else [],
            strategy="moving-window",
            storage_uri=storage,
            storage_options=options,
            headers_enabled=True,
            retry_after="delta-seconds",
        )
    except ConfigurationError as fault:
        raise SettingError(f"rate_storage: {fault}") from fault
    limiter.request_filter(lambda: not _is_counted() or not limit())
    # At level info it logs who was turned away, by address.
    logging.getLogger("flask-limiter").setLevel(logging.WARNING)


def _drop_retry_after(response: Response) -> Response:
    # Flask-Limiter tells everybody when calls are counted anew.
    if response.status_code == 503:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    elif response.status_code != 429:
        response.headers.pop("Retry-After", None)
    return response


def _is_counted() -> bool:
    if request.method == "OPTIONS":
        return False  # a browser asks whether a script may call; its call is counted
    if request.path == "/":
        return bool(request.args.get("q"))  # who is turned away can still see the start page
    return not request.path.startswith(_NOT_COUNTED) or request.path.startswith("/offline/")


def _weight() -> int:
    if request.path == _BATCH and request.method == "POST":
        questions = request.get_json().get("questions")
        return max(1, len(questions)) if isinstance(questions, list) else 1
    return next((weight for start, weight in WEIGHTS.items() if request.path.startswith(start)), 1)


def _smallest(limit: str) -> RateLimitItem:
    """Return the one of several limits that lets the fewest calls through at once."""
    return min(parse_many(limit), key=lambda each: each.amount)


def _refuse_batch_over(limit: str) -> None:
    """Refuse a batch with more questions than its client may ever ask at once."""
    if request.path != _BATCH or request.method != "POST" or not limit:
        return
    smallest, questions = _smallest(limit), _weight()
    if questions > smallest.amount:
        text = N_(
            "The batch has %(count)s questions, and this client may ask %(limit)s in %(seconds)s "
            "seconds. Divide it."
        )
        values = {"count": questions, "limit": smallest.amount, "seconds": smallest.get_expiry()}
        raise Problem.out_of_range(TranslatableText(text, values), "questions")


def _client() -> str:
    # The key, else the address, or the network that it is one of many of.
    key = caller()
    return f"key:{key.name}" if key else f"address:{network(request.remote_addr or '')}"


def caller() -> ApiKey | None:
    """Return the key of this request; None without."""
    found: ApiKey | None = g.get("key")
    return found


def _authenticate(settings: Settings) -> None:
    path = request.path
    if not path.startswith(("/v1/", "/metrics")) or request.method == "OPTIONS":
        return
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme:
        ring: KeyRing = current_app.extensions["regula-keys"]
        key = ring.find(token.strip()) if scheme.lower() == "bearer" else None
        if key is None:
            text = N_(
                "This API key is not known here; it goes into header Authorization, behind the "
                "word Bearer."
            )
            raise Problem(401, text)
        g.key = key
    elif settings.require_key and path.startswith("/v1/"):
        text = N_("This service wants an API key, in header Authorization, behind the word Bearer.")
        raise Problem(401, text)
    if path.startswith("/v1/admin/"):
        admin_only()  # before anything is read of the request: a stranger learns nothing


def admin_only() -> None:
    """Raise `Problem` 401 for a call without a key, 403 for one whose key is no administrator's."""
    key = caller()
    if key is None:
        text = N_(
            "This call wants the API key of an administrator, in header Authorization, behind the "
            "word Bearer."
        )
        raise Problem(401, text)
    if not key.admin:
        raise Problem(403, N_("The API key of this call is not an administrator's."))
