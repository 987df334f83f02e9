"""Answers as messages ready for a chat, in the markup and within the limit of the platform."""

from service.answers.chat.card_message import CardMessage, card_message_out, compose_card_message
from service.answers.chat.message import ChatMessage, compose_message, message_out
from service.answers.chat.named_card import named_card, named_card_message
from service.answers.chat.quotations import utf16_length

__all__ = [
    "CardMessage",
    "ChatMessage",
    "card_message_out",
    "compose_card_message",
    "compose_message",
    "message_out",
    "named_card",
    "named_card_message",
    "utf16_length",
]
