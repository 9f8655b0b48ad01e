"""When somebody may try a password: from each address one attempt after the other, with a pause after each."""

import ipaddress
from collections import OrderedDict
from typing import Final

PAUSE_S: Final = 0.5
MOST_WAIT_S: Final = 2.0
"""Who would have to wait longer is sent away."""

MOST_ADDRESSES: Final = 1_024
"""So many addresses have a turn of their own at once; those beyond share one."""

_PREFIX_BITS: Final = 64
_OTHERS: Final = ""


class Attempts:
    """The turns of all addresses. Guesses from one cannot be made faster by making many at once, nor do they hold up another.

    Whoever has a whole IPv6 network is one address.
    """

    def __init__(self) -> None:
        self._free_at: Final = OrderedDict[str, float]()

    def wait_s(self, address: str, now: float) -> float | None:
        """Take the next turn: the seconds until it comes, None where too many wait already. `now` is any clock's, in seconds."""
        self._forget(now)
        key = _network(address)
        if key not in self._free_at and len(self._free_at) >= MOST_ADDRESSES:
            key = _OTHERS
        begins = max(now, self._free_at.get(key, now))
        if begins - now > MOST_WAIT_S:
            return None
        self._free_at[key] = begins + PAUSE_S
        self._free_at.move_to_end(key)
        return begins - now

    def _forget(self, now: float) -> None:
        """Forget addresses that are free again; whoever comes last waits at most so long, so that each is forgotten in time."""
        while self._free_at and self._free_at[first := next(iter(self._free_at))] <= now:
            del self._free_at[first]


def _network(address: str) -> str:
    """The address, of IPv6 the network that one customer has.

    >>> _network("10.0.0.7"), _network("::ffff:10.0.0.7"), _network("2001:db8::1") == _network("2001:db8::2")
    ('10.0.0.7', '10.0.0.7', True)
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), _PREFIX_BITS), strict=False))
