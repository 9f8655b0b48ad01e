"""Measured speeds, printed as a table: `make bench`. Nothing here is a test, and no test measures time."""
