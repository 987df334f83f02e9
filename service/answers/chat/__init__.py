"""Answers as messages ready for a chat, in the markup and within the limit of the platform."""

from service.answers.chat.message import Message, message, message_json, units

__all__ = ["Message", "message", "message_json", "units"]
