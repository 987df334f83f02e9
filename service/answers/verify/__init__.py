"""Quotations checked against what is printed: exact, altered, or not there at all."""

from service.answers.verify.verification import checked_text, verification_out

__all__ = ["checked_text", "verification_out"]
