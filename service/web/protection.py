"""Check API keys, rate limits and origins, and trust proxies, to know who calls and how often."""

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
# How many calls a request counts as, by the beginning of its address. All others count as one, and
# a batch as many as it has questions. The numbers are fixed, so that clients can plan their calls
# and never pay for another client's first visit.
WEIGHTS = {
    "/v1/compare/": 3,
    "/v1/terms": 3,
    "/v1/verify": 3,
    "/compare/": 2,
    "/documents/": 2,
    "/terms/": 2,
}


def protect(app: Flask, settings: Settings) -> None:
    """Protect ``app`` with keys and limits from ``settings``. Raises `SettingError`."""
    app.extensions["regula-keys"] = KeyRing(settings.keys)
    if n := settings.trusted_proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=n, x_proto=n, x_host=n)  # type: ignore[method-assign]
    allow_origins(app, settings)

    def limit() -> str:
        key = caller()
        return (key.limit or settings.key_rate_limit) if key else settings.rate_limit

    def cost() -> int:
        # Never more than the limit of a client, or the request could never be answered.
        return min(_weight(), _smallest(limit()).amount)

    app.before_request(lambda: _authenticate(settings))
    app.before_request(lambda: _refuse_batch_over(limit()))
    app.after_request(_drop_retry_after)  # runs after the limiter's handler: the order is reversed
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
    # At level info it logs the addresses of refused clients.
    logging.getLogger("flask-limiter").setLevel(logging.WARNING)


def _drop_retry_after(response: Response) -> Response:
    # Flask-Limiter adds Retry-After to every response.
    if response.status_code == 503:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    elif response.status_code != 429:
        response.headers.pop("Retry-After", None)
    return response


def _is_counted() -> bool:
    if request.method == "OPTIONS":
        return False  # a CORS preflight; only the call that follows is counted
    if request.path == "/":
        return bool(request.args.get("q"))  # the start page stays readable for a limited client
    return not request.path.startswith(_NOT_COUNTED) or request.path.startswith("/offline/")


def _weight() -> int:
    if request.path == _BATCH and request.method == "POST":
        questions = request.get_json().get("questions")
        return max(1, len(questions)) if isinstance(questions, list) else 1
    return next((weight for start, weight in WEIGHTS.items() if request.path.startswith(start)), 1)


def _smallest(limit: str) -> RateLimitItem:
    """Return the limit, among several, that allows the fewest calls at once."""
    return min(parse_many(limit), key=lambda each: each.amount)


def _refuse_batch_over(limit: str) -> None:
    """Refuse a batch with more questions than its client's limit ever allows at once."""
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
    # By key or, without one, by address or network.
    key = caller()
    return f"key:{key.name}" if key else f"address:{network(request.remote_addr or '')}"


def caller() -> ApiKey | None:
    """Return the API key of this request, None if it has none."""
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
        admin_only()  # before the request is parsed, so that strangers learn nothing


def admin_only() -> None:
    """Raise `Problem` 401 for a call without a key, 403 for a key that is no administrator's."""
    key = caller()
    if key is None:
        text = N_(
            "This call wants the API key of an administrator, in header Authorization, behind the "
            "word Bearer."
        )
        raise Problem(401, text)
    if not key.admin:
        raise Problem(403, N_("The API key of this call is not an administrator's."))
