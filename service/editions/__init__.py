"""Tools for translators and editors: comparisons of editions, changes, terms, checks, exports."""
