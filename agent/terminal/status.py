"""How the bots fare, a line each: at the bottom of the terminal while they play, else in the log once a minute."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from agent.health import Health
from agent.terminal.text import chips, plain

log = logging.getLogger(__name__)

REFRESH_S: Final = 1.0
LOGGED_EVERY_S: Final = 60.0
_BETWEEN: Final = " · "


def status_line(bot: str, health: Health) -> Text:
    """Where a bot is, what it has, how it does, and how long ago model and venue were heard."""
    parts = [plain(bot, "bold")]
    if not health.is_connected:
        parts.append(Text("not connected", "red"))
    parts += [
        plain(f"table {health.table_id}" if health.table_id else "no table"),
        Text(f"stack {chips(health.stack_chips)}"),
        Text(f"{health.hands:,} hands"),
        Text(f"net {chips(health.net_chips, signed=True)}"),
    ]
    if health.win_rate.hands:
        parts.append(Text(_rate(health)))
    if health.model.questions:
        parts.append(_model(health))
    age_s = health.frame_age_s
    heard = "no frame yet" if age_s is None else f"last frame {_duration(age_s)} ago"
    parts.append(Text(heard, "red" if health.is_silent else ""))
    if health.journal_rows_lost:
        parts.append(Text(f"{health.journal_rows_lost:,} journal rows lost", "red"))
    return Text(_BETWEEN).join(parts)


def status_numbers(health: Health) -> dict[str, Any]:
    """The same for programs; None where nothing is known."""
    model = health.model
    return {
        "connected": health.is_connected,
        "table_id": health.table_id,
        "stack_chips": health.stack_chips,
        "hands": health.hands,
        "net_chips": health.net_chips,
        "net_bb_per_100": _rounded(health.win_rate.bb_per_100),
        "net_bb_per_100_margin": _rounded(health.win_rate.margin),
        "sample_hands": health.win_rate.hands,
        "turns": health.turns,
        "decisions": dict(health.decisions),
        "model_questions": model.questions.total(),
        "model_failures": dict(model.failures),
        "model_cost_usd": round(model.cost_usd, 6),
        "model_replies_unpriced": model.unpriced,
        "model_median_s": _rounded(model.latency.median_s),
        "model_p95_s": _rounded(model.latency.p95_s),
        "rejected": dict(health.answers.rejected),
        "reconnects": health.reconnects,
        "resyncs": health.resyncs,
        "journal_rows_lost": health.journal_rows_lost,
        "frame_age_s": _rounded(health.frame_age_s),
    }


def hands_console(out: Console, err: Console) -> Console:
    """Where hands are printed while the status is shown on `err`: through it where both are on the terminal.

    Whatever else is written there would run into the line that stays at the bottom.
    """
    return err if _stays(err) and out.is_terminal else out


@asynccontextmanager
async def status_shown(
    healths: Mapping[str, Health],
    err: Console,
    *,
    refresh_s: float = REFRESH_S,
    logged_every_s: float = LOGGED_EVERY_S,
) -> AsyncIterator[None]:
    """Keep the status in view while the block runs: below all else on a terminal, else as log lines."""
    keeping = _show(healths, err, refresh_s) if _stays(err) else _log(healths, logged_every_s)
    task = asyncio.create_task(keeping)
    try:
        yield
    finally:
        task.cancel()
        (end,) = await asyncio.gather(task, return_exceptions=True)
        if isinstance(end, Exception):
            log.error("the status could not be shown: %r", end)


async def _show(healths: Mapping[str, Health], err: Console, refresh_s: float) -> None:
    """The text is made on the event loop, where the numbers are; a thread writes it, as a terminal may be held."""
    text = Text()
    with Live(get_renderable=lambda: text, console=err, transient=True, refresh_per_second=2 / refresh_s):
        while True:
            text = Text("\n").join(status_line(bot, health) for bot, health in healths.items())
            # A line that wraps would leave its beginning behind when the terminal scrolls.
            text.no_wrap, text.overflow = True, "ellipsis"
            await asyncio.sleep(refresh_s)


async def _log(healths: Mapping[str, Health], every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        for bot, health in healths.items():
            log.info("%s", status_line(bot, health).plain, extra=status_numbers(health))


def _stays(console: Console) -> bool:
    return console.is_terminal and not console.is_dumb_terminal


def _rate(health: Health) -> str:
    rate = health.win_rate
    margin = "" if rate.margin is None else f" ± {rate.margin:,.1f}"
    return f"{rate.bb_per_100:+,.1f} bb/100{margin} ({rate.hands:,} hands)"


def _model(health: Health) -> Text:
    latency, failed = health.model.latency, health.model.failures.total()
    text = Text("model without a reply")
    if latency.median_s is not None:
        text = Text(f"model {latency.median_s:.1f} s (95 % under {latency.p95_s:.1f} s)")
    if failed:
        text.append(f", {failed:,} of {health.model.questions.total():,} failed", "yellow")
    if health.model.cost_usd:
        text.append(f", ${health.model.cost_usd:,.2f}")
    return text


def _duration(seconds: float) -> str:
    """Seconds as people say them.

    >>> _duration(7.4), _duration(125), _duration(7_300)
    ('7 s', '2 min', '2 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7_200 else f"{seconds / 3_600:.0f} h"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
