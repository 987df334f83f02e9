"""Answers given: HTTP for programs, pages for people, the command line."""
