"""What connects the entries of rulebooks: references, terms, concepts, query variants, comparisons,
and what is wrong in print.
"""
