import random
from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import Label, StandardHighHand

from agent.poker.cards import DECK, RANKS, format_cards, parse_cards
from agent.poker.draws import STRAIGHT_DRAWS, Draw, DrawKind, Draws, Made, MadeHand, Texture, draws, made_hand, texture
from agent.poker.evaluator import CARD_WORDS, CATEGORIES, TABLES, strengths
from agent.poker.hands import hand_value
from agent.poker.ranges import COMBOS, combo_index
from agent.poker.small_hands import Nutness, categories, code_of, codes_of, holding_codes, nutness, without_kickers


def holding(text: str) -> tuple[int, int]:
    first, second = parse_cards(text)
    return first, second


def made(hole: str, board: str) -> MadeHand:
    return made_hand(holding(hole), parse_cards(board))


def drawing(hole: str, board: str) -> Draws:
    return draws(holding(hole), parse_cards(board))


def only(found: Draws, kind: DrawKind) -> Draw:
    (draw,) = [draw for draw in found.draws if draw.kind is kind]
    return draw


def outs(hole: str, board: str, kind: DrawKind) -> set[str]:
    return {format_cards([card]) for card in only(drawing(hole, board), kind).outs}


def standing(hole: str, board: str) -> Nutness:
    return nutness(holding(hole), parse_cards(board))


def cards(text: str) -> set[str]:
    return {format_cards([card]) for card in parse_cards(text)}


def pokerkit_index(hand: tuple[int, ...]) -> int:
    return int(StandardHighHand.from_game(format_cards(hand)).entry.index)


# Hands of five to seven cards


@pytest.mark.parametrize("size", [5, 6, 7])
def test_codes_order_random_hands_as_pokerkit_does(size: int) -> None:
    rng = random.Random(size)
    hands = [tuple(rng.sample(DECK, size)) for _ in range(2_000)]
    theirs = [pokerkit_index(hand) for hand in hands]
    pairs = sorted(zip(theirs, codes_of(np.array(hands)).tolist(), strict=True))

    distinct = sorted(set(pairs))
    assert len({index for index, _ in distinct}) == len({code for _, code in distinct}) == len(distinct)
    assert [code for _, code in distinct] == sorted(code for _, code in distinct)


def test_codes_of_seven_cards_order_them_as_the_evaluator_does() -> None:
    rng = np.random.default_rng(11)
    hands = rng.permuted(np.tile(np.arange(52), (50_000, 1)), axis=1)[:, :7].copy()
    codes, values = codes_of(hands), strengths(hands, CARD_WORDS, TABLES)

    assert (np.unique(codes, return_inverse=True)[1] == np.unique(values, return_inverse=True)[1]).all()


@pytest.mark.parametrize(
    ("better", "worse", "category"),
    [
        ("AcKdQhJs9c", "AcKdQhJs8c", "high card"),
        ("2c2d5h4s3c", "AcKdQhJs9c", "pair"),
        ("AcAd3h3s2c", "KcKdQhQsAc", "two pair"),
        ("2c2d2h4s3c", "AcAdKhKsQc", "three of a kind"),
        ("Ac2d3h4s5c", "AcAdAhKsQc", "straight"),
        ("2c3d4h5s6c", "Ac2d3h4s5c", "straight"),
        ("7c5c4c3c2c", "AcKdQhJsTc", "flush"),
        ("2c2d2h3s3c", "AcKcQcJc9c", "full house"),
        ("3c3d3h2s2c", "2c2d2hAsAc", "full house"),
        ("2c2d2h2s3c", "AcAdAhKsKc", "four of a kind"),
        ("Ac2c3c4c5c", "AcAdAhAsKc", "straight flush"),
        ("2c3c4c5c6c", "Ac2c3c4c5c", "straight flush"),
    ],
)
def test_five_cards_are_ordered_by_category_and_rank(better: str, worse: str, category: str) -> None:
    code = code_of(parse_cards(better))

    assert code > code_of(parse_cards(worse))
    assert CATEGORIES[int(categories(np.array([code]))[0])] == category


def test_hands_that_differ_in_kickers_alone_are_made_of_the_same() -> None:
    one, other, third = (code_of(parse_cards(hand)) for hand in ("AcAdKhQsJc", "AcAd9h8s7c", "KcKd9h8s7c"))

    assert one > other
    assert without_kickers(np.array([one, other])).tolist() == [without_kickers(np.array([one]))[0]] * 2
    assert without_kickers(np.array([other])) > without_kickers(np.array([third]))


