import json
import random
from dataclasses import replace
from typing import Any

import pytest

from agent.arena.game.records import HandRecord
from agent.arena.house.field import load_field
from agent.arena.house.memory import Memory
from agent.arena.house.player import house_player
from agent.openpoker.table import HandSummary, Table, joined
from agent.player import public_hand
from agent.strategy.opponents import NAME_CHARS, Opponents
from agent.strategy.showdowns import Shown
from agent.strategy.statistics import PRIORS, Count, PlayedHand, Statistics, played_hand
from tests.arena.bot_habits import random_choice
from tests.arena.house_tables import played_hands
from tests.arena.plain_client import Frame
from tests.arena.served import arena_of, client_of
from tests.strategy.hands import played, told

HANDS = 60
RULES: dict[str, Any] = {"max_hands": HANDS, "start_chips": 1_000_000, "rebuy_cooldown_s": 0.0}
KINDS = ("station", "maniac", "regular", "tight", "random")


def after(frames: list[Frame]) -> list[HandSummary]:
    """How each hand ended for the one who got these frames."""
    table, found = Table("none"), []
    for frame in frames:
        if frame["type"] == "table_joined":
            table = joined(frame) or table
        summary = table.summary(frame) if frame["type"] == "hand_result" else None
        found += [summary] if summary is not None else []
        table = table.after(frame)
    return found


def seen_by_the_arena(record: HandRecord) -> PlayedHand | None:
    """The same from the arena's own record."""
    folded = {past.seat for past in record.actions if past.verb == "fold"}
    order = [seat for seat in sorted(record.names) if seat > record.button_seat]
    order += [seat for seat in sorted(record.names) if seat <= record.button_seat]
    posted = zip(order, (record.small_blind_chips, record.big_blind_chips), strict=False)
    return played_hand(
        complete=True,
        names=record.names,
        button_seat=record.button_seat,
        big_blind_chips=record.big_blind_chips,
        blinds={seat: min(chips, record.start_stacks[seat]) for seat, chips in posted},
        start_stacks=record.start_stacks,
        actions=record.actions,
        board=record.board,
        is_showdown=len(set(record.names) - folded) > 1,
        paid_seats=[seat for seat, chips in record.payouts.items() if chips],
    )


async def test_a_session_seen_from_a_seat_gives_the_counts_that_the_arena_has() -> None:
    records: list[HandRecord] = []
    rng = random.Random(3)
    house = tuple((f"Otter{number}", house_player(kind)) for number, kind in enumerate(KINDS))
    async with arena_of(players=house, on_hand=records.append, **RULES) as arena, client_of(arena) as client:
        await client.join()
        results = await client.play(lambda turn: random_choice(turn, rng), hands=HANDS)
        dealt = arena.stats("Heron").hands

    seen, own, memory = Opponents(), Opponents(), Memory()
    for summary, record in zip(after(client.frames), records, strict=True):
        public, whole = public_hand(summary), seen_by_the_arena(record)
        assert public is not None
        assert whole is not None
        seen.seen(public)
        own.seen(whole)
        memory.remember(record.names, record.actions, record.big_blind_chips)

    assert seen.as_dict() == own.as_dict()
    assert (seen.of("Heron").hands, len(records)) == (dealt, HANDS)
    names = {name for record in records for name in record.names.values()}
    for name in names:
        statistics, read = seen.of(name), memory.read(name)
        # House players keep a count of hands played of their own.
        assert (statistics.vpip.times + 40 * 0.32) / (statistics.hands + 40) == pytest.approx(read.vpip)
        assert statistics.wtsd.times == statistics.won_at_showdown.chances == shown(results, records, name)
    everybody = sum((seen.of(name) for name in names), Statistics())
    assert all(everybody.count(name).times for name in PRIORS)


def shown(results: list[Frame], records: list[HandRecord], name: str) -> int:
    """In how many results the player of that name showed cards."""
    seats = [[str(seat) for seat, other in record.names.items() if other == name] for record in records]
    return sum(
        any(seat in (result["shown_cards"] or {}) for seat in own) for result, own in zip(results, seats, strict=True)
    )


