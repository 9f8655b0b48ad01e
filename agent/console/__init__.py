"""The web pages of `poker-agent console`."""
