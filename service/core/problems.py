"""Problems: why a request cannot be answered, on the web, by assistants or on the command line alike."""

from __future__ import annotations

from service.core.i18n import N_

# The names of the statuses in the ``type`` of problem+json: stable, for programs to tell problems apart.
SLUGS = {
    400: "malformed",
    401: "key-needed",
    403: "not-allowed",
    404: "unknown",
    405: "method-not-allowed",
    408: "too-slow",
    413: "too-large",
    414: "address-too-long",
    415: "unsupported-media-type",
    422: "out-of-range",
    429: "too-many-requests",
    431: "headers-too-large",
    500: "internal",
    503: "not-ready",
}
_NO_STORE = (
    N_("The rulebooks cannot be searched right now"),
    N_("Where they are searched does not answer. Please try again in a few seconds."),
)


class Problem(Exception):
    """A request that cannot be answered (RFC 9457), with the HTTP ``status`` that it has on the web.

    ``detail`` says why, for people; ``field`` names the parameter at fault. ``page`` is the heading and the advice of the error
    page, where these are other ones than the status has.
    """

    def __init__(self, status: int, detail: str, field: str | None = None, page: tuple[str, str] | None = None):
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.field = field
        self.page = page

    @classmethod
    def malformed(cls, detail: str, field: str | None = None) -> Problem:
        """400: not a request that could be understood."""
        return cls(400, detail, field)

    @classmethod
    def unknown(cls, detail: str, field: str | None = None) -> Problem:
        """404: the thing addressed does not exist."""
        return cls(404, detail, field)

    @classmethod
    def out_of_range(cls, detail: str, field: str) -> Problem:
        """422: understood, but a value is not one that can be worked with."""
        return cls(422, detail, field)

    @classmethod
    def not_ready(cls) -> Problem:
        """503: no index is loaded."""
        return cls(503, "No index is loaded yet. It is being built, or `regula build` has to be run.")

    @classmethod
    def no_store(cls) -> Problem:
        """503: an index is loaded, but the store that it searches does not answer."""
        return cls(503, "Where the rulebooks are searched does not answer. Ask again in a few seconds.", page=_NO_STORE)
