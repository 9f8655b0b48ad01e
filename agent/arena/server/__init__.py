"""The port: WebSocket and REST, connections, limits, recordings."""
