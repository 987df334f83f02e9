"""What translators and editors ask: editions compared, changes, terms, checks, exports."""
