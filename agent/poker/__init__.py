"""What is true at the table: cards, hand strength, equity, pot odds, positions and the spot to be decided. Pure."""
