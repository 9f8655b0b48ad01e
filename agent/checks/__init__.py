"""What can be checked before the agent plays: each check gives a finding that says what is wrong, why, and what to do."""
