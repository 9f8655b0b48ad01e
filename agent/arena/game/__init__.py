"""One table: the dealer, the hand, the seats, and what everybody at it may see."""
