"""What the program itself needs beside the journal: a log file that can be written, and a port for its metrics."""

import os
import socket
import tempfile
from pathlib import Path
from typing import Final

import httpx

from agent.doctor.finding import Finding, Surroundings, failed, ok, skipped, warning
from agent.doctor.machine import nearest_folder

_SET_LOG_FILE: Final = "set AGENT_LOG_FILE to a file that this user may write, or leave it unset for the terminal alone"
# As `agent.metrics` has it, whose import would load the kernels: these have a check of their own.
_LOOPBACK: Final = "127.0.0.1"
_ANSWER_S: Final = 2.0


async def log(around: Surroundings) -> Finding:
    """Whether the log's file can be written. Nothing is made or changed."""
    path = around.settings.agent_log_file
    if path is None:
        return skipped("log", "no file", why="AGENT_LOG_FILE is not set: the log goes to the terminal alone")
    if path.is_dir():
        return _unwritable(path, f"{path} is a folder", "AGENT_LOG_FILE must name a file")
    folder = nearest_folder(path)
    try:
        if path.exists():
            path.open("ab").close()
        # Older files are put aside in the same folder.
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        return _unwritable(path, f"{path} cannot be written", f"{error.strerror or type(error).__name__} ({folder})")
    if path.exists() and not path.is_file():
        return warning(
            "log",
            f"{path} is no file that keeps anything",
            why="it is a device or a pipe: there is nothing to look at later, and writing to it may fail",
            remedy=_SET_LOG_FILE,
            path=str(path),
        )
    if folder != path.absolute().parent:
        return warning(
            "log",
            f"the folder {path.parent} does not exist",
            why="poker-agent play makes it, which may not be where you look for the log",
            remedy="check AGENT_LOG_FILE, or make the folder",
            path=str(path),
        )
    return ok("log", f"{path} can be written", path=str(path))


def _unwritable(path: Path, what: str, why: str) -> Finding:
    return failed("log", what, why=why, remedy=_SET_LOG_FILE, path=str(path))


async def metrics(around: Surroundings) -> Finding:
    """Whether the port for metrics is free, or it is the running agent that has it."""
    port = around.settings.agent_metrics_port
    if port is None:
        return skipped("metrics", "not served", why="AGENT_METRICS_PORT is not set")
    trouble = _taken(port)
    if trouble is None:
        return ok("metrics", f"port {port} of {_LOOPBACK} is free", port=port)
    if await _is_ours(port):
        return warning(
            "metrics",
            f"port {port} is served by a poker-agent that runs already",
            why="a second one on the same port does not start",
            remedy="stop that one first, or give AGENT_METRICS_PORT another value where both shall run",
            port=port,
        )
    return failed(
        "metrics",
        f"port {port} of {_LOOPBACK} cannot be used",
        why=trouble,
        remedy="set AGENT_METRICS_PORT to a port that is free, from 1024 on, or leave it unset",
        port=port,
    )


def _taken(port: int) -> str | None:
    """Why nobody can listen there now; None when one can."""
    with socket.socket() as listener:
        # As the server does: a port that was closed a moment ago is no obstacle.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((_LOOPBACK, port))
            listener.listen()
        except OSError as error:
            return os.strerror(error.errno) if error.errno else str(error)
    return None


async def _is_ours(port: int) -> bool:
    """Whether what listens there answers like the metrics of a poker-agent."""
    try:
        async with httpx.AsyncClient(timeout=_ANSWER_S, trust_env=False) as client:
            states = (await client.get(f"http://{_LOOPBACK}:{port}/healthz")).json()
    except (httpx.HTTPError, ValueError):
        return False
    return isinstance(states, dict) and set(map(str, states.values())) <= {"ok", "silent"}
