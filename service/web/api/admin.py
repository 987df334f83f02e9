"""What an administrator may do from elsewhere (`service.web.protection` sees to it): see which indexes are kept, and go back to one."""

from __future__ import annotations

from flask import Response

from corpus.errors import NotFound
from index.building.snapshots import Busy, Damaged, NotWritable
from index.store.protocol import StoreUnreachable
from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem
from service.ops.inventory import inventory
from service.schemas.health import IndexesOut, ServeBody, ServingOut
from service.web.api.blueprints import RUN, api
from service.web.api.responses import json_response
from service.web.request_context import managed_indexes


@api.call("GET", "/admin/indexes", RUN, IndexesOut)
def list_indexes() -> Response:
    """List the kept indexes, newest first, and which of them is published.

    Needs a key of an administrator.
    """
    return json_response(IndexesOut(indexes=inventory(managed_indexes().snapshots)))


@api.call("POST", "/admin/serve", RUN, ServingOut)
def serve(body: ServeBody) -> Response:
    """Go back to a kept index; all processes take it up within seconds, and keep it until another one is built.

    Needs a key of an administrator. Without an id it is the index before the published one.
    """
    try:
        return json_response(ServingOut(index=managed_indexes().rollback(body.index)))
    except Damaged as fault:
        raise Problem.out_of_range(TranslatableText(N_("This index is damaged (%(reason)s)."), {"reason": str(fault)}), "index") from fault
    except Busy as fault:
        raise Problem(503, N_("Another index is being built; come back when it is done.")) from fault
    except NotWritable as fault:
        raise Problem(
            503, N_("This service may not write to the folder of the indexes; 'regula rollback' goes back where that may.")
        ) from fault
    except StoreUnreachable as fault:
        raise Problem.no_store() from fault
    except NotFound as fault:
        raise Problem.unknown(N_("There is no such index here; GET /v1/admin/indexes lists those there are."), "index") from fault
