"""What the results of all tools have in common."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict

from service.schemas.base import DescribedModel


def _title(model: type[Any]) -> str:
    """Return what the schemas of the tools call ``model``."""
    return model.__name__.removesuffix("Result")


class ToolResult(DescribedModel):
    """What a tool answers with, or a part of it. In the schemas that assistants get, it is called as its class without the suffix."""

    model_config = ConfigDict(model_title_generator=_title)
