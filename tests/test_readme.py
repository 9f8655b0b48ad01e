"""What the README shows works as shown."""

import asyncio
import re
import sys
from pathlib import Path

from agent.arena.arena import Arena
from agent.arena.house.field import load_field
from agent.arena.modes import Pace
from agent.arena.settings import PACES, ArenaSettings

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def shown_client() -> str:
    blocks: list[str] = re.findall(r"^```python\n(.+?)^```", README, re.MULTILINE | re.DOTALL)
    return next(block for block in blocks if "join_lobby" in block)


def test_the_client_is_about_twenty_lines_long() -> None:
    assert len([line for line in shown_client().splitlines() if line.strip()]) <= 21


async def test_the_client_plays_once_its_url_is_changed(tmp_path: Path) -> None:
    rules = ArenaSettings(seed=3, max_hands=60, start_chips=2_000, **PACES[Pace.FAST])
    async with Arena(rules, accounts=None, field=load_field()) as arena:
        script = tmp_path / "bot.py"
        script.write_text(shown_client().replace("ws://127.0.0.1:8765/ws", arena.ws_url), encoding="utf-8")
        client = await asyncio.create_subprocess_exec(sys.executable, "-u", script, stdout=asyncio.subprocess.PIPE)
        await arena.finished()
        client.terminate()
        printed, _ = await client.communicate()
        stats = arena.stats("MyBot")
    assert len(printed.splitlines()) >= 55
    assert stats.hands == 60
    assert stats.accepted == stats.prompts > 0
    assert (stats.rejected, stats.timeouts) == (0, 0)
