"""Cards in the index: records, tables to find them by name, and the rules that their texts
mention.
"""
