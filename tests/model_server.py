"""The stand-in for a model, on a loop of its own: a test that is no coroutine can wait for a program that asks it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from agent.llm.stand_in import StandIn


@contextmanager
def model_server() -> Iterator[StandIn]:
    server, loop = StandIn(), asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
        yield server
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def environment(server: StandIn, folder: Path, **changes: str) -> dict[str, str]:
    """Variables with which the program asks this server and leaves what it keeps in `folder`."""
    paths = {"LLM_LEARNED_PATH": str(folder / "learned.json"), "JOURNAL_PATH": str(folder / "journal.sqlite3")}
    return {"LLM_PROVIDER": "custom", "LLM_MODEL": "m", "LLM_BASE_URL": server.base_url, **paths, **changes}
