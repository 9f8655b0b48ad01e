"""Whether everything that playing needs is well: each check says what is wrong, why, and what to do."""
