"""The Flask application: API, pages, and the HTTP server."""
