"""The failure catalogue on what is known of a hand: streets, chips, blinds, seats and boards.

Each row runs on a hand seen dealt and on one met in its middle by a resync, where the two can differ. The row stands in
each docstring.
"""

from typing import Any

import pytest

from agent.openpoker.frames import state_hash
from agent.openpoker.table import Table
from agent.poker.cards import format_cards
from agent.poker.positions import position_names
from agent.poker.spot import PastAction, Spot, Street, Verb
from tests.openpoker.origins import (
    Origin,
    acting,
    after,
    both_origins,
    dialled_cold,
    feed,
    new_session,
    overs,
    table_at,
)
from tests.openpoker.script import TABLE, Frame, Script

FLOP, TURN = ("2h", "7h", "Kc"), ("2h", "7h", "Kc", "9s")
FINAL = {0: 2_060, 2: 2_350, 4: 1_490}


def prompted(table: Table, script: Script, **changes: Any) -> Spot:
    """The spot at our first prompt, after the button's raise and the small blind's fold."""
    raised = (script.action(2, "raise", 50), script.action(4, "fold"))
    spot = after(table, *raised, script.your_turn(**changes)).spot()
    assert spot is not None
    return spot


def with_seat(snapshot: Frame, number: int, **changes: Any) -> Frame:
    """The snapshot with changes to one seat."""
    seats = [{**seat, **changes} if seat["seat"] == number else seat for seat in snapshot["seats"]]
    changed = {**snapshot, "seats": seats}
    return {**changed, "state_hash": state_hash(changed)}


class TestStreets:
    """V16: an action is filed under the street it belongs to, not under the street that its frame names."""

    def flop_played(self, script: Script) -> list[Frame]:
        """From the call that closes the first street to a check on the turn, without snapshots."""
        return [
            script.action(0, "call", 30, street="flop"),
            script.community_cards("flop", *FLOP),
            script.action(0, "check", street="flop"),
            script.action(2, "raise", 100, street="flop"),
            script.action(0, "call", 100, street="turn"),
            script.community_cards("turn", *TURN),
            script.action(0, "check", street="turn"),
        ]

    @both_origins
    def test_actions_that_close_a_street_are_filed_under_it(self, origin: Origin) -> None:
        script = Script()
        table = table_at(origin, script)
        table = after(table, script.action(2, "raise", 50), script.action(4, "fold"), *self.flop_played(script))

        assert table.hand is not None
        streets = [act.street for act in table.hand.actions]
        assert streets == [Street.PREFLOP] * 3 + [Street.FLOP] * 3 + [Street.TURN]

    @pytest.mark.parametrize("is_cold", [True, False])
    @pytest.mark.parametrize("turn_cards", [TURN, ("9s",)])
    @pytest.mark.parametrize("first", [0, 1, 2, 4, 5, 6])
    def test_a_replay_that_begins_in_mid_hand_files_them_alike(
        self, first: int, turn_cards: tuple[str, ...], is_cold: bool
    ) -> None:
        script = Script()
        table = after(table_at(Origin.DEAL, script))
        played = self.flop_played(script)
        played[5] = {**played[5], "cards": list(turn_cards)}
        response = script.resync(script.snapshot("turn", board=list(TURN)), played[first:])
        hand = (Table(TABLE) if is_cold else table).resynced(response).hand

        assert hand is not None
        told = [frame["type"] for frame in played]
        streets = [Street.PREFLOP] + [Street.FLOP] * 4 + [Street.TURN] * 2
        expected = [s for s, kind in list(zip(streets, told, strict=True))[first:] if kind == "player_action"]
        assert [act.street for act in hand.actions] == expected
        assert format_cards(hand.board) == "".join(TURN)


class TestAmounts:
    """V17, V18, V19: what an action has put in, whatever its frame says of it and leaves out."""

    @both_origins
    def test_folds_checks_and_calls_have_no_amount(self, origin: Origin) -> None:
        """V17."""
        script = Script()
        table = after(table_at(origin, script), script.action(2, "call", 20, amount=None), script.action(4, "fold"))

        assert table.hand is not None
        assert [act.added_chips for act in table.hand.actions] == [20, 0]
        assert table.pot_chips == 50

    @both_origins
    @pytest.mark.parametrize("verb", ["all_in", "raise"])
    @pytest.mark.parametrize(
        "said",
        [
            {"amount": 0},
            {"amount": None, "contribution_delta": None},
            {"amount": 0, "contribution_delta": 0, "pot_before": None},
            {"amount": 0, "contribution_delta": None, "pot_before": None, "stack_before": 0, "stack_after": 0},
            {"amount": None, "contribution_delta": None, "pot_before": 30, "pot_after": 30, "stack_before": 0},
        ],
    )
    def test_a_shove_puts_in_the_stack_that_was_there_before(self, origin: Origin, verb: str, said: Frame) -> None:
        """V18: once both stack fields were those after the action."""
        script = Script()
        table = after(table_at(origin, script), script.action(2, verb, 2_400, **said))

        assert table.hand is not None
        assert table.hand.actions == (PastAction(2, Street.PREFLOP, Verb(verb), 2_400, 2_400),)
        assert table.seats[1].stack_chips == 0

    @both_origins
    @pytest.mark.parametrize("mode", [{}, {"amount_mode": None}])
    def test_the_amount_of_a_raise_is_a_total(self, origin: Origin, mode: Frame) -> None:
        """V19: the small blind of 10 raises to 60 and adds 50."""
        script = Script()
        silent: dict[str, Any] = {
            "contribution_delta": None,
            "pot_before": None,
            "stack_before": None,
            "stack_after": None,
        }
        table = after(table_at(origin, script), script.action(4, "raise", 50, **silent, **mode))

        assert table.hand is not None
        assert table.hand.actions == (PastAction(4, Street.PREFLOP, Verb.RAISE, 50, 60),)
        assert (table.seats[2].stack_chips, table.seats[2].bet_chips) == (1_440, 60)

    def test_a_raise_of_a_replay_keeps_its_total_where_the_blind_before_it_is_not_known(self) -> None:
        """V19, V20: no event tells the blinds, so that a replay alone does not know what lay there."""
        script = Script()
        script.opening()
        raised = script.action(4, "raise", 50)
        hand = Table(TABLE).resynced(script.resync(script.snapshot(actor=0), [raised])).hand

        assert hand is not None
        assert hand.actions == (PastAction(4, Street.PREFLOP, Verb.RAISE, 50, 60),)


