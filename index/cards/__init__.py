"""Cards in the index: their records, the names they are found by, and the rules that their texts
mention.
"""
