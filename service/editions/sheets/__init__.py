"""Ruling sheets: a question, the passages that somebody rules by, and what has become of these
since the link to the sheet was made.
"""
