"""Lines on which chosen faults strike, and what to look at in the frames they send."""

from collections.abc import Iterable

from agent.arena.faults.line import Line
from agent.arena.faults.plan import FaultDice, FaultPlan, parse_faults
from agent.openpoker.frames import Frame, hash_matches
from tests.arena import frames


def plan_of(*names: str, rate: float = 1.0, seed: int = 7, **seconds: float) -> FaultPlan:
    """A plan of the named faults, those with seconds included."""
    table = {name: {"rate": rate} for name in (*names, *seconds)}
    return parse_faults({n: t | ({"seconds": seconds[n]} if n in seconds else {}) for n, t in table.items()}, seed=seed)


def line_of(*names: str, seed: int = 7, **seconds: float) -> Line:
    """Heron's line, on which the named faults always strike."""
    line = Line(FaultDice(plan_of(*names, seed=seed, **seconds)))
    line.outgoing(frames.CONNECTED)
    return line


def sent(line: Line, *told: Frame) -> list[Frame]:
    """What the line sends for the frames it is told."""
    return [delivery.frame for frame in told for delivery in line.outgoing(frame)]


def kinds(told: Iterable[Frame]) -> list[str]:
    """The types of frames."""
    return [frame["type"] for frame in told]


def numbers(told: Iterable[Frame]) -> list[int]:
    """The places of frames in the stream of their table."""
    return [frame["table_seq"] for frame in told]


def all_hashes_match(frame: Frame) -> bool:
    """Whether the hash of a frame and that of its snapshot are right where stated."""
    inner = frame.get("snapshot")
    return hash_matches(frame) is not False and (inner is None or hash_matches(inner) is not False)


def status_of(snapshot: Frame, seat: int) -> str:
    """The status of a seat in a snapshot."""
    return str(snapshot["seats"][seat]["status"])
