"""What stands beside the rulebooks in an index, rulings and cards: kept, searched and placed among
the passages of an answer.
"""
