"""The betting policy: what each action is worth in chips against the ranges that opponents have shown, and which is played."""