class TestBlinds:
    """V20, V21: blinds are read from the bets of the first snapshot, never from seat numbers."""

    @both_origins
    def test_at_a_short_table_the_blinds_are_where_the_chips_lie(self, origin: Origin) -> None:
        """V20: seats 0, 2 and 4 are dealt in, seat 2 has the button; seats 3 and 4 would be wrong."""
        hand = table_at(origin, Script()).hand

        assert hand is not None
        assert (hand.big_blind_seat, hand.start_stacks) == (0, {0: 2_000, 2: 2_400, 4: 1_500})

    def test_start_stacks_are_read_from_any_snapshot_before_the_flop(self) -> None:
        """V20: until the flop all that a player has put in lies in front of them."""
        script = Script()
        script.to_first_prompt()
        hand = Table(TABLE).resynced(script.resync(script.snapshot(actor=0), [])).hand

        assert hand is not None
        assert hand.start_stacks == {0: 2_000, 2: 2_400, 4: 1_500}
        assert (hand.big_blind_seat, hand.complete) == (None, False)

    @pytest.mark.parametrize("is_cold", [True, False])
    def test_a_hand_whose_beginning_was_only_replayed_has_its_start_stacks_too(self, is_cold: bool) -> None:
        """V20: the first snapshot of the hand comes after its first actions."""
        script = Script()
        frames = script.to_first_prompt()
        events = [frame for frame in frames[1:] if frame["type"] in ("hand_start", "player_action")]
        known = Table(TABLE) if is_cold else table_at(Origin.DEAL, Script(1_000, "h-0"))
        hand = known.resynced(script.resync(script.snapshot(actor=0), events)).hand

        assert hand is not None
        assert hand.start_stacks == {0: 2_000, 2: 2_400, 4: 1_500}
        assert (hand.blinds, hand.big_blind_seat) == ({0: 20, 4: 10}, 0)
        assert [act.to_chips for act in hand.actions] == [50, None]

    @both_origins
    @pytest.mark.parametrize(("button_blind", "name"), [("big", "SB"), ("small", "BB")])
    def test_heads_up_either_player_may_have_the_small_blind(
        self, origin: Origin, button_blind: str, name: str
    ) -> None:
        """V21: seat 2 has the button; which blind it posts differs between venues."""
        script = Script()
        script.names = {0: "Heron", 2: "Otter"}
        ours, theirs = (10, 20) if button_blind == "big" else (20, 10)
        script.bets, script.stacks = {0: ours, 2: theirs}, {0: 2_000 - ours, 2: 3_900 - theirs}
        spot = after(table_at(origin, script), script.your_turn()).spot()

        assert spot is not None
        positions = position_names(tuple(p.seat for p in spot.players), spot.button_seat, spot.big_blind_seat)
        assert positions[0] == name


