"""A client written from the protocol alone: it shares no code with the agent's own."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

Frame = dict[str, Any]


def own_hash(frame: Frame) -> str:
    body = {k: v for k, v in frame.items() if k not in ("ts", "table_seq", "hand_seq", "state_hash")}
    return "sha256:" + hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def verbs(turn: Frame) -> list[str]:
    return [entry["action"] for entry in turn["valid_actions"]]


def check_or_call(turn: Frame) -> Frame:
    return {"action": "check" if "check" in verbs(turn) else "call"}


def check_or_fold(turn: Frame) -> Frame:
    return {"action": "check" if "check" in verbs(turn) else "fold"}


def shove(turn: Frame) -> Frame:
    return {"action": "all_in"} if "all_in" in verbs(turn) else check_or_call(turn)


class PlainClient:
    """One bot; keeps every frame of every connection, and checks hashes and numbers as they come."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url, key
        self.frames: list[Frame] = []
        self.watermark = 0
        self.made = 0
        self.socket: ClientConnection | None = None

    async def connect(self) -> Frame:
        headers = {"Authorization": f"Bearer {self.key}"}
        # Unread frames must not hold up the closing handshake.
        self.socket = await connect(self.url, additional_headers=headers, max_queue=None)
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

    async def next(self) -> Frame:
        assert self.socket is not None
        async with asyncio.timeout(10):
            frame: Frame = json.loads(await self.socket.recv())
        self.frames.append(frame)
        if frame["type"] == "table_state":
            assert frame["state_hash"] == own_hash(frame)
        if frame.get("stream") and frame["type"] not in ("action_ack", "resync_response"):
            assert frame["table_seq"] > self.watermark
            self.watermark = frame["table_seq"]
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
                await self.send("join_lobby", buy_in=1_000)
        return results

    async def play_until(self, kind: str, choose: Callable[[Frame], Frame]) -> Frame:
        """Answer every turn until a frame of that kind comes."""
        while (frame := await self.until("your_turn", kind))["type"] != kind:
            await self.send("action", **self.action(frame, choose(frame)))
        return frame

    def of(self, kind: str) -> list[Frame]:
        return [frame for frame in self.frames if frame["type"] == kind]
