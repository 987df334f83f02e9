"""Pydantic models of requests and responses, from which the description of the API is generated."""