def test_every_holding_on_a_board_has_the_code_of_its_cards() -> None:
    board = parse_cards("7h2cKs9h")
    codes = holding_codes(board)

    assert np.count_nonzero(codes) == comb(48, 2)
    assert all(codes[i] == code_of((*COMBOS[i].tolist(), *board)) for i in range(0, 1326, 7) if codes[i])
    assert codes[combo_index(*holding("7hAs"))] == 0


# Made hands


@pytest.mark.parametrize(
    ("hole", "board", "kind", "words"),
    [
        ("AsQd", "7h2c9s", Made.HIGH_CARD, "ace high"),
        ("AsQd", "7h7c9s", Made.PAIR_ON_BOARD, "pair on the board: pair of sevens, ace kicker"),
        ("3s3d", "7h5cKs", Made.UNDERPAIR, "underpair: pair of threes, king kicker"),
        ("As2d", "7h2cKs", Made.BOTTOM_PAIR, "bottom pair: pair of deuces, ace kicker"),
        ("As7d", "7h2cKs", Made.MIDDLE_PAIR, "middle pair: pair of sevens, ace kicker"),
        ("As7d", "7h2cKsQd", Made.MIDDLE_PAIR, "middle pair: pair of sevens, ace kicker"),
        ("JsJd", "7h2cKs", Made.POCKET_PAIR, "pocket pair below the top card: pair of jacks, king kicker"),
        ("AsKd", "7h2cKs", Made.TOP_PAIR, "top pair: pair of kings, ace kicker"),
        ("AsAd", "7h2cKs", Made.OVERPAIR, "overpair: pair of aces, king kicker"),
        ("Kd7s", "7h2cKs", Made.TWO_PAIR, "two pair, kings and sevens, deuce kicker"),
        ("Kd7s", "7h3c3sKc", Made.TWO_PAIR, "two pair, kings and sevens, three kicker"),
        ("7s7d", "7h2cKs", Made.SET, "set: three sevens, king kicker"),
        ("As7d", "7h7cKs", Made.TRIPS, "trips: three sevens, ace kicker"),
        ("AsQd", "7h7c7s", Made.TRIPS_ON_BOARD, "trips on the board: three sevens, ace kicker"),
        ("As4d", "2c3h5sKd9c", Made.STRAIGHT, "five-high straight"),
        ("Td2d", "6c7h8s9dKc", Made.STRAIGHT, "ten-high straight with one hole card"),
        ("AhQh", "7h2hKh", Made.FLUSH, "ace-high flush"),
        ("AhQs", "7h2hKh4h", Made.FLUSH, "ace-high flush with one hole card"),
        ("7s7d", "7hKcKs", Made.FULL_HOUSE, "full house, sevens full of kings"),
        ("7s7d", "7h7cKs", Made.QUADS, "four sevens, king kicker"),
        ("9h8h", "7h6h5h", Made.STRAIGHT_FLUSH, "nine-high straight flush"),
    ],
)
def test_a_made_hand_has_a_class_and_words(hole: str, board: str, kind: Made, words: str) -> None:
    hand = made(hole, board)

    assert hand.kind is kind
    assert str(hand) == words


@pytest.mark.parametrize(
    ("hole", "board", "pair", "words"),
    [
        ("QsQd", "7h7c2s", Made.OVERPAIR, "overpair and the pair on the board: two pair, queens and sevens"),
        ("Ks9d", "7h7cKd", Made.TOP_PAIR, "top pair and the pair on the board: two pair, kings and sevens"),
        ("3s3d", "7h7cKd", Made.UNDERPAIR, "underpair and the pair on the board: two pair, sevens and threes"),
        ("8s8d", "7h7c9s9dKc", Made.POCKET_PAIR, "pocket pair below the top card and the pair on the board: two pair"),
        # The smaller of hero's own two pairs no longer counts.
        ("Ks4d", "Kd4h7s7cAd", Made.MIDDLE_PAIR, "middle pair and the pair on the board: two pair, kings and sevens"),
    ],
)
def test_a_pair_beside_a_pair_on_the_board_keeps_its_place(hole: str, board: str, pair: Made, words: str) -> None:
    hand = made(hole, board)

    assert (hand.kind, hand.pair) == (Made.PAIR_AND_BOARD_PAIR, pair)
    assert str(hand).startswith(words)


