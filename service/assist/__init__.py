"""Assisted questions: a language model reformulates the question and chooses among the passages
found, but only quotations of the rulebooks are shown.
"""
