"""Quotations checked against what is printed: exact, altered, or not there at all."""

from service.verify.report import LONGEST, MOST, checked_text, verify

__all__ = ["LONGEST", "MOST", "checked_text", "verify"]
