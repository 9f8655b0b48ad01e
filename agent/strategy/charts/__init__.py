"""Preflop charts: what to do with which hand, by position, depth and what came before; and the sizes to do it with."""