def test_a_counterfeited_two_pair_loses_its_smaller_pair_or_both() -> None:
    before, after, gone = made("7s4d", "7h4h9sKd"), made("7s4d", "7h4h9sKdKs"), made("As4d", "4h7d7s9h9c")

    assert (before.kind, before.pair) == (Made.TWO_PAIR, None)
    assert (after.kind, after.pair) == (Made.PAIR_AND_BOARD_PAIR, Made.MIDDLE_PAIR)
    assert (gone.kind, gone.pair) == (Made.TWO_PAIR_ON_BOARD, None)
    assert (gone.kicker, gone.playing) == (RANKS.index("A"), parse_cards("As"))


def test_the_same_three_sevens_are_a_set_with_a_pocket_pair_and_trips_without() -> None:
    assert made("7s7d", "7h2cKs").kind is Made.SET
    assert made("7sAd", "7h7cKs").kind is Made.TRIPS


@pytest.mark.parametrize(
    ("hole", "board", "kicker"),
    [
        ("AsKd", "7h2cKs", "A"),
        ("KdQs", "7h2cKsAd9h", "Q"),
        ("Kd3s", "7h9cKsAdJh", None),
        ("AsAd", "7h2cKs", None),
        ("AsQd", "7h7c2sKdKh", "A"),
        ("QsJd", "7h7cAsKdKh", None),
        ("7s5d", "7h7cKsAd2h", None),
        ("As2d", "7h7c7s7dKh", "A"),
        ("AhQh", "7h2hKh", None),
        ("AsQd", "7h2c9s", None),
    ],
)
def test_a_kicker_is_a_hole_card_that_plays(hole: str, board: str, kicker: str | None) -> None:
    assert made(hole, board).kicker == (None if kicker is None else RANKS.index(kicker))


@pytest.mark.parametrize(
    ("hole", "board", "playing"),
    [
        ("AhKd", "4c5d6h7s8c", ""),
        ("9h2d", "4c5d6h7s8c", "9h"),
        ("Th9d", "4c5d6h7s8c", "Th9d"),
        ("9h9d", "4c5d6h7s8c", "9h"),
        ("2c2d", "AhKhQhJhTh", ""),
        ("2h3d", "AhKhQh9h7h", ""),
        ("8h3d", "AhKhQh9h7h", "8h"),
        ("AsKd", "7h2cKs", "AsKd"),
        ("KdQs", "7h2cKsAd9h", "KdQs"),
        ("Kd3s", "7h9cKsAdJh", "Kd"),
        ("2s2d", "7h7c9s9dKc", ""),
    ],
)
def test_the_hole_cards_that_play_are_as_few_as_will_do(hole: str, board: str, playing: str) -> None:
    hand = made(hole, board)

    assert hand.playing == parse_cards(playing)
    assert hand.board_plays == (playing == "")


def test_a_board_that_plays_is_told() -> None:
    assert str(made("AhKd", "4c5d6h7s8c")) == "eight-high straight (the board plays)"


@settings(max_examples=150, deadline=None)
@given(st.permutations(DECK), st.integers(5, 7))
def test_the_cards_that_play_make_the_hand(deck: list[int], size: int) -> None:
    hole, board = (deck[0], deck[1]), tuple(deck[2:size])
    hand = made_hand(hole, board)

    assert hand.value == hand_value((*hole, *board))
    if len(hand.playing) + len(board) >= 5:
        assert hand_value((*hand.playing, *board)) == hand.value


# Draws


