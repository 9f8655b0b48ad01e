"""Frames of one table as the venue sends them to seat 0, built by hand: envelopes, gaps, hashes and all.

Seats 0 (hero, `Heron`), 2 (`Otter`, button) and 4 (`Lynx`) are dealt in; seat 4 posts 10 and hero 20.
"""

from typing import Any

from agent.openpoker.frames import state_hash

Frame = dict[str, Any]
TABLE, HAND, TOKEN = "t-1", "h-1", "token-1"
NULLS: Frame = {"amount": None, "min": None, "max": None}


class Script:
    """Makes frames with growing sequence numbers; every second number belongs to somebody else."""

    def __init__(self, start: int = 5_000, hand_id: str = HAND) -> None:
        self.table_seq, self.hand_seq, self.hand_id = start, 0, hand_id
        self.stacks = {0: 1_980, 2: 2_400, 4: 1_490}
        self.bets = {0: 20, 2: 0, 4: 10}
        self.folded: set[int] = set()
        self.board: list[str] = []
        self.names = {0: "Heron", 2: "Otter", 4: "Lynx"}

    def envelope(self, kind: str, stream: str = "event", **body: Any) -> Frame:
        self.table_seq, self.hand_seq = self.table_seq + 2, self.hand_seq + 2
        head = {"type": kind, "stream": stream, "table_id": TABLE, "hand_id": self.hand_id}
        tail = {"table_seq": self.table_seq, "hand_seq": self.hand_seq, "ts": "2026-09-20T12:00:00.000000+00:00"}
        return {**head, **body, **tail}

    def table_joined(self) -> Frame:
        players = [{"seat": s, "name": n, "stack": self.stacks[s] + self.bets[s]} for s, n in self.names.items()]
        return self.envelope("table_joined", seat=0, players=players)

    def hand_start(self) -> Frame:
        self.hand_seq = 0
        blinds = {"small_blind": 10, "big_blind": 20}
        return self.envelope("hand_start", state_hash=None, seat=0, dealer_seat=2, blinds=blinds)

    def hole_cards(self, *cards: str) -> Frame:
        return self.envelope("hole_cards", state_hash=None, cards=list(cards or ("Qs", "Jd")))

    @property
    def pot(self) -> int:
        return 5_900 - sum(self.stacks.values())

    def snapshot(self, street: str = "preflop", actor: int | None = 2, **changes: Any) -> Frame:
        seats = [self._seat(number, street) for number in range(6)]
        hero: Frame = {"seat": 0}
        if street != "idle":
            hero["hole_cards"] = ["Qs", "Jd"]
        body: Frame = {
            "street": street,
            "dealer_seat": 2,
            "small_blind": 10,
            "big_blind": 20,
            "pot": 0 if street == "idle" else self.pot,
            "board": list(self.board),
            "seats": seats,
            "hero": hero,
        }
        if street == "idle":
            details = {"remaining_seconds": 4.0, "configured_delay_seconds": 5.0}
            body |= {"waiting_reason": "between_hands_delay", "waiting_details": details}
        else:
            body["actor_seat"] = actor
        frame = self.envelope("table_state", stream="state", **{**body, **changes})
        return {**frame, "state_hash": state_hash(frame)}

    def _seat(self, number: int, street: str) -> Frame:
        if number not in self.names:
            return {"seat": number, "name": None, "stack": 0, "bet": 0, "status": "empty", "in_hand": False}
        seat: Frame = {"seat": number, "name": self.names[number], "stack": self.stacks[number]}
        seat |= {"bet": self.bets[number], "status": "active", "in_hand": street != "idle"}
        return seat if street == "idle" else {**seat, "folded": number in self.folded}

    def action(self, seat: int, verb: str, added: int = 0, street: str = "preflop", **changes: Any) -> Frame:
        before, pot_before = self.stacks[seat], self.pot
        self.stacks[seat] -= added
        self.bets[seat] += added
        if verb == "fold":
            self.folded.add(seat)
        body: Frame = {
            "state_hash": None,
            "seat": seat,
            "name": self.names[seat],
            "action": verb,
            "amount": self.bets[seat] if verb == "raise" else None,
            "amount_mode": "to_total" if verb == "raise" else "incremental",
            "reason": None,
            "action_id": f"a-{self.table_seq}",
            "street": street,
            "pot_before": pot_before,
            "pot_after": pot_before + added,
            "stack_before": before,
            "stack_after": before - added,
            "contribution_delta": added,
        }
        return self.envelope("player_action", **{**body, **changes})

    def community_cards(self, street: str, *cards: str) -> Frame:
        self.board, self.bets = list(cards), dict.fromkeys(self.bets, 0)
        return self.envelope("community_cards", state_hash=None, street=street, cards=list(cards))

    def your_turn(self, token: str = TOKEN, offer: list[Frame] | None = None, **changes: Any) -> Frame:
        offer = offer or [
            {**NULLS, "action": "fold"},
            {**NULLS, "action": "call", "amount": 30},
            {**NULLS, "action": "raise", "min": 80, "max": 2_000},
            {**NULLS, "action": "all_in", "amount": 1_980},
        ]
        body: Frame = {
            "state_hash": None,
            "seat": 0,
            "turn_token": token,
            "pot": self.pot,
            "community_cards": list(self.board),
            "valid_actions": offer,
            "min_raise": 80,
            "max_raise": 2_000,
            "players": [{"seat": s, "name": n, "stack": self.stacks[s]} for s, n in self.names.items()],
        }
        return self.envelope("your_turn", **{**body, **changes})

    def ack(self, client_action_id: str) -> Frame:
        return self.envelope("action_ack", client_action_id=client_action_id, status="accepted")

    def hand_result(self, final: dict[int, int], **changes: Any) -> Frame:
        body: Frame = {
            "state_hash": None,
            "winners": [{"seat": 0, "name": "Heron", "stack": final.get(0, 0), "amount": 60}],
            "pot": 60,
            "total_pot": 110,
            "final_stacks": {str(seat): chips for seat, chips in final.items()},
            "shown_cards": None,
            "actions": [],
        }
        return self.envelope("hand_result", **{**body, **changes})

    def resync(self, snapshot: Frame | None, events: list[Frame], role: str = "player") -> Frame:
        return {
            "type": "resync_response",
            "stream": "state",
            "table_id": TABLE,
            "role": role,
            "from_table_seq": 0,
            "to_table_seq": self.table_seq,
            "replayed_events": events,
            "snapshot": snapshot,
            "table_seq": self.table_seq,
        }

    def opening(self) -> list[Frame]:
        """From the seat to the first snapshot of the hand."""
        return [self.table_joined(), self.hand_start(), self.hole_cards(), self.snapshot()]

    def to_first_prompt(self, token: str = TOKEN) -> list[Frame]:
        """The opening, the button's raise to 50, the small blind's fold, and our turn."""
        opening = self.opening()
        raised = [self.action(2, "raise", 50), self.snapshot(actor=4)]
        return [*opening, *raised, self.action(4, "fold"), self.snapshot(actor=0), self.your_turn(token)]
