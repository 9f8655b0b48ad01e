"""An Open Poker contestant: computed odds, a language model at the table, and a rule that never misses a turn."""
