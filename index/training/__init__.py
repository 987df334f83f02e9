"""Learn the built-in encoder, and how sure answers from drafted rulebooks are."""
