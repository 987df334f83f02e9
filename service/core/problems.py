"""Problems: why a request cannot be answered, for the web, assistants and the command line."""

from __future__ import annotations

from service.core.i18n import N_, TranslatableText

# Stable names of the statuses in the ``type`` of problem+json, for programs.
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
    416: "range-not-satisfiable",
    422: "out-of-range",
    429: "too-many-requests",
    431: "headers-too-large",
    500: "internal",
    503: "not-ready",
}
# HTTP reason phrases, the same in all versions of Python.
TITLES = {
    400: N_("Bad Request"),
    401: N_("Unauthorized"),
    403: N_("Forbidden"),
    404: N_("Not Found"),
    405: N_("Method Not Allowed"),
    408: N_("Request Timeout"),
    413: N_("Request Entity Too Large"),
    414: N_("Request-URI Too Long"),
    415: N_("Unsupported Media Type"),
    416: N_("Range Not Satisfiable"),
    422: N_("Unprocessable Entity"),
    429: N_("Too Many Requests"),
    431: N_("Request Header Fields Too Large"),
    500: N_("Internal Server Error"),
    503: N_("Service Unavailable"),
}
_NO_STORE = (
    N_("The rulebooks cannot be searched right now"),
    N_("Where they are searched does not answer. Please try again in a few seconds."),
)


class Problem(Exception):
    """A request that cannot be answered (RFC 9457).

    Attributes:
        status: The HTTP status.
        detail: The reason for people, in English.
        text: The reason, translatable.
        field: The parameter at fault.
        page: The heading and the advice of the error page, if not the usual ones of the status.
        slug: The name of the problem for programs.
    """

    def __init__(
        self,
        status: int,
        detail: str | TranslatableText,
        field: str | None = None,
        page: tuple[str, str] | None = None,
        slug: str | None = None,
    ):
        self.text = detail if isinstance(detail, TranslatableText) else TranslatableText(detail)
        self.detail = str(self.text)
        super().__init__(self.detail)
        self.status = status
        self.field = field
        self.page = page
        self.slug = slug or SLUGS.get(status, str(status))

    def __reduce__(self) -> tuple[type[Problem], tuple[object, ...]]:
        """Pickle all attributes, for a problem raised in another process."""
        return type(self), (self.status, self.text, self.field, self.page, self.slug)

    @classmethod
    def malformed(cls, detail: str | TranslatableText, field: str | None = None) -> Problem:
        """400: the request cannot be understood."""
        return cls(400, detail, field)

    @classmethod
    def unknown(cls, detail: str | TranslatableText, field: str | None = None) -> Problem:
        """404: the thing addressed does not exist."""
        return cls(404, detail, field)

    @classmethod
    def out_of_range(cls, detail: str | TranslatableText, field: str) -> Problem:
        """422: the request is understood, but a value is not acceptable."""
        return cls(422, detail, field)

    @classmethod
    def wrong_type(cls, detail: str | TranslatableText, field: str) -> Problem:
        """422: a value is of another type than the field, such as a text for a number."""
        return cls(422, detail, field, slug="wrong-type")

    @classmethod
    def not_ready(cls) -> Problem:
        """503: no index is loaded."""
        return cls(
            503, N_("No index is loaded yet. It is being built, or `regula build` has to be run.")
        )

    @classmethod
    def no_store(cls) -> Problem:
        """503: an index is loaded, but the store that it searches does not answer."""
        return cls(
            503,
            N_("Where the rulebooks are searched does not answer. Ask again in a few seconds."),
            page=_NO_STORE,
        )
