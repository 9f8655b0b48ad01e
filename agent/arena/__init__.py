"""A local Open Poker: dealer, house players, and both sides of the venue's wire, for any client."""
