"""Benchmarks: quality and speed compared with other search tools, learned weights, growth, load,
and a check that answers stay the same.
"""
