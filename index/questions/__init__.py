"""Questions read before they are searched, and made ready to be looked for."""
