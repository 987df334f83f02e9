"""The terms of a game as a list for translators: names, definitions, parts of speech, and which of
them are inflections or no terms.
"""
