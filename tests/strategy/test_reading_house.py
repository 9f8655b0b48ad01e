"""Reading held against what house players really held."""

from collections import defaultdict
from statistics import mean

from agent.poker.spot import Street
from agent.strategy.reading import Reading
from benchmarks.reading import Watcher, bits, guesses, seen_in


def test_each_thing_that_is_looked_at_tells_more_about_the_real_holding() -> None:
    reading = Reading()
    found: dict[str, list[float]] = defaultdict(list)
    for watched in Watcher(7, reading).hands(200):
        for seen in seen_in(watched):
            if seen.street is not Street.PREFLOP:
                for name, guess in guesses(reading).items():
                    found[name].append(bits(guess(seen), seen))
    gained = {name: mean(values) for name, values in found.items()}

    assert len(found["all acts"]) > 150
    assert gained["all acts"] > gained["preflop acts"] > gained["preflop acts of a stranger"] > 0.3
    assert gained["all acts"] > gained["static range"] + 0.5
