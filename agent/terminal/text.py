"""Values as people read them, and text of strangers that can do nothing to the terminal that shows it."""

import unicodedata
from datetime import UTC, datetime
from typing import Final

from rich.text import Text

from agent.poker.cards import CardError, parse_cards, pretty_cards

SHORT_ID_CHARS: Final = 8
NAME_CHARS: Final = 40
SOURCE_STYLES: Final = {"llm": "green", "repaired": "yellow", "policy": "blue", "rule": "cyan", "floor": "red"}

# Joiners hold emoji and several scripts together and move nothing else.
_HARMLESS_FORMATS = frozenset("\u200c\u200d")


def plain(text: str, style: str = "", *, lines: bool = False) -> Text:
    r"""The text itself: no markup, no colour codes, and whatever would not be seen spelled out in reverse video.

    Spelled out are control characters, invisible and direction-changing ones, halves of surrogate pairs, and line
    ends and tabs unless `lines` lets them work.

    >>> plain("[bold]fold\x1b[31m").plain
    '[bold]fold\\x1b[31m'
    """
    shown = Text(style=style)
    for char in text:
        if _works_unseen(char) and not (lines and char in "\n\t"):
            shown.append(char.encode("unicode_escape").decode("ascii"), style="reverse")
        else:
            shown.append(char)
    return shown


def name_text(name: str, chars: int = NAME_CHARS) -> Text:
    """A name that somebody chose, of a player, a model or a prompt set, without its end where it is long.

    >>> name_text("Otter").plain, name_text("x" * 5_000, 8).plain
    ('Otter', 'xxxxxxx…')
    """
    # By characters, for some take no room, and by the room that they take when they are spelled out.
    shown = plain(name if len(name) <= chars else f"{name[: chars - 1]}…")
    shown.truncate(chars, overflow="ellipsis")
    return shown


def cards(text: str, *, none: str = "-") -> Text:
    """Cards with suit symbols, red suits in red; text that is no cards is shown as it stands.

    >>> cards("AsKd").plain
    'A♠ K♦'
    """
    try:
        shown = Text(pretty_cards(parse_cards(text)) or none)
    except CardError:
        return plain(text)
    shown.highlight_regex(r"\w[♦♥]", "red")
    return shown


def chips(amount: int | None, *, signed: bool = False) -> str:
    """Chips with thousands separators; unknown ones say so.

    >>> chips(12500), chips(190, signed=True), chips(None)
    ('12,500', '+190', 'unknown')
    """
    if amount is None:
        return "unknown"
    return f"{amount:+,}" if signed and amount else f"{amount:,}"


def action_text(action: str, raise_to_chips: int | None) -> str:
    """A choice in words.

    >>> action_text("raise", 1120)
    'raise to 1,120'
    """
    return action if raise_to_chips is None else f"{action} to {raise_to_chips:,}"


def source_text(source: str) -> Text:
    """Who decided, in their colour."""
    return plain(source, SOURCE_STYLES.get(source, ""))


def net(chips_won: int | None, unit: str = "") -> Text:
    """Chips won in green, lost in red; unknown ones say so."""
    style = "" if not chips_won else "green" if chips_won > 0 else "red"
    return Text(chips(chips_won, signed=True) + (unit if chips_won is not None else ""), style=style)


def milliseconds(value: float) -> str:
    """A time that a computer takes.

    >>> milliseconds(8.25), milliseconds(1234.5)
    ('8.2 ms', '1,234 ms')
    """
    return f"{value:,.1f} ms" if value < 10 else f"{value:,.0f} ms"


def short_id(identifier: str) -> Text:
    """The end of an id, by which the commands find it."""
    return plain(identifier[-SHORT_ID_CHARS:])


def utc(at: datetime, form: str = "%Y-%m-%d %H:%M:%S UTC") -> str:
    """The time in UTC."""
    return at.astimezone(UTC).strftime(form)


def _works_unseen(char: str) -> bool:
    kind = unicodedata.category(char)
    return kind in {"Cc", "Cs", "Zl", "Zp"} or (kind == "Cf" and char not in _HARMLESS_FORMATS)
