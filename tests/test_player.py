"""What a finished hand teaches the agent about those it played with, and what that may cost a turn: nothing."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.arena.game.dealer import Hand
from agent.arena.house.field import load_field
from agent.decision.decide import Thinking
from agent.evaluation.all_in import nets
from agent.journal.reader import Reader
from agent.journal.records import HandRecord
from agent.journal.writer import Journal
from agent.openpoker.table import HandSummary
from agent.player import Player
from agent.poker.cards import format_cards
from agent.settings import Settings
from agent.strategy.opponents import NAME_CHARS, Opponents
from agent.strategy.policy.policy import Policy
from agent.strategy.reading import Reading
from agent.strategy.statistics import PlayedHand, Statistics
from agent.wiring import build_thinking, open_journal, recalled_opponents
from tests.arena.hands import deck_with, hand_of, play, run_out
from tests.arena.house_tables import played_hands
from tests.spots import facing_a_raise, heads_up
from tests.strategy.hands import told

AT = datetime(2026, 9, 20, 12, 0, tzinfo=UTC)
TO_THE_RIVER = ("call, fold, check", *["check, check"] * 3)
"""Three-handed: the button and the big blind (seats 0 and 2) show down."""


def summary(hand: Hand, *, hero_seat: int | None = None, **changes: Any) -> HandSummary:
    """How a hand of the dealer ended, as the venue would have told it."""
    public, settled = told(hand), hand.settlement
    assert settled is not None
    ended = HandSummary(
        hand_id="h-1",
        table_id="t-1",
        hero_seat=hero_seat,
        hole_cards=None,
        board=public.board,
        button_seat=public.button_seat,
        dealt_seats=tuple(sorted(public.names)),
        big_blind_seat=None,
        big_blind_chips=public.big_blind_chips,
        pot_chips=0,
        net_chips=None,
        complete=True,
        result={},
        names=public.names,
        blinds=public.blinds,
        start_stacks=public.start_stacks,
        actions=public.actions,
        is_showdown=settled.shown_cards is not None,
        paid_seats=tuple(seat for seat, chips in settled.payouts.items() if chips),
        shown_cards={seat: (cards[0], cards[1]) for seat, cards in (settled.shown_cards or {}).items()},
    )
    return replace(ended, **changes)


def hand_dealt(*lines: str) -> Hand:
    hand = hand_of(dict.fromkeys(range(3), 2_000), button=0, deck=deck_with({0: "AsAh", 2: "QsQh"}, "2c3d4c7d8c"))
    for line in lines:
        play(hand, *line.split(", "))
    run_out(hand)
    return hand


@contextmanager
def player_with(folder: Path, reading: Reading | None = None, **changes: Any) -> Iterator[Player]:
    """A player that decides by the policy, with a journal; `changes` are of its thinking."""
    settings = settings_in(folder)
    thinking: Thinking = build_thinking(settings)
    thinking = replace(thinking, policy=Policy(reading=reading) if reading else Policy(), **changes)
    with open_journal(settings, thinking, bot="heron", ws_url="ws://x") as journal:
        yield Player(thinking, journal)


def settings_in(folder: Path) -> Settings:
    environ = {"JOURNAL_PATH": str(folder / "journal.sqlite3"), "FALLBACK": "policy", "AGENT_SEED": "1"}
    return Settings.load(environ, folder / ".env")


class Watched(Reading):
    """A reading that is told, in its thread, of each showdown before it looks at it."""

    def __init__(self, on_showdown: Callable[[], None]) -> None:
        super().__init__()
        self._on_showdown = on_showdown

    def observed_showdown(self, *told: Any, **more: Any) -> Any:
        self._on_showdown()
        return super().observed_showdown(*told, **more)


async def test_hands_teach_live_what_they_teach_when_told_one_by_one(tmp_path: Path) -> None:
    hands = [*played_hands(load_field(), hands=60, seed=5, hands_a_table=60)]
    book, reading = Opponents(), Reading()
    for hand in hands:
        ended, public = summary(hand), told(hand)
        book.seen(public, reading.observed_showdown(public, ended.shown_cards, book.of, book.shown_of))

    with player_with(tmp_path) as player:
        for hand in hands:  # Faster than they can be learned from.
            player.hand_over(summary(hand), AT)
        while player._lesson is not None and not player._lesson.done():
            await player.learned()
        assert player.thinking.opponents.as_dict() == book.as_dict()
        assert sum(book.shown_of(name).showdowns for name in book.as_dict()) > 10

    recalled = recalled_opponents(settings_in(tmp_path), bot="heron").as_dict()
    assert recalled == book.as_dict()
    assert recalled_opponents(settings_in(tmp_path), bot="lynx").as_dict() == {}


async def test_our_own_cards_teach_nothing_and_we_are_not_kept(tmp_path: Path) -> None:
    with player_with(tmp_path) as player:
        player.hand_over(summary(hand_dealt(*TO_THE_RIVER), hero_seat=0), AT)
        await player.learned()
        book = player.thinking.opponents
        assert [book.shown_of(f"P{seat}").showdowns for seat in range(3)] == [0, 0, 1]
        assert [book.of(f"P{seat}").hands for seat in range(3)] == [1, 1, 1]
    with Reader(tmp_path / "journal.sqlite3") as reader:
        assert [known.name for known in reader.latest_opponents("heron", 10)] == ["P1", "P2"]


async def test_a_name_that_fills_pages_is_not_kept(tmp_path: Path) -> None:
    names = {0: "P0", 1: "x" * NAME_CHARS, 2: "x" * (NAME_CHARS + 1)}
    with player_with(tmp_path) as player:
        player.hand_over(summary(hand_dealt(*TO_THE_RIVER), names=names), AT)
        await player.learned()
    with Reader(tmp_path / "journal.sqlite3") as reader:
        assert {known.name for known in reader.latest_opponents("heron", 10)} == {names[0], names[1]}


async def test_a_hand_that_was_not_seen_whole_teaches_nothing(tmp_path: Path) -> None:
    with player_with(tmp_path) as player:
        player.hand_over(summary(hand_dealt(*TO_THE_RIVER), complete=False), AT)
        await player.learned()
        assert len(player.thinking.opponents) == 0


async def test_the_next_turn_knows_the_hand_before_it_and_the_loop_did_not_wait_for_that(tmp_path: Path) -> None:
    order: list[str] = []

    class Asked(Opponents):
        def of(self, name: str) -> Statistics:
            if not name.startswith("P"):
                order.append(f"a turn, with {len(self)} players known")
            return super().of(name)

    def slowly() -> None:
        time.sleep(0.1)
        order.append("the showdown" if threading.current_thread() is not threading.main_thread() else "on the loop")

    with player_with(tmp_path, Watched(slowly), opponents=Asked()) as player:
        player.hand_over(summary(hand_dealt(*TO_THE_RIVER)), AT)
        order.append("the hand is over")
        action = await player.decide("01M8MZP195C3AY02X4MG88R9KT", heads_up(), deadline=time.monotonic() + 5)
    assert action is not None
    assert order[:3] == ["the hand is over", "the showdown", "a turn, with 3 players known"]


async def test_a_showdown_that_cannot_be_read_costs_itself_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fails() -> None:
        raise ZeroDivisionError("sums")

    with player_with(tmp_path, Watched(fails)) as player:
        player.hand_over(summary(hand_dealt(*TO_THE_RIVER)), AT)
        action = await player.decide("01M8MZP195C3AY02X4MG88R9KT", heads_up(), deadline=time.monotonic() + 5)
        book = player.thinking.opponents
        assert action is not None
        assert (book.of("P2").hands, book.shown_of("P2").showdowns) == (1, 0)
    assert "nothing is learned from the showdown of hand h-1" in caplog.text


async def test_a_hand_that_cannot_be_counted_costs_neither_turn_nor_the_next_hand(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Refusing(Opponents):
        refuses = True

        def seen(self, hand: PlayedHand, *more: Any) -> None:
            if self.refuses:
                raise ZeroDivisionError("sums")
            super().seen(hand, *more)

    book = Refusing()
    with player_with(tmp_path, opponents=book) as player:
        player.hand_over(summary(hand_dealt(*TO_THE_RIVER)), AT)
        assert await player.decide("01M8MZP195C3AY02X4MG88R9KT", heads_up(), deadline=time.monotonic() + 5)
        book.refuses = False
        player.hand_over(summary(hand_dealt(*TO_THE_RIVER)), AT)
        await player.learned()
    assert book.of("P2").hands == 1
    assert "nothing is learned from hand h-1" in caplog.text


def kept(folder: Path) -> Journal:
    settings = settings_in(folder)
    return open_journal(settings, build_thinking(settings), bot="heron", ws_url="ws://x")


async def test_who_cannot_be_read_in_the_journal_is_a_stranger_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with player_with(tmp_path) as player:
        player.hand_over(summary(hand_dealt(*TO_THE_RIVER)), AT)
        await player.learned()
    with kept(tmp_path) as journal:
        with Reader(journal.path) as reader:
            (good, *_) = reader.latest_opponents("heron", 10)
        journal.opponent(replace(good, name="P1", statistics={"luck": [1, 1]}))

    book = recalled_opponents(settings_in(tmp_path), bot="heron")

    assert sorted(book.as_dict()) == ["P0", "P2"]
    assert "'P1' is a stranger again" in caplog.text
    assert "luck is no statistic" in caplog.text


def test_without_a_journal_that_can_be_read_everybody_is_a_stranger(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert len(recalled_opponents(settings_in(tmp_path), bot="heron")) == 0
    assert "everybody is a stranger again: There is no journal at" in caplog.text


def ended(hand: Hand, hero_seat: int, **changes: Any) -> HandSummary:
    """The end of a hand as hero sees it, with what everybody has afterwards."""
    settled = hand.settlement
    assert settled is not None
    net = settled.final_stacks[hero_seat] - settled.start_stacks[hero_seat]
    result = {"final_stacks": {str(seat): chips for seat, chips in settled.final_stacks.items()}}
    told_by_venue = {"hole_cards": hand.hole_cards[hero_seat], "net_chips": net, "result": result, "big_blind_seat": 2}
    return summary(hand, hero_seat=hero_seat, **(told_by_venue | changes))


async def kept_hand(folder: Path, ending: HandSummary) -> HandRecord:
    """The hand as it is read from the journal once the player has told it."""
    with player_with(folder) as player:
        player.hand_over(ending, AT)
        await player.learned()
    with Reader(folder / "journal.sqlite3") as reader:
        return reader.hand("h-1").hand


async def test_a_hand_is_kept_so_that_it_can_be_told_and_drawn(tmp_path: Path) -> None:
    kept = await kept_hand(tmp_path, ended(hand_dealt("call, fold, check", "check, raise 60, fold"), 0))
    assert (kept.button_seat, kept.position, kept.blinds) == (0, "BTN", {"1": 10, "2": 20})
    assert kept.actions == (
        (0, "preflop", "call", 20, 20),
        (1, "preflop", "fold", 0, 10),
        (2, "preflop", "check", 0, 20),
        (2, "flop", "check", 0, 0),
        (0, "flop", "raise", 60, 60),
        (2, "flop", "fold", 0, 0),
    )
    assert [(p.seat, p.name, p.position, p.start_chips, p.net_chips) for p in kept.players] == [
        (0, "P0", "BTN", 2_000, 30),
        (1, "P1", "SB", 2_000, -10),
        (2, "P2", "BB", 2_000, -20),
    ]
    assert (kept.net_chips, kept.adjusted_net_chips, kept.shown) == (30, 30, {})
    assert kept.habits == {"vpip": [1, 1], "pfr": [0, 1], "aggression": [1, 1], "wtsd": [0, 1]}


async def test_an_all_in_is_kept_with_what_could_be_expected_of_it(tmp_path: Path) -> None:
    hand = hand_dealt("all_in, call, call")
    kept = await kept_hand(tmp_path, ended(hand, 0))
    assert kept.net_chips == -2_000
    assert kept.adjusted_net_chips == pytest.approx(nets(hand, ())[0])
    assert nets(hand, ())[0] > 0
    assert kept.shown == {"0": "AsAh", "1": format_cards(hand.hole_cards[1]), "2": "QsQh"}


async def test_who_folded_before_others_were_all_in_could_expect_what_they_lost(tmp_path: Path) -> None:
    kept = await kept_hand(tmp_path, ended(hand_dealt("fold, all_in, call"), 0, shown_cards={}))
    assert (kept.net_chips, kept.adjusted_net_chips) == (0, 0)


@pytest.mark.parametrize(
    "changes",
    [
        {"shown_cards": {0: (51, 50)}},
        {"net_chips": None},
        {"complete": False},
        {
            "result": {"final_stacks": {"0": 2_000, "1": 2_000, "2": 2_000}},
            "blinds": {1: 10, 2: 20},
            "names": {0: "P0"},
        },
    ],
)
async def test_an_all_in_of_which_not_all_is_known_has_no_such_value(tmp_path: Path, changes: dict[str, Any]) -> None:
    kept = await kept_hand(tmp_path, ended(hand_dealt("all_in, fold, call"), 0, **changes))
    assert kept.adjusted_net_chips is None


async def test_chips_that_do_not_explain_what_was_lost_give_no_value(tmp_path: Path) -> None:
    hand = hand_dealt("all_in, fold, call")
    final = {str(seat): chips for seat, chips in ended(hand, 0).result["final_stacks"].items()}
    kept = await kept_hand(tmp_path, ended(hand, 0, result={"final_stacks": final | {"1": 1_700}}))
    assert kept.adjusted_net_chips is None
    assert kept.players[1].net_chips == -300


async def test_an_all_in_that_cannot_be_valued_costs_that_value_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hand = hand_dealt("all_in, fold, call")
    twice = dict.fromkeys((0, 2), hand.hole_cards[0])
    with player_with(tmp_path) as player:
        player.hand_over(ended(hand, 0, shown_cards=twice), AT)
        await player.learned()
        assert player.thinking.opponents.of("P2").hands == 1
    with Reader(tmp_path / "journal.sqlite3") as reader:
        kept = reader.hand("h-1").hand
    assert (kept.net_chips, kept.adjusted_net_chips) == (2_010, None)
    assert "the all-in of hand h-1 is not valued" in caplog.text


async def test_a_decision_is_kept_with_what_the_policy_made_of_it(tmp_path: Path) -> None:
    spot = facing_a_raise()
    with player_with(tmp_path) as player:
        await player.decide("01M8MZP195C3AY02X4MG88R9KT", spot, deadline=time.monotonic() + 5)
    with Reader(tmp_path / "journal.sqlite3") as reader:
        kept = reader.decision("last").decision
    assert kept.names == {str(player.seat): player.name for player in spot.players}
    assert kept.policy is not None
    assert kept.policy["choice"] in {candidate["id"] for candidate in kept.menu}
    assert kept.policy["reason"]
    (read,) = kept.policy["ranges"].values()
    assert 0 < read["share"] < 0.99
    assert len(read["levels"]) == 169


async def test_ranges_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    with player_with(tmp_path) as player:
        await player.decide("01M8MZP195C3AY02X4MG88R9KT", heads_up(), deadline=time.monotonic() + 5)
    with Reader(tmp_path / "journal.sqlite3") as reader:
        kept = reader.decision("last").decision
    assert kept.policy is not None
    assert kept.policy["ranges"] == {}


async def test_without_a_policy_nothing_is_kept_of_one(tmp_path: Path) -> None:
    with player_with(tmp_path) as player:
        player.thinking.policy = None
        await player.decide("01M8MZP195C3AY02X4MG88R9KT", heads_up(), deadline=time.monotonic() + 5)
    with Reader(tmp_path / "journal.sqlite3") as reader:
        assert reader.decision("last").decision.policy is None
