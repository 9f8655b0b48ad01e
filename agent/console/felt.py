"""A table drawn as HTML from plain values: seats around a felt, cards, stacks, bets, pots, button, who is to act.

Whoever has a hand to show, played or told from a journal, fills a `FeltView`. Texts are put into the HTML as text, so that a
name can do nothing but be read.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from agent.console.markup import markup
from agent.poker.cards import RANKS, SUIT_SYMBOLS, SUITS
from agent.terminal.text import plain


@dataclass(frozen=True, slots=True)
class FeltSeat:
    """A seat as it is seen.

    `cards` are those that may be seen; without them `hidden` says that two lie face down. `bet_chips` lie in front of the seat,
    `won_chips` is what it was paid. `note` is a word about it, such as its last action. A seat that is `out` was not dealt in.
    """

    seat: int
    name: str
    stack_chips: int | None
    bet_chips: int = 0
    cards: tuple[int, ...] = ()
    hidden: bool = False
    folded: bool = False
    to_act: bool = False
    won_chips: int = 0
    note: str = ""
    position: str = ""
    out: bool = False


@dataclass(frozen=True, slots=True)
class FeltView:
    """A moment of a hand.

    `seats` go clockwise from the one at the bottom; `pots` are the main pot and the side pots, without the bets of this street.
    """

    seats: tuple[FeltSeat, ...]
    board: tuple[int, ...] = ()
    pots: tuple[int, ...] = ()
    button_seat: int | None = None


def side_pots(collected: Mapping[int, int], live: Collection[int]) -> tuple[int, ...]:
    """The main pot and the side pots, from what each seat has put into them and who still holds cards.

    >>> side_pots({0: 100, 1: 300, 2: 300, 3: 50}, live={0, 1, 2})
    (350, 400)
    """
    pots, below = list[int](), 0
    for level in sorted({collected[seat] for seat in live if collected[seat]}):
        pots.append(sum(min(chips, level) - min(chips, below) for chips in collected.values()))
        below = level
    rest = sum(collected.values()) - sum(pots)
    if rest:
        pots = [*pots[:-1], (pots[-1] if pots else 0) + rest]
    return tuple(pots)


def felt_html(view: FeltView) -> str:
    """The table as HTML."""
    felt = Element("div", {"class": "felt", "role": "group", "aria-label": "Table"})
    SubElement(felt, "div", {"class": "felt-cloth"})
    middle = SubElement(felt, "div", {"class": "felt-middle"})
    board = SubElement(middle, "div", {"class": "felt-board", "role": "group", "aria-label": "Board"})
    for place in range(5):
        board.append(
            card_element(view.board[place]) if place < len(view.board) else Element("span", {"class": "card none"})
        )
    pots = SubElement(middle, "div", {"class": "felt-pots"})
    for number, chips in enumerate(view.pots):
        label = "Pot" if number == 0 else "Side pot" if len(view.pots) == 2 else f"Side pot {number}"
        SubElement(pots, "span", {"class": "felt-pot"}).text = f"{label} {chips:,}"
    for place, seat in enumerate(view.seats):
        angle = math.pi / 2 + 2 * math.pi * place / len(view.seats)
        at = f"--x:{math.cos(angle):.3f};--y:{math.sin(angle):.3f}"
        felt.append(_seat(seat, at, is_button=seat.seat == view.button_seat))
        if seat.bet_chips:
            bet = SubElement(felt, "div", {"class": "felt-bet", "style": at})
            SubElement(bet, "span", {"class": "chip", "aria-hidden": "true"})
            SubElement(bet, "span").text = f"{seat.bet_chips:,}"
    return markup(felt)


def _seat(seat: FeltSeat, at: str, *, is_button: bool) -> Element:
    states = ("folded", seat.folded), ("to-act", seat.to_act), ("winner", seat.won_chips > 0), ("out", seat.out)
    kinds = " ".join(["felt-seat", *(name for name, holds in states if holds)])
    drawn = Element("div", {"class": kinds, "style": at, "role": "group", "aria-label": plain(seat.name).plain})
    cards = SubElement(drawn, "div", {"class": "felt-cards"})
    for card in seat.cards:
        cards.append(card_element(card))
    if seat.hidden and not seat.cards:
        hidden = {"class": "card back", "role": "img", "aria-label": "hidden card"}
        cards.extend(Element("span", hidden) for _ in range(2))
    plate = SubElement(drawn, "div", {"class": "felt-plate"})
    name = SubElement(plate, "div", {"class": "felt-name"})
    SubElement(name, "bdi").text = plain(seat.name).plain
    stack = "out" if seat.out else "?" if seat.stack_chips is None else f"{seat.stack_chips:,}"
    SubElement(plate, "div", {"class": "felt-stack"}).text = stack
    note = f"wins {seat.won_chips:,}" if seat.won_chips else "to act" if seat.to_act else seat.note
    SubElement(drawn, "div", {"class": "felt-note"}).text = plain(note or seat.position).plain
    if is_button:
        SubElement(drawn, "div", {"class": "felt-button", "role": "img", "aria-label": "dealer button"}).text = "D"
    return drawn


def card_element(card: int) -> Element:
    """A card face up, its suit told by the symbol and by a colour."""
    drawn = Element("span", {"class": f"card {SUITS[card & 3]}"})
    drawn.text = RANKS[card >> 2] + SUIT_SYMBOLS[card & 3]
    return drawn


def cards_html(cards: Collection[int]) -> str:
    """Cards in a row, as HTML."""
    row = Element("span", {"class": "cards"})
    row.extend(card_element(card) for card in cards)
    return markup(row)
