"""The server's frames, and how they are spelled."""
