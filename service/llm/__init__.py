"""Client of a language model: structured replies from a server with OpenAI's chat completions API,
or from recorded calls.
"""
