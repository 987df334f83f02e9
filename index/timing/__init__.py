"""Sequences of the game's time: phases, turns, attacks and other things that a rulebook has done
step by step.
"""
