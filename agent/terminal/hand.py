"""One hand told street by street in the terminal, with what we decided beside what was played."""

from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from agent.journal.plain import as_plain
from agent.journal.records import DecisionRecord, HandPlayer, HandRecord
from agent.journal.stories import HandStory
from agent.poker.line import LineAction, StreetLine, street_lines
from agent.poker.spot import BOARD_CARDS, PastAction, Street, Verb
from agent.terminal.tables import plain_table, print_title
from agent.terminal.text import action_text, cards, chips, net, plain, short_id, source_text, utc
from agent.terminal.words import mappings

_CHARS_PER_CARD: Final = 2


def render_hand(console: Console, story: HandStory) -> None:
    """Print the hand: who sat where, every action with its size and the pot, our decisions, and who won what."""
    _print_header(console, story)
    _print_players(console, story.hand)
    told = _Told(console, story)
    for street in street_lines_of(story.hand):
        told.street(street)
    told.end()
    _print_showdown(console, story.hand)
    _print_result(console, story.hand)


def hand_json(story: HandStory) -> dict[str, Any]:
    """The hand with all of its decisions as JSON can hold it."""
    return as_plain(story)


def past_actions(hand: HandRecord) -> tuple[PastAction, ...]:
    """The actions of a hand as the rest of the program knows them."""
    return tuple(
        PastAction(seat, Street(street), Verb(verb), added, total) for seat, street, verb, added, total in hand.actions
    )


def street_lines_of(hand: HandRecord) -> tuple[StreetLine, ...]:
    """The betting of a hand, street by street, with sizes and pots."""
    actions, start = past_actions(hand), {player.seat: player.start_chips for player in hand.players}
    paid = {int(seat): posted for seat, posted in hand.blinds.items()}
    for past in actions:
        paid[past.seat] = paid.get(past.seat, 0) + past.added_chips
    broke = {seat for seat, amount in paid.items() if amount and amount == start.get(seat)}
    return street_lines(
        actions, sum(hand.blinds.values()), hand.big_blind_chips, broke=broke, history_complete=hand.complete
    )


def _print_header(console: Console, story: HandStory) -> None:
    run, hand = story.run, story.hand
    console.print(plain(f"Hand {hand.hand_id}", "bold"))
    blinds = "/".join(chips(amount) for amount in sorted(hand.blinds.values())) or f"big blind {hand.big_blind_chips:,}"
    console.print(plain(f"{utc(hand.at)} · table {hand.table_id} · blinds {blinds} · {run.bot}, run {run.id}"))
    if not hand.complete:
        console.print(Text("A part of this hand was not seen.", style="yellow"))


def _print_players(console: Console, hand: HandRecord) -> None:
    if not hand.players:
        console.print(Text.assemble("who was dealt in is not in the journal; we held ", cards(hand.hole_cards)))
        return
    console.print()
    table = plain_table()
    for title, justify in (
        ("", "left"),
        ("seat", "right"),
        ("player", "left"),
        ("chips", "right"),
        ("bb", "right"),
        ("cards", "left"),
    ):
        table.add_column(title, justify="right" if justify == "right" else "left")
    for player in hand.players:
        is_hero = player.seat == hand.hero_seat
        held = hand.hole_cards if is_hero else hand.shown.get(str(player.seat), "")
        table.add_row(
            plain(player.position or "-"),
            str(player.seat),
            plain(player.name + (" (we)" if is_hero else "")),
            chips(player.start_chips),
            _big_blinds(player.start_chips, hand),
            cards(held, none=""),
            style="bold" if is_hero else "",
        )
    console.print(table)


class _Told:
    """The hand as it is told: names by seat, and our decisions that still wait for their action."""

    def __init__(self, console: Console, story: HandStory) -> None:
        self._console, self._hand = console, story.hand
        self._names = {player.seat: player.name for player in story.hand.players}
        self._waiting = deque(story.decisions)
        self._streets = set[str]()

    def street(self, street: StreetLine) -> None:
        """Print the actions of a street, and what we decided for those that were ours."""
        self._print_street(street.street, street.pot_chips)
        is_open = street.street is not Street.PREFLOP
        if not is_open:
            for seat, posted in sorted(self._hand.blinds.items(), key=lambda blind: blind[1]):
                self._console.print(plain(f"  {self._name(int(seat))} posts {chips(posted)}"))
        added = (past.added_chips for past in past_actions(self._hand) if past.street is street.street)
        for action, paid in zip(street.actions, added, strict=True):
            self._console.print(plain(f"  {self._name(action.seat)} {_action_words(action, paid, is_bet=is_open)}"))
            is_open = is_open and action.pot_fraction is None
            if action.seat == self._hand.hero_seat:
                self._print_decision(street.street)
        self._print_unplayed(street.street)

    def end(self) -> None:
        """Print decisions of streets on which no action was seen, and the rest of the board."""
        for decision in self._waiting:
            self._console.print(Text("  decided, and not seen played:"))
            _print_decision(self._console, decision)
        for name, count in BOARD_CARDS.items():
            if name not in self._streets and count and len(self._hand.board) >= _CHARS_PER_CARD * count:
                self._print_street(Street(name), None)

    def _print_street(self, street: Street, pot_chips: int | None) -> None:
        self._streets.add(street)
        self._console.print()
        title = Text(street.capitalize(), style="bold")
        dealt = self._hand.board[: _CHARS_PER_CARD * BOARD_CARDS[street]]
        if dealt:
            title.append_text(Text(" ", style="not bold")).append_text(cards(dealt))
        if pot_chips:
            title.append(f" · pot {pot_chips:,}", style="not bold dim")
        self._console.print(title)

    def _print_decision(self, street: Street) -> None:
        if self._waiting and self._waiting[0].street == street:
            _print_decision(self._console, self._waiting.popleft())

    def _print_unplayed(self, street: Street) -> None:
        while self._waiting and self._waiting[0].street == street:
            self._console.print(Text("  decided, and not seen played:"))
            _print_decision(self._console, self._waiting.popleft())

    def _name(self, seat: int) -> str:
        return self._names.get(seat, f"seat {seat}")


