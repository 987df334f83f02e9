"""Assistants that use the owner's model, made from the settings: who may use one, and how many
questions at once.
"""

from __future__ import annotations

from service.assist.assistant import Assistant
from service.llm.client import ModelClient
from service.ops.settings import Settings, model_endpoint


def assistant_for_owner(settings: Settings) -> Assistant | None:
    """Return the assistant for questions of the owner; None if no model is set.

    Raises `service.ops.settings.SettingError`, and `service.llm.model_request.ModelError` if
    recorded calls cannot be read.
    """
    endpoint = model_endpoint(settings)
    return (
        Assistant(ModelClient(endpoint), settings.model_assist_timeout, endpoint.parallel)
        if endpoint
        else None
    )


def assistant_for_visitors(settings: Settings) -> Assistant | None:
    """Return the assistant for visitors of the site; None if their questions may not be sent to
    the model. Raises as `assistant_for_owner`.

    Half of the threads stay free for questions that do not use the model.
    """
    endpoint = model_endpoint(settings)
    if (
        endpoint is None
        or settings.model_assist == "off"
        or (settings.model_assist == "local" and endpoint.foreign_host)
    ):
        return None
    return Assistant(
        ModelClient(endpoint),
        settings.model_assist_timeout,
        min(endpoint.parallel, max(1, settings.threads // 2)),
    )
