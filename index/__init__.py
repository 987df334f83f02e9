"""Passages made findable: built from a folder of rulebooks, published as snapshots, searched by words and by meaning."""
