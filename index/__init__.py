"""Build a search index of rulebooks, and answer questions from it.

`index.search` describes the steps from a question to its answer, `index.building.build` those from
rulebooks to an index. Programs use `service`, whose functions open an index and ask it.
"""
