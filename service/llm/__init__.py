"""The owner's language model: structured replies from a server that speaks OpenAI's chat
completions, or from recorded calls.
"""
