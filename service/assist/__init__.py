"""Assisted questions: a model of the owner's reformulates and chooses; what is shown stays
quotations of the rulebooks.
"""
