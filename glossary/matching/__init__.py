"""Match entries and passages of different editions by their content."""
