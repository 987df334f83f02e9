"""Build the term list of a game for translators: names, definitions, parts of speech, and which
names are inflections or no terms.
"""
