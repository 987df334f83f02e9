"""Damaged and hostile files in every format: each ends in a reading or in one line that says what is wrong."""
