"""What can go wrong with a language model. None of it takes more from an answer than what the model
would have added.
"""

from __future__ import annotations

from corpus.errors import RegulaError


class ModelError(RegulaError):
    """A call that gave no reply that can be used; the message is one line that says why."""


class ModelUnreachable(ModelError):
    """The server of the model does not answer, or refuses."""


class ModelTimeout(ModelError):
    """The reply did not come in time."""


class BadReply(ModelError):
    """A reply that is not what was asked for: of another shape, too large, cut off."""


class BudgetSpent(ModelError):
    """The call would cost more tokens or money than the owner allows."""


class NotRecorded(ModelError):
    """The file of recorded calls does not have this one."""
