"""What front ends of several formats need: assembling text and blocks, contents lists, list
numbers, ZIP packages.
"""
