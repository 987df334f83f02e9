"""The HTTP server: connections with limits, an event loop, worker processes."""
