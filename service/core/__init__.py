"""The base of the service: snapshots, questions to them, problems, languages of the pages, jobs."""
