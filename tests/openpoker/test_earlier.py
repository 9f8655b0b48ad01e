"""What is known of an open turn after the program was killed in mid-hand and started again."""

from agent.openpoker.earlier import Earlier, left_behind
from agent.openpoker.patience import Patience
from tests.openpoker.origins import acting, decided, dialled_cold, feed
from tests.openpoker.script import HAND, TOKEN, Frame, Script

KEY = (HAND, TOKEN)


def passed(*frames: Frame, began: float = 10.0, direction: str = "in") -> list[tuple[float, str, Frame]]:
    """The frames as they passed, one a second."""
    return [(began + number, direction, frame) for number, frame in enumerate(frames)]


class TestLeftBehind:
    def test_a_prompt_counts_from_its_first_arrival(self) -> None:
        script = Script()
        frames = script.to_first_prompt()
        left = left_behind(passed(*frames, script.your_turn(), script.snapshot(actor=0)))

        assert left.prompted_at == {KEY: 10.0 + len(frames) - 1}
        assert left.heard_at == 10.0 + len(frames) + 1

    def test_a_turn_that_a_resync_restored_is_as_old_as_what_was_heard_before_the_resync(self) -> None:
        """The table may speak on the new socket before the resync is answered."""
        script = Script()
        before = passed(*script.opening())
        asking = passed({"type": "resync_request"}, began=30.0, direction="out")
        live = passed({"type": "connected"}, script.snapshot(actor=0), began=31.0)
        restored = passed(script.resync(script.snapshot(actor=0, hero=acting()), []), began=40.0)

        assert left_behind([*before, *asking, *live, *restored]).prompted_at == {KEY: before[-1][0]}

    def test_what_is_said_before_a_resync_is_answered_does_not_count_as_heard(self) -> None:
        script = Script()
        before = passed(*script.opening())
        asking = passed({"type": "resync_request"}, began=30.0, direction="out")

        assert left_behind([*before, *asking, *passed(script.snapshot(), began=31.0)]).heard_at == before[-1][0]

    def test_of_nothing_nothing_is_known(self) -> None:
        assert left_behind([]) == Earlier()


class TestOpenTurns:
    def received_at(self, earlier: Earlier | None, now: float = 1_000.0, unseen_s: float = 20.0) -> float:
        """Since when the clock of a turn runs that a cold resync shows at `now`."""
        script = Script()
        session = dialled_cold(earlier=earlier, patience=Patience(unseen_s=unseen_s))
        script.to_first_prompt()
        return decided(feed(session, script.resync(script.snapshot(actor=0, hero=acting()), []), now=now)).received_at

    def test_a_prompt_that_the_killed_run_knew_has_the_time_that_is_left_of_it(self) -> None:
        assert self.received_at(Earlier(prompted_at={KEY: 997.0}, heard_at=998.0)) == 997.0
        assert self.received_at(Earlier(prompted_at={KEY: 940.0}, heard_at=998.0)) == 940.0

    def test_one_that_it_did_not_know_has_opened_after_what_it_heard_last(self) -> None:
        assert self.received_at(Earlier(heard_at=996.0)) == 996.0

    def test_one_of_which_nothing_is_known_gets_its_share(self) -> None:
        assert self.received_at(Earlier(heard_at=300.0)) == 980.0
        assert self.received_at(None, unseen_s=7.5) == 992.5

    def test_a_clock_that_was_put_back_does_not_give_more_time_than_there_is(self) -> None:
        assert self.received_at(Earlier(prompted_at={KEY: 1_500.0}, heard_at=1_500.0)) == 1_000.0
