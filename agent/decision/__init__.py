"""One decision: menu, prompt, the model's reply, its check, and the rules that stand in for it."""
