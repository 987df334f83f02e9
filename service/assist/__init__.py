"""Assisted questions: the owner's model reformulates and chooses, but only quotations of the
rulebooks are shown.
"""
