"""The HTTP server: connections with limits, an event loop, and worker processes."""
