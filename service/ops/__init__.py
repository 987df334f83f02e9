"""What an operator handles: settings, keys, indexes."""
