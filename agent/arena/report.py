"""How an arena fares: hands, speed, faults, and how each client answers."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from agent.arena.faults.plan import FaultName
from agent.arena.game.account import Account
from agent.arena.game.records import Timings
from agent.arena.league.lobby import Lobby


@dataclass(frozen=True, slots=True)
class ClientReport:
    """One client of the public league, this season; `turns` and what follows go on across seasons."""

    name: str
    connected: bool
    seated: bool
    hands: int
    score: int
    rebuys: int
    turns: int
    missed: int
    rejected: int
    repeated: int
    rejections: dict[str, int]


@dataclass(frozen=True, slots=True)
class ArenaReport:
    """Figures since the arena opened.

    Times of clients' actions run from their arrival to their broadcast; `resent_s_p95` from a socket that was cut over an
    action to the next action of its client.
    """

    seconds: float
    hands: int
    tables: int
    actions: int
    action_ms_p50: float | None
    action_ms_p99: float | None
    resent_s_p95: float | None
    faults: dict[str, int]
    clients: tuple[ClientReport, ...]

    @property
    def hands_per_s(self) -> float:
        """Hands of all tables together."""
        return self.hands / self.seconds if self.seconds else 0.0


def report(lobbies: Sequence[Lobby], seconds: float, timings: Timings, faults: Counter[FaultName]) -> ArenaReport:
    """The figures of an arena with those lobbies, the public one first."""
    public = lobbies[0]
    return ArenaReport(
        seconds=seconds,
        hands=sum(lobby.hands_dealt for lobby in lobbies),
        tables=sum(len(lobby.floor.tables) for lobby in lobbies),
        actions=sum(account.stats.accepted for lobby in lobbies for account in lobby.accounts),
        action_ms_p50=percentile(timings.actions_s, 0.50, scale=1_000),
        action_ms_p99=percentile(timings.actions_s, 0.99, scale=1_000),
        resent_s_p95=percentile(timings.resent_s, 0.95),
        faults={str(name): count for name, count in sorted(faults.items())},
        clients=tuple(_client(public, account) for account in public.accounts),
    )


def percentile(values: Collection[float], share: float, *, scale: float = 1.0) -> float | None:
    """The value, times `scale`, below which that share (0 to 1) of the values lies; None without values."""
    if not values:
        return None
    return round(scale * sorted(values)[min(len(values) - 1, int(share * len(values)))], 3)


def _client(lobby: Lobby, account: Account) -> ClientReport:
    stats = account.stats
    return ClientReport(
        name=account.name,
        connected=account.is_connected,
        seated=account.table is not None,
        hands=account.hands,
        score=lobby.score(account),
        rebuys=account.rebuys,
        turns=stats.prompts,
        missed=stats.timeouts,
        rejected=stats.rejected,
        repeated=stats.repeated,
        rejections=dict(account.rejections),
    )