@pytest.mark.parametrize(
    ("hole", "board", "kind", "expected"),
    [
        ("AhKh", "7h2h9c", DrawKind.FLUSH, "3h4h5h6h8h9hThJhQh"),
        ("Ah3s", "7h2hJh", DrawKind.FLUSH, "3h4h5h6h8h9hThQhKh"),
        ("JsTd", "9h8c2s", DrawKind.OPEN_ENDED, "7c7d7h7sQcQdQhQs"),
        ("5s4d", "3h2cKs", DrawKind.OPEN_ENDED, "AcAdAhAs6c6d6h6s"),
        ("KsQd", "JhTc2s", DrawKind.OPEN_ENDED, "AcAdAhAs9c9d9h9s"),
        ("JsTd", "9h8h2h", DrawKind.OPEN_ENDED, "7c7d7h7sQcQdQhQs"),
        ("As4d", "2c3h9s", DrawKind.GUTSHOT, "5c5d5h5s"),
        ("AsKd", "QcJh3s", DrawKind.GUTSHOT, "TcTdThTs"),
        ("AsTd", "QcJh3s", DrawKind.GUTSHOT, "KcKdKhKs"),
        ("9s5d", "7c6h3s", DrawKind.DOUBLE_GUTSHOT, "4c4d4h4s8c8d8h8s"),
        ("JsTd", "Kc8h7s2d", DrawKind.GUTSHOT, "9c9d9h9s"),
        ("JsTd", "Ac8h7sQd", DrawKind.DOUBLE_GUTSHOT, "9c9d9h9sKcKdKhKs"),
        # A four on this board makes the same straight for everybody; a nine makes hero's alone.
        ("Ts2d", "5c6h7s8d", DrawKind.GUTSHOT, "9c9d9h9s"),
        ("AsKd", "7h2c9d", DrawKind.OVERCARDS, "AcAdAhKcKhKs"),
        ("As5d", "7h2c9d", DrawKind.OVERCARDS, "AcAdAh"),
        ("AsKd", "7h7c2d", DrawKind.OVERCARDS, "AcAdAhKcKhKs"),
        ("As7d", "7h2cKs", DrawKind.TWO_PAIR_OR_TRIPS, "7c7sAcAdAh"),
        ("7s7d", "Kh2cQs", DrawKind.SET, "7c7h"),
        ("7s7d", "7h2cKs", DrawKind.FULL_HOUSE, "7c2d2h2sKcKdKh"),
        ("Kd7s", "7h2cKs", DrawKind.FULL_HOUSE, "7c7dKcKh"),
        ("KsKd", "7h7c2s", DrawKind.FULL_HOUSE, "7d7sKcKh"),
        ("AsQd", "7h7c7s", DrawKind.FULL_HOUSE, "AcAdAhQcQhQs"),
    ],
)
def test_a_draw_has_these_outs(hole: str, board: str, kind: DrawKind, expected: str) -> None:
    assert outs(hole, board, kind) == cards(expected)


@pytest.mark.parametrize(
    ("hole", "board"),
    [
        ("8s5d", "7c6hJs4d"),  # a straight is there already
        ("AhQs", "7h2hKh4h"),  # a flush is
        ("7s7d", "7hKcKs"),  # a full house is
        ("3s2d", "KcQh9s7d"),  # nothing to hope for
        ("As3d", "9h8h7h6hTh"),  # no card to come
        ("2s2d", "9h8h7h6h"),  # a fifth heart would be everybody's
    ],
)
def test_where_nothing_better_can_come_there_is_no_flush_or_straight_draw(hole: str, board: str) -> None:
    kinds = drawing(hole, board).kinds

    assert not kinds & {DrawKind.FLUSH, DrawKind.GUTSHOT, DrawKind.OPEN_ENDED, DrawKind.DOUBLE_GUTSHOT}


def test_on_the_river_nothing_is_left_to_draw() -> None:
    found = drawing("AhKh", "7h2h9cJd3s")

    assert found == Draws((), (), 0.0, 0.0, 0)
    assert str(found) == "no draw"


@pytest.mark.parametrize(
    ("hole", "board", "high", "is_nut"),
    [
        ("Ah3h", "7h2hKc", "A", True),
        ("KhQh", "7h2h9c", "K", False),
        ("KhQh", "7hAh9c", "K", True),
        ("Kh2s", "7hAh9h", "K", True),
        ("QhJs", "AhKh9hTc", "Q", True),
        ("Jh3h", "7h2hKc", "J", False),
    ],
)
def test_a_flush_draw_is_to_the_nuts_when_no_higher_card_of_the_suit_is_unseen(
    hole: str, board: str, high: str, is_nut: bool
) -> None:
    draw = only(drawing(hole, board), DrawKind.FLUSH)

    assert (draw.high, draw.is_nut) == (RANKS.index(high), is_nut)


