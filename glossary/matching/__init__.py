"""Entries and passages of different editions matched by what they have in common."""
