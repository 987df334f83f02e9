"""Rulebooks of which the text is known, printed as PDF in many forms, and how well they are read from there."""
