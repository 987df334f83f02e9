"""Answers as messages ready for a chat, in the markup and within the limit of the platform."""

from service.answers.chat.markup import Form
from service.answers.chat.message import LEAST, LIMITS, Message, message, message_json, units

__all__ = ["LEAST", "LIMITS", "Form", "Message", "message", "message_json", "units"]
