"""What lets in somewhere, kept out of what is shown: of an address with a user and password, only
where it leads is told.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import AnyUrl

_USER = re.compile(
    r"^((?:[a-z][\w+.-]*)?:/*+).*@", re.IGNORECASE | re.DOTALL
)  # to the last @: a password may hold any sign
_PARAMETER = re.compile(
    r"([?&;](?=[^=&;]*(?:pass|pwd|secret|token|key|user))[^=&;]*=)[^&;]+", re.IGNORECASE
)
_MASK = "***"


def masked(value: Any) -> Any:
    """Return the ``value`` of a setting as it may be shown: addresses without user, password and
    tokens.
    """
    if isinstance(value, str):
        return _PARAMETER.sub(rf"\g<1>{_MASK}", _USER.sub(rf"\g<1>{_MASK}@", value))
    if isinstance(value, AnyUrl):
        return masked(str(value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(masked, value))
    return value