def test_a_backdoor_flush_draw_needs_both_cards() -> None:
    draw = only(drawing("AhKd", "7h2h9c"), DrawKind.BACKDOOR_FLUSH)

    assert (draw.outs, draw.next_card) == ((), 0.0)
    assert draw.by_river == pytest.approx(comb(10, 2) / comb(47, 2))
    assert str(draw) == "nut backdoor flush draw (ace high): 4 % by the river"


@pytest.mark.parametrize(("hole", "board"), [("AhKd", "7h2h9c3s"), ("AsKd", "7h2h9h"), ("AsKd", "7h2h9c")])
def test_a_backdoor_flush_draw_is_on_the_flop_and_with_a_hole_card(hole: str, board: str) -> None:
    assert DrawKind.BACKDOOR_FLUSH not in drawing(hole, board).kinds


# What the tables of odds say for 2, 4, 8, 9 and 15 outs with two cards to come.
@pytest.mark.parametrize(
    ("hole", "board", "number", "next_percent", "river_percent"),
    [
        ("7s7d", "Kh2cQs", 2, 4.3, 8.4),
        ("As4d", "2c3hTs", 4, 8.5, 16.5),
        ("JsTd", "9h8c2s", 8, 17.0, 31.5),
        ("AhKh", "7h2h9c", 9, 19.1, 35.0),
    ],
)
def test_the_chances_are_those_of_the_tables(
    hole: str, board: str, number: int, next_percent: float, river_percent: float
) -> None:
    draw = drawing(hole, board).draws[0]

    assert len(draw.outs) == number
    assert 100 * draw.next_card == pytest.approx(next_percent, abs=0.05)
    assert 100 * draw.by_river == pytest.approx(river_percent, abs=0.05)


def test_outs_that_two_draws_share_are_counted_once() -> None:
    found = drawing("JhTh", "9h8h2c")

    assert [len(draw.outs) for draw in found.draws] == [9, 8, 6]
    assert len(found.outs) == 9 + 6 + 6
    assert found.next_card == pytest.approx(21 / 47)
    assert found.by_river == pytest.approx(1 - comb(26, 2) / comb(47, 2))
    assert found.is_combo


def test_a_flush_draw_alone_is_no_combo() -> None:
    assert not drawing("AhKh", "7h2h9c").is_combo


def test_by_the_river_two_cards_may_make_it_without_an_out() -> None:
    draw = only(drawing("JsTd", "9h7c2s"), DrawKind.GUTSHOT)

    # An eight, or one of four kings with one of four queens.
    assert draw.by_river == pytest.approx((comb(47, 2) - comb(43, 2) + 16) / comb(47, 2))


def test_draws_are_told_in_words() -> None:
    assert str(drawing("AhKh", "7h2h9c")) == (
        "nut flush draw (ace high), 9 outs: 35 % by the river, 19 % next card; "
        "overcards, 6 outs: 24 % by the river, 13 % next card; "
        "in all 15 outs: 54 % by the river, 32 % next card"
    )
    assert str(drawing("Jh3h", "7h2hKc4s")) == "flush draw (jack high), 9 outs: 20 % on the river"


def best_straight(of: tuple[int, ...]) -> int:
    """The rank at the foot of the best straight, the ace counting as -1; -2 for none."""
    ranks = {card >> 2 for card in of} | ({-1} if any(card >> 2 == 12 for card in of) else set())
    return max((low for low in range(-1, 9) if ranks.issuperset(range(low, low + 5))), default=-2)


def improving(hole: tuple[int, int], board: tuple[int, ...], labels: set[Label]) -> set[int]:
    """The cards that give hero, not the board, a hand that pokerkit calls by one of these labels."""
    found = set()
    for card in set(DECK) - {*hole, *board}:
        hand, shared = StandardHighHand.from_game(format_cards((*hole, *board, card))), (*board, card)
        board_plays = len(shared) == 5 and hand == StandardHighHand.from_game(format_cards(shared))
        quads_on_board = any([other >> 2 for other in shared].count(rank) == 4 for rank in range(13))
        if hand.entry.label in labels and not board_plays and not quads_on_board:
            found.add(card)
    return found


