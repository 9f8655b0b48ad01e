"""What goes wrong on demand."""