def test_the_book_counts_everybody_who_was_dealt_in_by_name() -> None:
    book = Opponents()
    book.seen(played("raise 60, fold, fold", stacks={0: 900, 1: 900, 2: 900}))
    book.seen(played("fold, raise 60, fold", stacks={0: 900, 1: 900, 2: 900}))

    assert len(book) == 3
    assert (book.of("P0").hands, book.of("P0").vpip, book.of("P1").pfr) == (2, Count(1, 2), Count(1, 2))
    assert book.of("nobody") == Statistics()


def test_the_book_forgets_who_was_met_longest_ago() -> None:
    book = Opponents(capacity=6)
    for seat in range(8):
        # P0 is met every time and stays.
        book.seen(renamed(played("fold", stacks={0: 900, 1: 900}), {0: "P0", 1: f"stranger {seat}"}))

    assert len(book) == 6
    assert (book.of("P0").hands, book.of("stranger 2").hands, book.of("stranger 3").hands) == (8, 0, 1)


def renamed(hand: PlayedHand, names: dict[int, str]) -> PlayedHand:
    return replace(hand, names=names)


def test_a_table_must_fit_into_the_book() -> None:
    with pytest.raises(ValueError, match="5 players: a table alone has 6"):
        Opponents(capacity=5)


def test_the_book_survives_as_json_and_forgets_in_the_same_order() -> None:
    book = Opponents()
    for number, hand in enumerate(played_hands(load_field(), hands=12, seed=5, hands_a_table=4)):
        book.seen(told(hand), {number % 6: Shown(1, 0.25, -0.125)})
    kept: dict[str, Any] = json.loads(json.dumps(book.as_dict()))
    again = Opponents.from_dict(kept)

    assert list(again.as_dict().items()) == list(book.as_dict().items())
    assert {name: (again.of(name), again.shown_of(name)) for name in kept} == {
        name: (book.of(name), book.shown_of(name)) for name in kept
    }
    assert len(Opponents.from_dict(kept, capacity=6)) == 6


def test_what_hands_said_that_were_shown_adds_up_by_name() -> None:
    book, hand = Opponents(), played("call, fold, check", *["check, check"] * 3, stacks={0: 900, 1: 900, 2: 900})
    book.seen(hand, {0: Shown(1, 0.25, 0.5), 2: Shown(1, -0.25, 0.0)})
    book.seen(hand, {0: Shown(1, 0.25, -0.125)})

    assert book.shown_of("P0") == Shown(2, 0.5, 0.375)
    assert book.shown_of("P2") == Shown(1, -0.25, 0.0)
    assert book.shown_of("P1") == book.shown_of("nobody") == Shown()
    assert book.of("P0").hands == 2


def test_whoever_has_a_name_that_fills_pages_stays_a_stranger() -> None:
    book, longest = Opponents(), "x" * NAME_CHARS
    book.seen(renamed(played("fold", stacks={0: 900, 1: 900}), {0: longest, 1: longest + "x"}))

    assert (longest in book, longest + "x" in book, len(book)) == (True, False, 1)


NOTHING_COUNTED: dict[str, Any] = {"statistics": {}, "shown": Shown().as_dict()}


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"luck": [1, 1]}, "expected statistics and shown"),
        (None, "expected statistics and shown"),
        ({"statistics": {}}, "expected statistics and shown"),
        ({**NOTHING_COUNTED, "luck": 1}, "expected statistics and shown"),
        ({**NOTHING_COUNTED, "statistics": [1]}, "expected statistics and shown"),
        ({**NOTHING_COUNTED, "statistics": {"luck": [1, 1]}}, "luck is no statistic: expected hands, vpip"),
        ({**NOTHING_COUNTED, "shown": {}}, "expected showdowns, and early and late"),
        ({**NOTHING_COUNTED, "shown": {"showdowns": 2, "early": 1.25, "late": 0.0}}, "of 1/2 a showdown at most"),
        ({**NOTHING_COUNTED, "shown": {"showdowns": 2, "early": 0.0, "late": float("nan")}}, "of 1/2 a showdown"),
        ({**NOTHING_COUNTED, "shown": {"showdowns": -1, "early": 0.0, "late": 0.0}}, "expected showdowns"),
        ({**NOTHING_COUNTED, "shown": {"showdowns": 1, "early": "0", "late": 0.0}}, "expected showdowns"),
    ],
)
def test_a_book_of_something_else_is_refused(told: Any, why: str) -> None:
    with pytest.raises(ValueError, match=f"what is told of 'Otter': .*{why}"):
        Opponents.from_dict({"Otter": told})
