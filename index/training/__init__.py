"""Train the built-in encoder, and the confidence of answers from editions with drafted variants."""
