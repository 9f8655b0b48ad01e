"""The venue: its wire format, what its frames mean, and a contestant that plays there."""
