"""Scores of passages by words, characters and vectors: from files, or by Milvus."""
