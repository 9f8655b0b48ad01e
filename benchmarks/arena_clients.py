"""Scripted clients for the arena benchmark, in a process of their own: they check, call small bets and fold the rest.

They speak the wire without parsing what does not concern them, so that the server is what is measured.
"""

import asyncio
import json
import sys

from aiohttp import ClientSession, ClientWebSocketResponse, TCPConnector

PROMPT = '"type":"your_turn"'
LEFT_OUT = '"type":"busted"'


async def play(session: ClientSession, url: str, name: str) -> None:
    """Join, answer every prompt at once, and join again after a bust."""
    async with session.ws_connect(url, headers={"Authorization": f"Bearer {name}"}, autoping=True) as socket:
        await socket.send_str('{"type":"join_lobby","buy_in":2000}')
        await socket.send_str('{"type":"set_auto_rebuy","enabled":true}')
        async for message in socket:
            text = message.data
            if PROMPT in text:
                await _answer(socket, json.loads(text))
            elif '"type":"rebuy_confirmed"' in text or LEFT_OUT in text:
                await socket.send_str('{"type":"join_lobby","buy_in":1500}')


async def _answer(socket: ClientWebSocketResponse, prompt: dict[str, object]) -> None:
    offered = {entry["action"]: entry for entry in prompt["valid_actions"]}  # type: ignore[attr-defined]
    call = offered.get("call")
    verb = "check" if "check" in offered else "call" if call and call["amount"] <= 60 else "fold"
    action = {"type": "action", "hand_id": prompt["hand_id"], "action": verb, "turn_token": prompt["turn_token"]}
    await socket.send_str(json.dumps({**action, "client_action_id": str(prompt["turn_token"])}))


async def _play_all(url: str, clients: int) -> None:
    async with ClientSession(connector=TCPConnector(limit=0)) as session:
        await asyncio.gather(*(play(session, url, f"client_{number}") for number in range(clients)))


if __name__ == "__main__":
    asyncio.run(_play_all(sys.argv[1], int(sys.argv[2])))
