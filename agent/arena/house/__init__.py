"""House players: how they think, and which of them come."""
