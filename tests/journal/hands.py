"""Hands of the arena as the journal keeps them: whole and lifelike, without a table being played."""

from agent.arena.game.dealer import Hand
from agent.journal.records import HandPlayer, HandRecord
from agent.poker.cards import format_cards
from agent.poker.positions import position_names
from tests.arena.hands import deck_with, hand_of, play

from .samples import AT, RUN

NAMES = {0: RUN.bot, 1: "Wren", 2: "Otter", 3: "Lynx", 4: "Stoat", 5: "Badger"}


def kept(hand: Hand, *, hero: int = 0, shows: frozenset[int] | None = None) -> HandRecord:
    """The record of a hand that is over; at a showdown `shows` are those whose cards were seen, all unless it is given."""
    settled = hand.settlement
    assert settled is not None
    start, final = settled.start_stacks, settled.final_stacks
    shown = {
        str(seat): format_cards(cards)
        for seat, cards in (settled.shown_cards or {}).items()
        if shows is None or seat in shows
    }
    names = {player.seat: NAMES[player.seat] for player in hand.players}
    blinds = posted(hand)
    positions = position_names(tuple(sorted(start)), hand.button_seat, max(blinds, key=lambda seat: blinds[seat]))
    return HandRecord(
        hand_id=hand.hand_id or "b7e0aaaa-393d52c7",
        at=AT,
        table_id="0a51bbbb",
        hero_seat=hero,
        hole_cards=format_cards(hand.hole_cards[hero]),
        board=format_cards(hand.board),
        net_chips=final[hero] - start[hero],
        pot_chips=settled.total_pot_chips,
        big_blind_chips=20,
        result={
            "type": "hand_result",
            "winners": [
                {"seat": seat, "name": names[seat], "amount": gain, "hand_description": None}
                for seat, gain in settled.winners.items()
            ],
            "payouts": [{"seat": seat, "amount": amount} for seat, amount in settled.payouts.items()],
        },
        position=positions[hero],
        complete=True,
        button_seat=hand.button_seat,
        blinds={str(seat): chips for seat, chips in blinds.items()},
        actions=[(past.seat, past.street, past.verb, past.added_chips, past.to_chips) for past in hand.actions],
        shown=shown,
        players=tuple(
            HandPlayer(seat, names[seat], positions[seat], start[seat], final[seat] - start[seat])
            for seat in sorted(start)
        ),
    )


def posted(hand: Hand) -> dict[int, int]:
    """The blinds by seat: what was put in and was no action, with what came back uncalled."""
    settled = hand.settlement
    assert settled is not None
    order = [seat for seat in sorted(settled.start_stacks) if seat > hand.button_seat]
    order += [seat for seat in sorted(settled.start_stacks) if seat <= hand.button_seat]
    if len(order) == 2 and hand.actions and hand.actions[0].seat == hand.button_seat:
        order.reverse()
    return {seat: min(chips, settled.start_stacks[seat]) for seat, chips in zip(order[:2], (10, 20), strict=True)}


def three_handed() -> Hand:
    """Otter opens on the button, hero calls in the small blind with kings, and they hold at the showdown."""
    deck = deck_with({0: "KsKh", 1: "8s3h", 2: "QsJd"}, "7h2cQd3d9c")
    hand = hand_of({0: 2_000, 1: 2_000, 2: 1_500}, button=2, deck=deck)
    play(hand, "raise 60", "call", "fold", "check", "raise 100", "call", "check", "check", "check", "check")
    return hand
