"""A whole bot written from the protocol document alone, as any third party would: it shares no code with the agent's.

It joins, plays random legal actions, retries, reconnects and resyncs, busts and buys in again, leaves and comes back;
and it keeps books of its chips, so that every figure of the venue can be held against them.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import httpx
from websockets.exceptions import ConnectionClosed

from tests.arena.bot_habits import Habits, random_choice
from tests.arena.chip_book import Book
from tests.arena.plain_client import Frame, PlainClient
from tests.arena.session_conformance import session_problems

BUY_IN: Final = 2_000
MIN_BUY_IN: Final = 1_000
REBUY: Final = 1_500
SILENCES: Final = 10


class PlainPlayer:
    """One bot with its habits. `seen` counts what happened to it.

    After `patience_s` without a frame it sends again what was not acknowledged, else it asks where it sits.
    """

    def __init__(
        self,
        ws_url: str,
        api_url: str,
        key: str,
        *,
        habits: Habits | None = None,
        seed: int = 0,
        patience_s: float = 5.0,
    ) -> None:
        self.habits = habits or Habits()
        self.client = PlainClient(ws_url, key, key_in_query=self.habits.key_in_query)
        self.book = Book()
        self.seen: Counter[str] = Counter()
        self.hands: set[str] = set()
        self._api = httpx.AsyncClient(base_url=api_url, headers={"Authorization": f"Bearer {key}"})
        self._rng = random.Random(seed)
        self._patience_s = patience_s
        self._silences = 0
        self._table: str | None = None
        self._seat: int | None = None
        self._playing: str | None = None
        self._answered: set[tuple[str, str]] = set()
        self._unacked: dict[str, Frame] = {}
        self._is_queued = self._is_leaving = self._is_quitting = False

    @property
    def problems(self) -> list[str]:
        """Everything that contradicts the document or the player's own books."""
        return [*self.client.problems, *session_problems(self.client.frames), *self.book.errors]

    async def play(self, hands: int) -> None:
        """Play until the results of that many hands were seen, then leave and close the books."""
        await self.play_until(lambda: len(self.hands) >= hands)

    async def play_until(self, is_done: Callable[[], bool]) -> None:
        """Play until then, leave at the hand's end and close the books."""
        async with self._api:
            await self._arrive()
            while not is_done():
                await self._step()
            await self._quit()
            await self.client.close()
            await self._reconcile()

    # Coming and going

    async def _arrive(self) -> None:
        """Connect, and resume the game that is on, else join."""
        await self.client.open()
        if not self.habits.speaks_before_greeting:
            await self.client.until("connected")
        if self._table is not None:
            self.book.is_stale = True
            await self._resync(self.client.watermark)
            return
        game = await self._get("/me/active-game")
        if game["playing"]:
            await self._resume(game["table_id"])
        elif not self._is_quitting:
            await self._join()

    async def _resume(self, table_id: str) -> None:
        """Take up a seat that we hold without having seen how it came about."""
        self._table, self._is_queued = table_id, False
        self.book.balance, self.book.is_stale = await self._balance(), True
        await self._resync(0)

    async def _quit(self) -> None:
        """Leave at the hand's end; the answer to the last message proves that everything before it was read."""
        self._is_quitting = self._is_leaving = True
        await self.client.send("leave_table")
        while self._is_leaving:
            await self._step()
        await self.client.send("set_auto_rebuy", enabled=False)
        while (frame := await self.client.next())["type"] != "auto_rebuy_set":
            await self._react(frame)

    async def _cut(self, occasion: str) -> bool:
        """Lose the connection now and then, and come back."""
        if self._rng.random() >= self.habits.cut_rate:
            return False
        self.seen[f"cut {occasion}"] += 1
        await self.client.sever()
        await self._arrive()
        return True

    async def _join(self) -> None:
        buy_in = min(BUY_IN, self.book.balance if self.book.balance is not None else BUY_IN)
        await self.client.send("join_lobby", buy_in=self.habits.chips(buy_in))
        await self.client.send("set_auto_rebuy", enabled=self.habits.auto_rebuy)
        self._is_queued = True

    async def _seek_seat(self) -> None:
        """Join again unless that is under way; buy in again first when the chips do not suffice."""
        if self._table is not None or self._is_queued or self._is_quitting:
            return
        if self.book.balance is not None and self.book.balance < MIN_BUY_IN:
            await self._rebuy()
        await self._join()

    async def _rebuy(self) -> None:
        """Buy in again by REST; where that is refused for good, the season's entry tells what there is."""
        answer = await self._api.post("/season/rebuy")
        if answer.status_code == 429:
            await asyncio.sleep(float(answer.headers["Retry-After"]))
            answer = await self._api.post("/season/rebuy")
        if answer.is_success:
            self.seen["manual rebuy"] += 1
            self.book.balance = (self.book.balance or 0) + REBUY
        else:
            self.book.balance = await self._balance()

    async def _forget_table(self) -> None:
        """The seat is gone: what is left is told by the season's entry."""
        self._table = self._seat = self._playing = None
        self._unacked.clear()
        self.book.stack, self.book.is_stale = 0, False
        self.book.balance = await self._balance()
        self._is_leaving = False
        await self._seek_seat()

    async def _get(self, path: str) -> Frame:
        answer = await self._api.get(path)
        answer.raise_for_status()
        body: Frame = answer.json()
        return body

    async def _balance(self) -> int | None:
        """The chips off the table, None without an entry in the season."""
        answer = await self._api.get("/season/me")
        entry = answer.json() if answer.status_code != 404 else None
        return entry["chip_balance"] if entry else None

    async def _reconcile(self) -> None:
        entry = await self._get("/season/me")
        self.book.check_balance("/season/me", entry["chip_balance"])
        if (entry["chips_at_table"], entry["score"]) != (0, entry["chip_balance"]):
            self.book.errors.append(f"after leaving, the season's entry is {entry}")

    # Frames

    async def _step(self) -> None:
        try:
            frame = await self.client.next(wait_s=self._patience_s)
        except TimeoutError:
            await self._on_silence()
        except ConnectionClosed:
            self.seen["closed"] += 1
            await self._arrive()
        else:
            self._silences = 0
            await self._react(frame)

    async def _on_silence(self) -> None:
        self.seen["silence"] += 1
        self._silences += 1
        if self._silences > SILENCES:
            raise TimeoutError(f"nothing came for {self._silences * self._patience_s} s: {self.seen}")
        if self._unacked:
            await self._send_again()
        else:
            await self._resync(self.client.watermark)

    async def _react(self, frame: Frame) -> None:
        handler = self._handlers.get(frame["type"])
        if handler is not None:
            await handler(frame)

    @property
    def _handlers(self) -> Mapping[str, Callable[[Frame], Awaitable[None]]]:
        """Who sees to what; any other frame is of no interest."""
        return {
            "error": self._on_error,
            "lobby_joined": self._on_lobby_joined,
            "table_joined": self._on_table_joined,
            "table_state": self._on_snapshot,
            "your_turn": self._on_turn,
            "action_ack": self._on_ack,
            "action_rejected": self._on_reject,
            "player_action": self._on_action,
            "hand_result": self._on_result,
            "player_left": self._on_departure,
            "busted": self._on_bust,
            "rebuy_confirmed": self._on_rebuy,
            "table_closed": self._on_table_closed,
            "season_ended": self._on_season_ended,
            "resync_response": self._on_resync,
        }

    async def _on_lobby_joined(self, _: Frame) -> None:
        if self.book.balance is None:
            self.book.balance = (await self._get("/season/me"))["starting_chips"]

    async def _on_table_joined(self, frame: Frame) -> None:
        self._table, self._seat, self._playing = frame["table_id"], frame["seat"], None
        self._is_queued = False
        self.seen["joined"] += 1
        self.book.sit(next(p["stack"] for p in frame["players"] if p["seat"] == self._seat))
        if self.book.balance is None:
            self.book.balance = await self._balance()

    async def _on_snapshot(self, frame: Frame) -> None:
        seat = frame["seats"][frame["hero"]["seat"]]
        if frame["street"] == "idle" and self._playing is not None:
            self._playing, self.book.stack = None, seat["stack"]
        elif seat["in_hand"] and self._playing is None:
            self._playing = frame["hand_id"]
            self.book.check_stack("the first snapshot", seat["stack"] + seat["bet"])
            self.book.stack = seat["stack"]
        elif frame.get("actor_seat", self._seat) is None:
            # Nobody can act any more: chips that nobody could call have come back.
            self.book.stack = max(self.book.stack, seat["stack"])
        else:
            self.book.check_stack("a snapshot", seat["stack"])

    async def _on_action(self, frame: Frame) -> None:
        if frame["seat"] == self._seat:
            self._unacked.pop(frame["action_id"], None)
            self.book.check_stack("an action", frame["stack_before"])
            self.book.stack = frame["stack_after"]
        await self._cut("in mid-hand")

    async def _on_result(self, frame: Frame) -> None:
        own = str(self._seat)
        if own in frame["final_stacks"]:
            self.hands.add(frame["hand_id"])
            self.book.check_stack("a result", frame["final_stacks"][own])
            if not self._is_leaving and self._rng.random() < self.habits.leave_rate:
                await self._leave()

    async def _leave(self) -> None:
        self._is_leaving = True
        await self.client.send("leave_table")

    async def _on_departure(self, frame: Frame) -> None:
        if frame["seat"] != self._seat:
            return
        self.seen[f"gone: {frame['reason']}"] += 1
        self._table = self._seat = self._playing = None
        self._is_leaving = False
        if self.book.is_stale:
            await self._forget_table()
            return
        self.book.stand()
        is_poor = self.book.balance is not None and self.book.balance < MIN_BUY_IN
        if not (frame["reason"] == "busted" and self.habits.auto_rebuy and is_poor):
            await self._seek_seat()

    async def _on_bust(self, _: Frame) -> None:
        self.seen["busted"] += 1
        await self._seek_seat()

    async def _on_rebuy(self, frame: Frame) -> None:
        self.seen["rebuy confirmed"] += 1
        known = self.book.balance or 0
        self.book.check_balance("rebuy_confirmed", frame["chip_balance"], known, known + REBUY)
        await self._seek_seat()

    async def _on_table_closed(self, frame: Frame) -> None:
        if frame["table_id"] != self._table:
            return
        self.seen["table closed"] += 1
        if self._is_leaving:
            # Else the seat may stay half released; `not_at_table` then ends the leave.
            await self.client.send("leave_table")
        else:
            await self._forget_table()

    async def _on_season_ended(self, _: Frame) -> None:
        self.seen["season ended"] += 1
        self._table = self._seat = self._playing = None
        self._is_queued = self._is_leaving = False
        self.book.balance, self.book.stack = None, 0
        await self._seek_seat()

    async def _on_error(self, frame: Frame) -> None:
        self.seen[f"error {frame['code']}"] += 1
        match frame["code"]:
            case "already_seated":
                told = frame.get("table_id") or frame.get("details", {}).get("table_id")
                await self._resume(told or (await self._get("/me/active-game"))["table_id"])
            case "not_at_table" if self._is_leaving or self._table is not None:
                await self._forget_table()
            case "insufficient_funds" | "insufficient_season_chips":
                self._is_queued = False
                self.book.balance = await self._balance()
                await self._seek_seat()
            case "rate_limited":
                await asyncio.sleep(1.0)
                await self._resync(self.client.watermark)
            case "auth_failed":
                raise AssertionError("the key was refused")

    # Turns

    async def _on_turn(self, turn: Frame) -> None:
        """Answer a turn once, whether it came as a prompt or with a resync."""
        key = (turn["hand_id"], turn["turn_token"])
        if key in self._answered or await self._cut("on its turn"):
            return
        self._answered.add(key)
        if not self._is_leaving and self._rng.random() < self.habits.leave_rate:
            await self._leave()
        await self._act(turn, random_choice(turn, self._rng))
        await self._cut("after its action")

    async def _act(self, turn: Frame, choice: Frame) -> None:
        action = self.client.action(turn, self.habits.spelled(choice))
        action["client_action_id"] = self.habits.action_id(self.client.made, self._rng)
        self._unacked[action["client_action_id"]] = action
        self._turn = turn
        await self.client.send("action", **action)

    async def _send_again(self) -> None:
        """The same ids with the same payloads: whatever became of the first ones, they count once."""
        for action in self._unacked.values():
            self.seen["retry"] += 1
            await self.client.send("action", **action)

    async def _on_ack(self, frame: Frame) -> None:
        action = self._unacked.pop(frame["client_action_id"], None)
        if action is not None and self._rng.random() < self.habits.lost_ack_rate:
            self.seen["lost ack"] += 1
            await self.client.send("action", **action)

    async def _on_reject(self, frame: Frame) -> None:
        self.seen[f"rejected {frame['code']}"] += 1
        refused = self._unacked.pop(frame.get("client_action_id", ""), None)
        if refused is None or frame["code"] != "invalid_action":
            await self._resync(self.client.watermark)
        else:
            offered = [entry["action"] for entry in self._turn["valid_actions"]]
            await self._act(self._turn, {"action": "check" if "check" in offered else "fold"})

    # Recovery

    async def _resync(self, last: int) -> None:
        if self._table is not None:
            await self.client.send("resync_request", table_id=self._table, last_table_seq=last)

    async def _on_resync(self, response: Frame) -> None:
        """Apply what was missed in its order, then take the snapshot for the truth."""
        if response["table_id"] != self._table:
            return
        self.seen["resync"] += 1
        snapshot = response["snapshot"]
        if response["role"] != "player" or snapshot is None:
            await self._forget_table()
            return
        for event in sorted(response["replayed_events"], key=lambda event: event["table_seq"]):
            if event["type"] == "hand_result" and str(self._seat) in event["final_stacks"]:
                self.hands.add(event["hand_id"])
        hero = snapshot["hero"]
        own = snapshot["seats"][hero["seat"]]
        self._seat, self.book.stack, self.book.is_stale = hero["seat"], own["stack"], False
        self._playing = snapshot["hand_id"] if own["in_hand"] else None
        self.client.watermark = max(self.client.watermark, response["to_table_seq"])
        await self._send_again()
        if hero.get("turn_token") and hero.get("valid_actions"):
            self.seen["resync with a turn"] += 1
            turn = {"hand_id": snapshot["hand_id"], **{k: hero[k] for k in ("turn_token", "valid_actions")}}
            await self._on_turn(turn)
