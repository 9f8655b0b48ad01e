"""A client written from the protocol document alone, for tests that say what happens step by step.

It shares no code with the agent's own; `plain_player` plays whole sessions with it.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect

from tests.arena.conformance import problems
from tests.arena.snapshot_shape import own_hash as own_hash

Frame = dict[str, Any]

MIN_BUY_IN: Final = 1_000
WAIT_S: Final = 10.0


def verbs(turn: Frame) -> list[str]:
    return [entry["action"] for entry in turn["valid_actions"]]


def check_or_call(turn: Frame) -> Frame:
    return {"action": "check" if "check" in verbs(turn) else "call"}


def check_or_fold(turn: Frame) -> Frame:
    return {"action": "check" if "check" in verbs(turn) else "fold"}


def shove(turn: Frame) -> Frame:
    return {"action": "all_in"} if "all_in" in verbs(turn) else check_or_call(turn)


class PlainClient:
    """One bot; keeps every frame of every connection, and what is wrong with them."""

    def __init__(self, url: str, key: str, *, key_in_query: bool = False) -> None:
        self.url, self.key, self.key_in_query = url, key, key_in_query
        self.frames: list[Frame] = []
        self.problems: list[str] = []
        self.watermark = 0
        self.made = 0
        self.socket: ClientConnection | None = None

    async def open(self) -> None:
        """Connect, without waiting for the greeting."""
        url = f"{self.url}?token={self.key}" if self.key_in_query else self.url
        headers = {} if self.key_in_query else {"Authorization": f"Bearer {self.key}"}
        # Unread frames must not hold up the closing handshake.
        self.socket = await connect(url, additional_headers=headers, max_queue=None)

    async def connect(self) -> Frame:
        await self.open()
        return await self.until("connected")

    async def close(self) -> None:
        assert self.socket is not None
        await self.socket.close()

    async def sever(self) -> None:
        """Cut the connection without a goodbye."""
        assert self.socket is not None
        self.socket.transport.abort()
        await self.socket.wait_closed()

    async def send(self, kind: str, **fields: Any) -> None:
        assert self.socket is not None
        await self.socket.send(json.dumps({"type": kind, **fields}))

    async def next(self, *, wait_s: float = WAIT_S) -> Frame:
        assert self.socket is not None
        async with asyncio.timeout(wait_s):
            frame: Frame = json.loads(await self.socket.recv())
        self.frames.append(frame)
        self.problems += problems(frame)
        if frame["type"] == "table_joined":
            self.watermark = 0
        if frame["type"] != "resync_response":
            self.watermark = max(self.watermark, frame.get("table_seq") or 0)
        return frame

    async def until(self, *kinds: str) -> Frame:
        while (frame := await self.next())["type"] not in kinds:
            pass
        return frame

    async def join(self, buy_in: int = 2_000) -> Frame:
        await self.send("join_lobby", buy_in=buy_in)
        return await self.until("table_joined")

    def action(self, turn: Frame, choice: Frame) -> Frame:
        """The fields of an action on that turn, with an id of its own."""
        self.made += 1
        return {
            "hand_id": turn["hand_id"],
            "turn_token": turn["turn_token"],
            "client_action_id": f"c-{self.made:06}",
            **choice,
        }

    async def act(self, turn: Frame, choice: Frame) -> Frame:
        await self.send("action", **self.action(turn, choice))
        return await self.until("action_ack", "action_rejected")

    async def play(self, choose: Callable[[Frame], Frame], *, hands: int) -> list[Frame]:
        """Answer every turn until that many hands have ended; their results."""
        results: list[Frame] = []
        while len(results) < hands:
            frame = await self.until("your_turn", "hand_result", "busted", "rebuy_confirmed")
            if frame["type"] == "hand_result":
                results.append(frame)
            elif frame["type"] == "your_turn":
                await self.send("action", **self.action(frame, choose(frame)))
            else:
                await self.send("join_lobby", buy_in=MIN_BUY_IN)
        return results

    async def play_until(self, kind: str, choose: Callable[[Frame], Frame]) -> Frame:
        """Answer every turn until a frame of that kind comes."""
        while (frame := await self.until("your_turn", kind))["type"] != kind:
            await self.send("action", **self.action(frame, choose(frame)))
        return frame

    def of(self, kind: str) -> list[Frame]:
        return [frame for frame in self.frames if frame["type"] == kind]
