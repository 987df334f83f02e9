"""Timing sequences: rounds, turns, phases, attacks and other procedures that a rulebook lists step
by step.
"""