@settings(max_examples=80, deadline=None)
@given(st.permutations(DECK), st.integers(5, 6))
def test_the_outs_are_the_cards_that_make_the_hand(deck: list[int], size: int) -> None:
    hole, board = (deck[0], deck[1]), tuple(deck[2:size])
    found, now = draws(hole, board), CATEGORIES[hand_value((*hole, *board)).category]
    by_kind = {draw.kind: set(draw.outs) for draw in found.draws}
    straights = {c for c in deck[size:] if best_straight((*hole, *board, c)) > best_straight((*board, c))}

    if now in {"high card", "pair", "two pair", "three of a kind"}:
        named = by_kind.keys() & STRAIGHT_DRAWS
        assert (by_kind[named.pop()] if named else set()) == straights
    if now in {"high card", "pair", "two pair", "three of a kind", "straight"}:
        flushes = improving(hole, board, {Label.FLUSH, Label.STRAIGHT_FLUSH})
        assert by_kind.get(DrawKind.FLUSH, set()) == flushes
    if now in {"two pair", "three of a kind"}:
        boats = improving(hole, board, {Label.FULL_HOUSE, Label.FOUR_OF_A_KIND})
        assert by_kind.get(DrawKind.FULL_HOUSE, set()) == boats


@settings(max_examples=80, deadline=None)
@given(st.permutations(DECK), st.integers(5, 6))
def test_every_out_betters_the_hand_and_more_cards_better_the_chance(deck: list[int], size: int) -> None:
    hole, board = (deck[0], deck[1]), tuple(deck[2:size])
    found, now = draws(hole, board), hand_value((*hole, *board))

    assert all(hand_value((*hole, *board, out)) > now for out in found.outs)
    assert set(found.outs) == {out for draw in found.draws for out in draw.outs}
    assert found.next_card == pytest.approx(len(found.outs) / (52 - size))
    assert 0 <= found.next_card <= found.by_river <= 1
    assert all(0 <= draw.next_card <= draw.by_river <= found.by_river for draw in found.draws)


# Nutness


@pytest.mark.parametrize(("hole", "board"), [("AsKd", "7h2cKs"), ("JhTh", "9h8h2cQd"), ("QsJd", "Qh7c2d9sTh")])
def test_the_holdings_that_beat_a_hand_are_those_that_pokerkit_counts(hole: str, board: str) -> None:
    own, shared = parse_cards(hole), parse_cards(board)
    mine = pokerkit_index((*own, *shared))
    rest = [card for card in DECK if card not in (*own, *shared)]
    theirs = [pokerkit_index((*pair, *shared)) for pair in combinations(rest, 2)]

    found = standing(hole, board)

    assert (found.beaten_by, found.ties, found.beats) == (
        sum(other > mine for other in theirs),
        sum(other == mine for other in theirs),
        sum(other < mine for other in theirs),
    )
    assert found.holdings == comb(50 - len(shared), 2)
    assert found.percentile == (found.beats + found.ties / 2) / found.holdings


def test_the_nuts_are_beaten_by_nothing() -> None:
    assert standing("AsKs", "QsJsTs2c3d") == Nutness(beaten_by=0, ties=0, beats=990)
    assert standing("8s5d", "7c6hJs4d").is_nuts
    assert str(standing("8s5d", "7c6hJs4d")) == "the nuts (9 of 1035 holdings tie)"
    assert str(standing("AsKs", "QsJsTs2c3d")) == "the nuts"


def test_a_hand_below_the_nuts_tells_how_many_are_above() -> None:
    # Only the three pairs of queens beat three sevens here.
    assert standing("7s7d", "7hQc2s") == Nutness(beaten_by=3, ties=0, beats=1078)
    assert str(standing("7s7d", "7hQc2s")) == "ahead of 99.7 % of holdings (3 of 1081 beat it)"


def test_a_board_that_plays_ties_with_all_that_do_not_beat_it() -> None:
    assert standing("2c2d", "AhKhQhJhTh") == Nutness(beaten_by=0, ties=990, beats=0)
    assert standing("2c2d", "AhKhQhJhTh").percentile == 0.5


# Textures


