"""Why a far side was not reached: names, ports, certificates, silence, told apart and put into words."""

import socket
import ssl
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import httpx

from agent.llm.fault import shown_url

_UNEXPECTED_END: Final = "check that {variable} is right, and whether a firewall or a proxy stands in between"


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong, why, and what to do."""

    what: str
    why: str
    remedy: str


def unreached(error: BaseException, url: str, variable: str, *, waited_s: float) -> Trouble:
    """What an exception of the network means for `url`, which is what the environment's `variable` holds.

    Its own text is shown only where it is the operating system's, since others may hold headers and so the key.
    """
    parts, shown = urlsplit(url), shown_url(url)
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return Trouble(
            f"{shown} gave no answer within {waited_s:g} s",
            "the connection, or the answer on it, never came",
            f"try again; if it stays silent, {_UNEXPECTED_END.format(variable=variable)}",
        )
    for cause in _causes(error):
        if isinstance(cause, socket.gaierror):
            return Trouble(
                f"the host {parts.hostname} is not known",
                f"its name cannot be looked up: {cause.strerror}",
                f"check the spelling of {variable} and this machine's network and DNS",
            )
        if isinstance(cause, ConnectionRefusedError):
            return Trouble(
                f"nothing listens at {parts.hostname}, port {_port(url)}",
                "the connection was refused",
                f"check {variable}; a local arena has to be started first: poker-agent arena serve",
            )
        if isinstance(cause, ssl.SSLError):
            return _insecure(cause, url, variable)
    return Trouble(
        f"{shown} cannot be reached",
        f"the connection failed: {_words(error)}",
        _UNEXPECTED_END.format(variable=variable),
    )


def _insecure(error: ssl.SSLError, url: str, variable: str) -> Trouble:
    if isinstance(error, ssl.SSLCertVerificationError):
        return Trouble(
            f"the certificate of {urlsplit(url).hostname} is not trusted",
            error.verify_message,
            f"check this machine's date and root certificates, {variable}, and whether a proxy stands in between",
        )
    return Trouble(
        f"{shown_url(url)} cannot be reached securely",
        f"the other side does not speak TLS as expected ({error.reason or 'no reason given'})",
        f"check {variable}: a local server is reached by {_plain_scheme(url)}://, not by {urlsplit(url).scheme}://",
    )


def _plain_scheme(url: str) -> str:
    return "ws" if url.startswith("ws") else "http"


def _port(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme in ("https", "wss") else 80)


def _words(error: BaseException) -> str:
    """The operating system's words for what happened, else the kind of the error."""
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    return type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and all that led to it, nearest first, each once."""
    waiting, seen = deque([error]), set[int]()
    while waiting:
        cause = waiting.popleft()
        if id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        waiting.extend(inner for inner in (cause.__cause__, cause.__context__) if inner is not None)
        if isinstance(cause, BaseExceptionGroup):
            waiting.extend(cause.exceptions)
