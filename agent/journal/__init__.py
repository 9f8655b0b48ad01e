"""The journal: every frame, prompt, reply, number, choice and outcome in one SQLite file, and how to read it back."""