class TestSeats:
    """V22, V23, V27: who plays is what snapshots and events say, and a newcomer waits for the next hand."""

    @both_origins
    @pytest.mark.parametrize("listed", [[0, 2], [0, 1, 2, 4], []])
    def test_the_list_of_a_prompt_neither_removes_nor_adds_anybody(self, origin: Origin, listed: list[int]) -> None:
        """V22: it omits the disconnected and names those who wait."""
        script = Script()
        players = [{"seat": seat, "name": "somebody", "stack": 9} for seat in listed]
        spot = prompted(table_at(origin, script), script, players=players)

        assert [(p.seat, p.name, p.folded) for p in spot.players] == [
            (0, "Heron", False),
            (2, "Otter", False),
            (4, "Lynx", True),
        ]

    @both_origins
    @pytest.mark.parametrize("order", ["joined, snapshot", "prompt, snapshot, joined", "snapshot", "joined"])
    def test_a_newcomer_is_in_the_next_hand_and_not_in_this_one(self, origin: Origin, order: str) -> None:
        """V23: in whatever order the arrival is told."""
        script = Script()
        table = table_at(origin, script)
        newcomer: dict[str, Any] = {"seat": 1, "name": "Stoat", "stack": 2_000}
        waiting = {**newcomer, "bet": 0, "status": "active", "in_hand": False, "folded": False}
        told = {
            "joined": lambda: script.envelope("player_joined", **newcomer),
            "prompt": lambda: script.your_turn(players=[newcomer]),
            "snapshot": lambda: with_seat(script.snapshot(actor=2), 1, **waiting),
        }
        table = after(table, *(told[word]() for word in order.split(", ")))
        assert [player.seat for player in prompted(table, script).players] == [0, 2, 4]

        later = Script(6_000, "h-2")
        table = after(table, later.hand_start())
        dealt = with_seat(later.snapshot(actor=0), 1, **{**waiting, "in_hand": True})
        next_spot = after(table, dealt, later.your_turn()).spot()
        assert next_spot is not None
        assert [player.seat for player in next_spot.players] == [0, 1, 2, 4]

    @both_origins
    @pytest.mark.parametrize("is_told_to_leave", [True, False])
    def test_who_takes_a_seat_over_in_mid_hand_does_not_take_its_cards_over(
        self, origin: Origin, is_told_to_leave: bool
    ) -> None:
        """V23: explicit fields win, also where nobody told that the seat became free."""
        script = Script()
        table = table_at(origin, script)
        if is_told_to_leave:
            table = after(table, script.envelope("player_left", seat=4, name="Lynx", reason="left"))
        changes = {"name": "Stoat", "stack": 2_000, "bet": 0, "in_hand": False, "folded": False}
        taken_over = with_seat(script.snapshot(actor=0), 4, **changes)
        spot = after(table, taken_over, script.your_turn()).spot()

        assert spot is not None
        assert [player.name for player in spot.opponents] == ["Otter"]

    @both_origins
    def test_a_hand_in_which_we_only_watched_does_not_count(self, origin: Origin) -> None:
        """V27: seated while others play; the next hand is ours."""
        script = Script()
        watched = with_seat(script.snapshot(hero={"seat": 0}), 0, in_hand=False)
        if origin is Origin.DEAL:
            session = new_session()
            list(session.opened(0.0))
            feed(session, script.table_joined(), watched)
        else:
            session = dialled_cold()
            feed(session, script.resync(watched, []))
        assert overs(feed(session, script.snapshot("idle", None), script.hand_result({2: 2_410, 4: 1_490}))) == []

        later = Script(6_000, "h-2")
        effects = feed(session, *later.to_first_prompt()[1:], later.hand_result(FINAL))
        assert [summary.net_chips for summary in overs(effects)] == [60]


class TestBoards:
    """V28: cards of the same hand never vanish, and cards of an earlier hand never stay."""

    @both_origins
    def test_an_empty_board_takes_no_cards_back(self, origin: Origin) -> None:
        script = Script()
        table = after(table_at(origin, script), script.community_cards("flop", *FLOP))
        recovered = script.resync(script.snapshot("flop", actor=0, board=[], hero=acting()), [])
        for again in (after(table, script.snapshot("flop", board=[])), table.resynced(recovered)):
            assert again.hand is not None
            assert format_cards(again.hand.board) == "2h7hKc"

    @both_origins
    @pytest.mark.parametrize("is_announced", [True, False])
    def test_the_board_of_the_last_hand_is_not_that_of_the_next(self, origin: Origin, is_announced: bool) -> None:
        """It stays visible while nobody plays; the next hand may be met by its first snapshot."""
        script = Script()
        idle = script.snapshot("idle", None, board=list(TURN))
        if origin is Origin.DEAL:
            table = after(table_at(origin, script), script.community_cards("turn", *TURN), idle)
        else:
            table = Table(TABLE).resynced(script.resync(idle, []))
        later = Script(6_000, "h-2")
        table = after(
            table, *([later.hand_start()] if is_announced else []), later.snapshot(actor=0), later.your_turn()
        )
        spot = table.spot()

        assert spot is not None
        assert (spot.street, spot.board) == (Street.PREFLOP, ())

    @both_origins
    @pytest.mark.parametrize("cards", [["🂡", "🂱"], ["A♠", "K♦"], ["Qs", "Qs"], ["10h", "Jd"], [None, "Jd"]])
    def test_cards_that_are_none_are_unknown_cards(self, origin: Origin, cards: list[Any]) -> None:
        """V33: whole characters of four bytes, names of another spelling, one card twice."""
        script = Script()
        odd: dict[str, Any] = {"hero": {"seat": 0, "hole_cards": cards}, "board": cards}
        if origin is Origin.DEAL:
            frames = [script.table_joined(), script.hand_start(), {**script.hole_cards(), "cards": cards}]
            table = after(Table(TABLE), *frames, script.snapshot(**odd))
        else:
            table = Table(TABLE).resynced(script.resync(script.snapshot(**odd), []))

        assert table.hand is not None
        assert (table.hand.hole_cards, table.hand.board) == (None, ())
