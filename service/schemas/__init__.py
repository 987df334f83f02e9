"""The shapes of what programs send and get, as pydantic models: the description of the API is made
from them.
"""
