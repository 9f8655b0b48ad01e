"""Scripted clients for the arena benchmark, in a process of their own: they check, call small bets and fold the rest.

They look only at what concerns them, so that it is the server that is measured. The process prints one line of JSON:
the actions sent, and how long their acknowledgements took as the clients saw it.
"""

import asyncio
import json
import sys
from time import perf_counter
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse, TCPConnector

from benchmarks.measure import percentile

PROMPT, ACK = '"type":"your_turn"', '"type":"action_ack"'
LARGEST_CALL_CHIPS = 60


class ScriptedClient:
    """One client; `ack_ms` grows by one entry per acknowledged action."""

    def __init__(self, name: str, ack_ms: list[float]) -> None:
        self._name = name
        self._ack_ms = ack_ms
        self._sent_at = 0.0

    async def play(self, session: ClientSession, url: str) -> None:
        """Join, answer every prompt at once, and join again after a bust."""
        async with session.ws_connect(url, headers={"Authorization": f"Bearer {self._name}"}) as socket:
            await socket.send_str('{"type":"join_lobby","buy_in":2000}')
            await socket.send_str('{"type":"set_auto_rebuy","enabled":true}')
            async for message in socket:
                await self._receive(socket, message.data)

    async def _receive(self, socket: ClientWebSocketResponse, text: str) -> None:
        if PROMPT in text:
            self._sent_at = perf_counter()
            await socket.send_str(json.dumps(answer(json.loads(text))))
        elif ACK in text:
            self._ack_ms.append(1_000 * (perf_counter() - self._sent_at))
        elif '"type":"rebuy_confirmed"' in text or '"type":"busted"' in text:
            await socket.send_str('{"type":"join_lobby","buy_in":1500}')


def answer(prompt: dict[str, Any]) -> dict[str, Any]:
    """Check, else call what is small, else fold."""
    offered = {entry["action"]: entry for entry in prompt["valid_actions"]}
    calls = "call" in offered and offered["call"]["amount"] <= LARGEST_CALL_CHIPS
    verb = "check" if "check" in offered else "call" if calls else "fold"
    turn = {key: prompt[key] for key in ("hand_id", "turn_token")}
    return {"type": "action", "action": verb, "client_action_id": prompt["turn_token"], **turn}


async def _play_all(url: str, clients: int, seconds: float) -> None:
    ack_ms: list[float] = []
    async with ClientSession(connector=TCPConnector(limit=0)) as session:
        players = [ScriptedClient(f"client_{number}", ack_ms).play(session, url) for number in range(clients)]
        await asyncio.wait([asyncio.create_task(player) for player in players], timeout=seconds)
    figures = {f"ack_ms_p{percent}": percentile(ack_ms, percent) for percent in (50, 99)}
    print(json.dumps({"actions": len(ack_ms), **figures}))  # noqa: T201


if __name__ == "__main__":
    asyncio.run(_play_all(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
