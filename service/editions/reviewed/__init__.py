"""Differences between editions that somebody has reviewed: facts without rulebook text, which stay
over new versions.
"""
