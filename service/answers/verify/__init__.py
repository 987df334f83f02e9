"""Check quotations against the printed text: are they exact, altered, or unsupported?"""

from service.answers.verify.verification import checked_text, verification_out

__all__ = ["checked_text", "verification_out"]
