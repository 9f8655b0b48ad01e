"""Players compared on the same deals: in one process, in several, or on several machines, with intervals."""
