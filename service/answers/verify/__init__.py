"""Quotations checked against what is printed: exact, altered, or not there at all."""

from service.answers.verify.verification import LONGEST, MOST, checked_text, verify

__all__ = ["LONGEST", "MOST", "checked_text", "verify"]
