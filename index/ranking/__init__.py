"""What speaks for a passage, fused; how sure the answer is, and which of its words are marked."""
