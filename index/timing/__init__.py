"""Sequences of the game's time: phases, turns, attacks and other procedures that a rulebook lists
step by step.
"""