def _print_decision(console: Console, decision: DecisionRecord) -> None:
    """What was decided and by whom, with what spoke for it, in two lines."""
    mark = Text("    ▶ ").append_text(source_text(decision.source))
    mark.append(": ").append_text(plain(action_text(decision.action, decision.raise_to_chips), "bold"))
    equity = _equity(decision.facts)
    parts = [f"equity {equity:.0%}"] if equity is not None else []
    if decision.to_call_chips:
        parts.append(f"{decision.to_call_chips:,} to call into {decision.pot_chips:,}")
    parts.append(f"rule {decision.rule_choice}")
    if decision.policy is not None:
        parts.append(f"policy {decision.policy.get('choice')}")
    console.print(mark.append_text(plain(f" · {' · '.join(parts)} · ")).append_text(short_id(decision.id)))
    why = decision.model_reason or decision.reason
    if why:
        console.print(plain(f"      {why}", "dim"))


def _equity(facts: Mapping[str, Any]) -> float | None:
    report = facts.get("equity")
    equity = report.get("equity") if isinstance(report, Mapping) else None
    return float(equity) if isinstance(equity, int | float) else None


def _action_words(action: LineAction, added_chips: int, *, is_bet: bool) -> str:
    """What was done, as hand histories tell it: `calls 40` with what was added, `raises to 60 (67 % of the pot)` in all."""
    size = "" if action.pot_fraction is None else f" ({action.pot_fraction:.0%} of the pot)"
    amount = "" if action.to_chips is None else f" {action.to_chips:,}"
    if action.verb is Verb.ALL_IN:
        return f"goes all-in{f' for{amount}' if amount else ''}{size}"
    if action.verb is Verb.RAISE:
        words = f"bets{amount}{size}" if is_bet else f"raises to{amount}{size}"
    else:
        added = f" {added_chips:,}" if action.verb is Verb.CALL and added_chips else ""
        words = f"{_VERBS[action.verb]}{added}"
    return f"{words}, all-in" if action.all_in else words


_VERBS: Final = {Verb.FOLD: "folds", Verb.CHECK: "checks", Verb.CALL: "calls"}


def _print_showdown(console: Console, hand: HandRecord) -> None:
    names = {str(player.seat): player.name for player in hand.players}
    if hand.shown:
        print_title(console, "Showdown")
    for seat, held in sorted(hand.shown.items()):
        console.print(plain(f"  {names.get(seat, f'seat {seat}')} shows ").append_text(cards(held)))


def _print_result(console: Console, hand: HandRecord) -> None:
    print_title(console, f"Result · pot {chips(hand.pot_chips)}")
    for winner in mappings(hand.result.get("winners")):
        description = winner.get("hand_description")
        console.print(plain(f"  {winner.get('name')} wins" + (f" with {description}" if description else "")))
    for player in sorted(hand.players, key=_by_net):
        if player.seat != hand.hero_seat:
            console.print(plain(f"  {player.name}: ").append_text(_won(player.net_chips, hand)))
    ours = Text("  we: ", style="bold").append_text(_won(hand.net_chips, hand))
    adjusted = hand.adjusted_net_chips
    if adjusted is not None and adjusted != hand.net_chips:
        ours.append(f" · all-ins valued by equity {adjusted:+,.1f}{_in_big_blinds(adjusted, hand)}")
    console.print(ours)


def _won(chips_won: int | None, hand: HandRecord) -> Text:
    return net(chips_won).append(_in_big_blinds(chips_won, hand) if chips_won else "")


def _by_net(player: HandPlayer) -> int:
    return -(player.net_chips or 0)


def _big_blinds(amount: int, hand: HandRecord) -> str:
    return f"{amount / hand.big_blind_chips:.1f}" if hand.big_blind_chips > 0 else "-"


def _in_big_blinds(amount: float | None, hand: HandRecord) -> str:
    return f" ({amount / hand.big_blind_chips:+.1f} bb)" if amount is not None and hand.big_blind_chips > 0 else ""
