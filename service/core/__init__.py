"""The core of the service: snapshots, asking them, problems, languages of the pages, jobs."""
