"""What users say of answers: kept in the workspace, listed, and turned into phrasings and questions
to evaluate by.
"""
