"""What everything in the service stands on: the snapshot, asking it, problems, languages of the
pages, jobs.
"""
