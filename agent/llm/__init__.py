"""Asking a language model: one chat model behind a deadline, whichever provider serves it."""
