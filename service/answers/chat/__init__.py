"""Answers as messages ready for a chat, in the markup and within the limit of the platform."""

from service.answers.chat.message import ChatMessage, compose_message, message_out, utf16_length

__all__ = ["ChatMessage", "compose_message", "message_out", "utf16_length"]
