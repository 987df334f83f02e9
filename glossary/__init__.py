"""Connect the entries of rulebooks: references, terms, concepts, query variants, comparisons, and
checks of the print.
"""
