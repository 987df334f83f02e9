"""Benchmarks: Regula beside what one would use instead, and beside itself with parts left out."""
