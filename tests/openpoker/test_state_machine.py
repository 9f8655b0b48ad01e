"""A venue that loses, doubles, shuffles and withholds: whatever comes, one turn gets one answer, and only with authority."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from agent.openpoker.effects import Decide, Effects, Send
from agent.openpoker.session import Session
from agent.openpoker.turns import Turn
from agent.poker.spot import Action, Verb
from tests.openpoker.script import TABLE, Frame, Script

OFFER = [{"action": "fold"}, {"action": "call", "amount": 30}]


class Venue(RuleBasedStateMachine):
    """Hands of a script, told by a server with bad manners, to a session whose socket may fail as well."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0
        self.now = 0.0
        self.session = Session(buy_in_chips=2_000, new_id=self.new_id)
        self.hands = 0
        self.tokens = 0
        self.pending: list[Frame] = []
        self.told: list[Frame] = []
        self.authority: set[tuple[str, str]] = set()
        self.answers: dict[tuple[str, str], list[Frame]] = {}
        self.thinking: list[Turn] = []
        self.rejected: set[tuple[str, str]] = set()
        self.perform(self.session.opened(self.now))
        self.perform(self.session.learned_active_game(None, self.now))
        self.next_hand()

    def new_id(self) -> str:
        self.numbers += 1
        return f"id-{self.numbers}"

    def next_hand(self) -> None:
        self.hands += 1
        self.tokens += 1
        self.script = Script(1_000 * self.hands, f"h-{self.hands}")
        self.pending += self.script.to_first_prompt(f"token-{self.tokens}")

    def perform(self, effects: Effects) -> None:
        for effect in effects:
            if isinstance(effect, Decide):
                self.thinking.append(effect.turn)
            if isinstance(effect, Send):
                self.transmit(effect.frame)

    def transmit(self, frame: dict[str, Any]) -> None:
        if frame["type"] == "action":
            self.answers.setdefault((frame["hand_id"], frame["turn_token"]), []).append(dict(frame))
        self.session.sent(frame, self.now)

    def deliver(self, frame: Frame) -> None:
        if frame["type"] == "your_turn":
            self.authority.add((frame["hand_id"], frame["turn_token"]))
        self.told.append(frame)
        self.perform(self.session.receive(frame, self.now))

    @precondition(lambda self: self.pending)
    @rule(place=st.integers(0, 3))
    def one_of_the_next_frames_arrives(self, place: int) -> None:
        self.deliver(self.pending.pop(min(place, len(self.pending) - 1)))

    @precondition(lambda self: self.pending)
    @rule()
    def a_frame_is_lost(self) -> None:
        self.pending.pop(0)

    @precondition(lambda self: self.told)
    @rule(data=st.data())
    def a_frame_comes_again(self, data: st.DataObject) -> None:
        self.deliver(data.draw(st.sampled_from(self.told[-12:])))

    @precondition(lambda self: not self.pending)
    @rule()
    def the_hand_ends_and_another_begins(self) -> None:
        self.pending += [self.script.snapshot("idle", None), self.script.hand_result({0: 1_980, 2: 2_430, 4: 1_490})]
        self.next_hand()

    @rule()
    def a_resync_shows_the_open_turn(self) -> None:
        hand_id, token = f"h-{self.hands}", f"token-{self.tokens}"
        self.authority.add((hand_id, token))
        hero = {"seat": 0, "hole_cards": ["Qs", "Jd"], "turn_token": token, "valid_actions": OFFER}
        self.perform(self.session.opened(self.now))
        self.deliver(self.script.resync(self.script.snapshot(actor=0, hero=hero), []))

    @precondition(lambda self: self.thinking)
    @rule(verb=st.sampled_from([Verb.FOLD, Verb.CALL]), is_sent=st.booleans())
    def a_decision_is_ready(self, verb: Verb, is_sent: bool) -> None:
        frame = self.session.choose(self.thinking.pop(0), Action(verb))
        if frame is not None and is_sent:
            self.transmit(frame)

    @precondition(lambda self: self.answers)
    @rule(data=st.data(), code=st.sampled_from(["invalid_action", "stale_turn_token", "not_your_turn", "news"]))
    def the_venue_rejects_an_answer(self, data: st.DataObject, code: str) -> None:
        key = data.draw(st.sampled_from(sorted(self.answers)))
        self.rejected.add(key)
        answer_id = self.answers[key][-1]["client_action_id"]
        reject = {"type": "action_rejected", "code": code, "client_action_id": answer_id}
        self.perform(self.session.receive(reject, self.now))

    @precondition(lambda self: self.answers)
    @rule(data=st.data())
    def the_venue_acknowledges_an_answer(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.answers)))
        self.deliver({**self.script.ack(self.answers[key][-1]["client_action_id"]), "table_id": TABLE})

    @rule(seconds=st.floats(0.1, 40.0))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.perform(self.session.tick(self.now))

    @invariant()
    def nothing_is_answered_without_authority(self) -> None:
        assert set(self.answers) <= self.authority

    @invariant()
    def a_turn_gets_one_answer_and_another_only_after_a_rejection(self) -> None:
        for key, frames in self.answers.items():
            different = {frame["client_action_id"] for frame in frames}
            assert len(different) == 1 or key in self.rejected
            for answer_id in different:
                same = [frame for frame in frames if frame["client_action_id"] == answer_id]
                assert all(frame == same[0] for frame in same)


Venue.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestVenue = Venue.TestCase
