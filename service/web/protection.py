"""Who calls, with what key, and how much: API keys, rate limits, web sites that may call, proxies that are believed."""

from __future__ import annotations

import logging
import time

from flask import Flask, Response, current_app, g, request
from flask_limiter import ApplicationLimit, Limiter
from limits.errors import ConfigurationError
from werkzeug.middleware.proxy_fix import ProxyFix

from service.core.i18n import N_
from service.core.jobs.budget import CURRENT_BUDGET
from service.core.problems import Problem
from service.ops.keys import ApiKey, KeyRing
from service.ops.settings import SettingError, Settings
from service.web import cross_origin
from service.web.errors import RETRY_SECONDS
from service.web.server.connection_pool import network

_ADMIN = "/v1/admin/"
_API = "/v1/"  # what keys are for
_NOT_COUNTED = ("/static/", "/healthz", "/readyz", "/metrics", "/offline", "/manifest.webmanifest", "/sw.js", "/openapi.json", "/embed/")
_COUNTED = ("/offline/",)  # among these
_MADE_ONCE = "/v1/export"
_ONE_CALL = 0.1  # seconds of the processor's time that one call pays for; what takes longer counts as so many more


def protect(app: Flask, settings: Settings) -> None:
    """Put ``app`` behind keys and limits as ``settings`` say."""
    app.extensions["regula-keys"] = KeyRing(settings.keys)
    if settings.trusted_proxies:
        n = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=n, x_proto=n, x_host=n)  # type: ignore[method-assign]
    cross_origin.register(app, settings)
    app.before_request(lambda: _authenticate(settings))

    def limit() -> str:
        key = caller()
        return (key.limit or settings.key_rate_limit) if key else settings.rate_limit

    app.after_request(_drop_retry_after)  # handlers after a request run in reverse order: this one behind the limiter's
    try:
        limiter = Limiter(
            _client,
            app=app,
            application_limits=[ApplicationLimit(limit, cost=_cost)] if settings.rate_limit or settings.key_rate_limit else [],
            strategy="moving-window",
            storage_uri=settings.rate_storage,
            headers_enabled=True,
            retry_after="delta-seconds",
            # A store of counts that is down shall not take the service down with it: each process counts for itself meanwhile.
            in_memory_fallback_enabled=not settings.rate_storage.startswith("memory:"),
        )
    except ConfigurationError as fault:
        raise SettingError(f"rate_storage: {fault}") from fault
    limiter.request_filter(lambda: not _is_counted() or not limit())
    logging.getLogger("flask-limiter").setLevel(logging.WARNING)  # at level info it logs who was turned away, by address
    app.before_request(_begin)
    app.after_request(lambda response: _charge(limiter, response))


def _begin() -> None:
    g.processor_begun = time.thread_time()


def _charge(limiter: Limiter, response: Response) -> Response:
    """Count a call that took much of the processor's time as several, for the calls after it; not one whose file is made once for all."""
    if request.path.startswith(_MADE_ONCE):
        return response
    taken = time.thread_time() - g.get("processor_begun", time.thread_time())
    if budget := CURRENT_BUDGET.get():
        taken += budget.processor_seconds
    for each in limiter.current_limits:
        further = min(int(taken / _ONE_CALL) - g.get("cost", 1), each.remaining)
        if further > 0 and not each.breached:
            each.limiter.hit(each.limit, *each.request_args, cost=further)
    return response


def _drop_retry_after(response: Response) -> Response:
    """Flask-Limiter tells everybody when calls are counted anew; only who was turned away for their number has to know."""
    if response.status_code == 503:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    elif response.status_code != 429:
        response.headers.pop("Retry-After", None)
    return response


def _is_counted() -> bool:
    if request.method == "OPTIONS":
        return False  # a browser asks whether a script may call; its call is counted
    if request.path == "/":
        return bool(request.args.get("q"))  # whoever is turned away can still see where he is
    return not request.path.startswith(_NOT_COUNTED) or request.path.startswith(_COUNTED)


def _cost() -> int:
    """Return how many calls a request counts as: a batch as many as it has questions."""
    g.cost = 1
    if request.path == "/v1/batch" and request.method == "POST":
        questions = request.get_json().get("questions")
        g.cost = max(1, len(questions)) if isinstance(questions, list) else 1
    return int(g.cost)


def _client() -> str:
    """Return who is counted: the key, else the address, or the network that it is one of many of."""
    key = caller()
    return f"key:{key.name}" if key else f"address:{network(request.remote_addr or '')}"


def caller() -> ApiKey | None:
    """Return the key of this request; None without."""
    found: ApiKey | None = g.get("key")
    return found


def _authenticate(settings: Settings) -> None:
    """Look at the key of a call. Raises `Problem` 401 for one that is not known, and where one is needed and missing."""
    if not request.path.startswith((_API, "/metrics")) or request.method == "OPTIONS":
        return
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme:
        ring: KeyRing = current_app.extensions["regula-keys"]
        key = ring.find(token.strip()) if scheme.lower() == "bearer" else None
        if key is None:
            raise Problem(401, N_("This API key is not known here; it goes into header Authorization, behind the word Bearer."))
        g.key = key
    elif settings.require_key and request.path.startswith(_API):
        raise Problem(401, N_("This service wants an API key, in header Authorization, behind the word Bearer."))
    if request.path.startswith(_ADMIN):
        admin_only()  # before anything is read of the request: a stranger learns nothing


def admin_only() -> None:
    """Raise `Problem` 401 for a call without a key, 403 for one whose key is not an administrator's."""
    key = caller()
    if key is None:
        raise Problem(401, N_("This call wants the API key of an administrator, in header Authorization, behind the word Bearer."))
    if not key.admin:
        raise Problem(403, N_("The API key of this call is not an administrator's."))