@pytest.mark.parametrize(
    ("board", "words"),
    [
        ("7h2cKs", "king high, unpaired, rainbow, no straight possible: dry"),
        ("7h2hKs", "king high, unpaired, two-tone, no straight possible: medium"),
        ("AhTs5h", "ace high, unpaired, two-tone, no straight possible: medium"),
        ("9h8c6s", "nine high, unpaired, rainbow, straight possible: wet"),
        ("Jh8c4s", "jack high, unpaired, rainbow, open-ended draws possible: medium"),
        ("Jh8h4s", "jack high, unpaired, two-tone, open-ended draws possible: wet"),
        ("Ah7h2h", "ace high, unpaired, monotone, no straight possible: wet"),
        ("7h7c2s", "seven high, paired, rainbow, no straight possible: dry"),
        ("7h7c7s", "seven high, trips, rainbow, no straight possible: dry"),
        ("Ah2c3s", "ace high, unpaired, rainbow, straight possible: wet"),
        ("AhKc7s", "ace high, unpaired, rainbow, no straight possible: dry"),
        ("KhAcQs", "ace high, unpaired, rainbow, straight possible: wet"),
        ("7h7c2s2d", "seven high, two pair, rainbow, no straight possible: dry"),
        ("7h2hKhAc", "ace high, unpaired, three of a suit, no straight possible: wet"),
        ("5c6h7s8d", "eight high, unpaired, rainbow, four to a straight: wet"),
        ("7h2cKsQd8h", "king high, unpaired, no flush possible, no straight possible: dry"),
        ("7h2hKhAhAc", "ace high, paired, four of a suit, no straight possible: wet"),
        ("AhKhQhJhTh", "ace high, unpaired, monotone, straight on the board: wet"),
        ("7h7c7sKdKh", "king high, full house, no flush possible, no straight possible: dry"),
        ("7h7c7s7dKh", "king high, four of a kind, no flush possible, no straight possible: dry"),
    ],
)
def test_a_board_has_a_texture_in_words(board: str, words: str) -> None:
    assert str(texture(parse_cards(board))) == words


def test_the_texture_counts_what_is_there() -> None:
    found = texture(parse_cards("Th9h9cJd"))

    assert found == Texture(high=RANKS.index("J"), repeats=(2, 1, 1), suited=2, connected=3, open_ended=True)
    assert found.cards == 4
    assert found.is_paired
    assert found.straight_possible
    assert found.flush_draw_possible
    assert not found.flush_possible


@settings(max_examples=40, deadline=None)
@given(st.permutations(DECK).map(lambda deck: tuple(deck[:3])))
def test_a_straight_is_possible_where_some_holding_has_one(board: tuple[int, ...]) -> None:
    straights = np.isin(categories(holding_codes(board)), (4, 8)).any()

    assert texture(board).straight_possible == bool(straights)


# All of it


@pytest.mark.parametrize("ask", [made_hand, draws, nutness])
@pytest.mark.parametrize(
    ("hole", "board", "message"),
    [
        ("AsKd", "", "a board of 0 cards: expected 3"),
        ("AsKd", "7h2c", "a board of 2 cards: expected 3"),
        ("AsKd", "7h2cQsJsTs9s", "a board of 6 cards: expected 3"),
        ("AsKd", "7h2cAs", "As comes twice"),
        ("AsAs", "7h2cKs", "As comes twice"),
    ],
)
def test_impossible_cards_are_refused(
    ask: Callable[[tuple[int, int], tuple[int, ...]], object], hole: str, board: str, message: str
) -> None:
    first, second = (parse_cards(hole[i : i + 2])[0] for i in (0, 2))

    with pytest.raises(ValueError, match=message):
        ask((first, second), parse_cards(board))


@pytest.mark.parametrize(("board", "message"), [("7h2c", "a board of 2 cards"), ("", "a board of 0 cards")])
def test_only_a_board_has_a_texture(board: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        texture(parse_cards(board))


@settings(max_examples=60, deadline=None)
@given(st.permutations(DECK), st.integers(5, 7), st.permutations(range(4)), st.booleans())
def test_swapping_suits_or_hole_cards_changes_nothing_that_is_told(
    deck: list[int], size: int, suits: list[int], turn_over: bool
) -> None:
    hole, board = (deck[0], deck[1]), tuple(deck[2:size])
    swapped = [4 * (card >> 2) + suits[card & 3] for card in deck]
    other = (swapped[1], swapped[0]) if turn_over else (swapped[0], swapped[1])
    other_board = tuple(reversed(swapped[2:size]))

    assert nutness(hole, board) == nutness(other, other_board)
    assert texture(board) == texture(other_board)
    assert str(draws(hole, board)) == str(draws(other, other_board))
    assert str(made_hand(hole, board)) == str(made_hand(other, other_board))
    assert {4 * (out >> 2) + suits[out & 3] for out in draws(hole, board).outs} == set(draws(other, other_board).outs)
