"""What users say of answers: stored in the workspace, listed, and turned into query variants and
questions for evaluation.
"""
