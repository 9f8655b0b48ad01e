"""A decision and the same spot asked again, side by side in the terminal."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from agent.terminal.tables import plain_table
from agent.terminal.text import milliseconds, plain


def render_reask(console: Console, told: Mapping[str, Any]) -> None:
    """Print what was said then beside what is said now, and whether the choice is another one."""
    then, now = told["then"], told["now"]
    console.print(plain(f"Decision {told['decision']}: {told['played']} was played ({told['source']})"))
    console.print(plain(f"The question: {told['question']}"))
    table = plain_table()
    for title in ("", "then", "now"):
        table.add_column(title, overflow="fold")
    for name, in_words in _ROWS.items():
        differs = then is not None and name in _COMPARED and then[name] != now[name]
        style = "bold yellow" if differs else ""
        table.add_row(name.replace("_", " "), _cell(then, name, in_words), _cell(now, name, in_words), style=style)
    console.print(table)
    if now["choice"] is not None:
        same = now["choice"] == told["played"]
        words = (
            f"The same: {now['choice']}." if same else f"Another choice: {now['choice']} instead of {told['played']}."
        )
        console.print(plain(words, "green" if same else "yellow"))


def _cell(said: Mapping[str, Any] | None, name: str, words: Callable[[Any], str]) -> Text:
    if said is None:
        return Text("no model was asked" if name == "model" else "-")
    return Text("-") if said[name] is None else plain(words(said[name]))


def _usd(value: float) -> str:
    return f"${value:.5f}"


def _count(value: int) -> str:
    return f"{value:,}"


_COMPARED: Final = frozenset({"choice", "grounding", "problem"})
_ROWS: Final[Mapping[str, Callable[[Any], str]]] = {
    "model": str,
    "prompt": str,
    "choice": str,
    "reason": str,
    "grounding": str,
    "problem": str,
    "latency_ms": milliseconds,
    "prompt_tokens": _count,
    "completion_tokens": _count,
    "cost_usd": _usd,
}
