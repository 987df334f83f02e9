"""Benchmarks: quality and speed beside what one would use instead, weights learned, growth, load,
and answers that stay the same.
"""
