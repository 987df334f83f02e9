"""Where passages are found by words, characters and vectors: in files, by size, or in Milvus."""
