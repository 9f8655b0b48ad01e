"""Why an address could not be reached, told apart by the exception below the library's own."""

import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit


def why_unreached(failure: BaseException, url: str, *, variable: str, deadline_s: float) -> tuple[str, str]:
    """What stopped a connection to `url`, which `variable` sets, and what to do about it."""
    host = urlsplit(url).hostname or url
    for error in _causes(failure):
        if isinstance(error, socket.gaierror):
            return f"the name {host} cannot be resolved", f"check {variable} for a misspelling, and the network's DNS"
        if isinstance(error, ssl.SSLError):
            why = f"the TLS handshake with {host} failed: {error.reason or type(error).__name__}"
            return (
                why,
                f"check the system's clock and certificates, any proxy, and whether {variable} has the right scheme",
            )
        if isinstance(error, ConnectionRefusedError):
            return (
                f"{host} refuses connections on that port",
                f"check host and port in {variable}; is a local server running?",
            )
        if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
            return (
                f"no answer within {deadline_s:g} s",
                f"check the network, a firewall or proxy, and {variable}; then try again",
            )
    why = f"the connection failed ({type(failure).__name__})"
    return why, f"check the network and {variable}, then try again"


def shown(url: str) -> str:
    """The address without what may be secret in it: user, password and query.

    >>> shown("wss://me:secret@host/ws?token=secret")
    'wss://host/ws'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _causes(failure: BaseException) -> Iterator[BaseException]:
    error: BaseException | None = failure
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
