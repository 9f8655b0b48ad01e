"""What we believe and prefer at the table, as pure functions of facts."""
