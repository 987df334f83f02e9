"""What is kept in files that processes share by mapping them: numbers, rows, names, records;
written so that a crash loses nothing.
"""
