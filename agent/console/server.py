"""The console's server: NiceGUI behind the guard, on one socket, until Ctrl-C."""

import asyncio
import contextlib
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Final

import uvicorn
from fastapi import FastAPI
from nicegui import app as console
from nicegui import ui

from agent.console.guard import Guard, is_loopback
from agent.console.page import open_pages
from agent.console.pages import PAGES
from agent.failure import ExitCode, Failure
from agent.kernels import warm_up

_FAREWELL_S: Final = 1
"""How long open pages may take to say goodbye."""


def serve(
    host: str,
    port: int,
    *,
    password: str | None,
    open_browser: bool,
    tell: Callable[[str], None],
    storage_secret: str | None = None,
) -> None:
    """Serve the console until Ctrl-C; port 0 takes a free one. `tell` is told the address once it answers.

    Raises `Failure` for an address that others can reach without a `password`, and for one that cannot be listened on.
    """
    if password is None and not is_loopback(host):
        raise Failure(
            f"{host} can be reached from other machines: set CONSOLE_PASSWORD, or leave --host at 127.0.0.1",
            exit_code=ExitCode.UNUSABLE,
        )
    listening = _listen(host, port)
    url = _url(host, listening.getsockname()[1])
    open_pages(PAGES)
    app = FastAPI(openapi_url=None)
    ui.run_with(
        app,
        title="poker-agent",
        favicon="♠️",
        dark=None,
        language="en-US",
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=10,
        storage_secret=storage_secret or secrets.token_hex(32),
    )

    def opened() -> None:
        tell(f"Console: {url} (Ctrl-C ends it)")
        # The kernels load while the person looks around.
        threading.Thread(target=warm_up, args=(tell,), daemon=True).start()
        if open_browser:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    console.on_startup(opened)
    config = uvicorn.Config(
        Guard(app, password),
        log_config=None,
        log_level="error",
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=_FAREWELL_S,
    )
    # uvicorn raises the signal again once it has closed everything.
    with listening, contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        raise Failure(
            f"the console cannot listen on {host}, port {port}: {reason}; choose another one with --port",
            exit_code=ExitCode.FAILED,
        ) from None
    return listening


def _url(host: str, port: int) -> str:
    """Where a browser on this machine finds the console."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host) or (f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{name}:{port}"
