"""How an arena fares: hands, speed, faults, and how each client answers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agent.arena.account import Account
from agent.arena.faults import FaultName
from agent.arena.lobby import Lobby


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


@dataclass(frozen=True, slots=True)
class ArenaReport:
    """Figures since the arena opened. Times of clients' actions run from their arrival to their broadcast."""

    seconds: float
    hands: int
    tables: int
    actions: int
    action_ms_p50: float | None
    action_ms_p99: float | None
    faults: dict[str, int]
    clients: tuple[ClientReport, ...]

    @property
    def hands_per_s(self) -> float:
        """Hands of all tables together."""
        return self.hands / self.seconds if self.seconds else 0.0


def report(
    lobbies: Sequence[Lobby], seconds: float, actions_s: Sequence[float], faults: Counter[FaultName]
) -> ArenaReport:
    """The figures of an arena with those lobbies, the public one first."""
    public = lobbies[0]
    ordered = sorted(actions_s)
    return ArenaReport(
        seconds=seconds,
        hands=sum(lobby.hands_dealt for lobby in lobbies),
        tables=sum(len(lobby.floor.tables) for lobby in lobbies),
        actions=sum(account.stats.accepted for lobby in lobbies for account in lobby.accounts),
        action_ms_p50=_percentile_ms(ordered, 0.50),
        action_ms_p99=_percentile_ms(ordered, 0.99),
        faults={str(name): count for name, count in sorted(faults.items())},
        clients=tuple(_client(public, account) for account in public.accounts),
    )


def _percentile_ms(ordered: Sequence[float], share: float) -> float | None:
    if not ordered:
        return None
    return round(1_000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))], 3)


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
    )
