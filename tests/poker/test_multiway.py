import itertools
from collections.abc import Sequence
from math import comb, factorial

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.poker.cards import DECK, parse_cards
from agent.poker.equity import Effort, estimate_equity
from agent.poker.evaluator import CARD_WORDS, TABLES, strength, strengths
from agent.poker.exact import BOARD_TABLES, count_against_random
from agent.poker.matchings import count_matchings
from agent.poker.multiway import MultiwayCount, exact_multiway, exact_multiways

ROYAL_BOARD = "AhKhQhJhTh"


def count(hole: str, board: str, opponents: int, dead: str = "") -> MultiwayCount:
    first, second = parse_cards(hole)
    return exact_multiway((first, second), parse_cards(board), opponents, parse_cards(dead))


def matchings(weights: Sequence[Sequence[int]], sizes: Sequence[int], most: int) -> list[int]:
    counts = np.zeros(most + 1, dtype=np.int64)
    count_matchings(np.array(weights, dtype=np.float64), np.array(sizes, dtype=np.float64), counts)
    return [int(value) for value in counts]


def listed_matchings(weights: npt.NDArray[np.int64], most: int) -> list[int]:
    """M_0 ... M_most of a graph by listing every set of disjoint edges."""
    totals = [0] * (most + 1)

    def extend(start: int, used: frozenset[int], product: int, pairs: int) -> None:
        totals[pairs] += product
        if pairs == most:
            return
        for u, v in itertools.combinations(range(weights.shape[0]), 2):
            if u >= start and not {u, v} & used and weights[u, v]:
                extend(u + 1, used | {u, v}, product * int(weights[u, v]), pairs + 1)

    extend(0, frozenset(), 1, 0)
    return totals


def listed_shares(hole: tuple[int, int], board: tuple[int, ...], opponents: int, live: Sequence[int]) -> list[int]:
    """The shares of an exact count by dealing out every board and every set of disjoint hands."""
    shares = [0] * (opponents + 2)
    for to_come in itertools.combinations(live, 5 - len(board)):
        full = (*board, *to_come)
        rest = tuple(card for card in live if card not in to_come)
        own = strength((*hole, *full))
        behind = {pair: strength((*pair, *full)) - own for pair in itertools.combinations(rest, 2)}

        def extend(cards: tuple[int, ...], left: int, sharing: int, behind: dict[tuple[int, int], int]) -> None:
            if left == 0:
                shares[sharing] += factorial(opponents)
                return
            for i, first in enumerate(cards):
                for j in range(i + 1, len(cards)):
                    ahead = behind[first, cards[j]]
                    now = 0 if ahead > 0 or sharing == 0 else sharing + (ahead == 0)
                    # The next hand's lower card is above this one's: every set is dealt once.
                    extend((*cards[i + 1 : j], *cards[j + 1 :]), left - 1, now, behind)

        extend(rest, opponents, 1, behind)
    return shares


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=9).filter(lambda sizes: 2 <= sum(sizes) <= 9))
    weights = [[0] * len(sizes) for _ in sizes]
    for a, b in itertools.combinations_with_replacement(range(len(sizes)), 2):
        weights[a][b] = weights[b][a] = draw(st.integers(-2, 3))
    return weights, sizes


@settings(max_examples=200, deadline=None)
@given(graphs(), st.integers(1, 5))
def test_matchings_of_a_weighted_graph_are_counted_as_if_listed(
    graph: tuple[list[list[int]], list[int]], most: int
) -> None:
    weights, sizes = graph
    labels = np.repeat(np.arange(len(sizes)), sizes)
    by_card = np.array(weights)[np.ix_(labels, labels)] * (1 - np.eye(len(labels), dtype=np.int64))

    assert matchings(weights, sizes, most) == listed_matchings(by_card, most)


def test_five_pairs_of_45_cards_that_count_threefold_are_still_exact() -> None:
    # 45! / 35! / 2^5 / 5! sets of five pairs.
    assert matchings([[3] * 15] * 15, [3] * 15, 5)[5] == 3_014_726_985_270 * 3**5
    assert matchings([[1] * 45] * 45, [1] * 45, 5) == [1, 990, 446_985, 122_175_900, 22_633_085_475, 3_014_726_985_270]


@pytest.mark.parametrize("hole", ["QdJd", "Ts8c", "2d2h", "AsKh"])
@pytest.mark.parametrize("board", ["Qh7c2s9s4s", "7h7c3d9h9c", "5s6s7s9sKd", "Qs8d3h4cJc", "5c6d7h8s9d"])
def test_a_river_against_two_hands_counts_every_disjoint_pair_of_holdings(hole: str, board: str) -> None:
    own, known = parse_cards(hole), parse_cards(board)
    rest = [card for card in DECK if card not in (*own, *known)]
    pairs = np.array(list(itertools.combinations(rest, 2)))
    results = strengths(np.hstack([pairs, np.tile(known, (len(pairs), 1))]), CARD_WORDS, TABLES).astype(int)
    ahead = np.sign(results - strength((*own, *known)))
    disjoint = ~(pairs[:, None, :, None] == pairs[None, :, None, :]).any(axis=(2, 3))
    both = np.maximum(ahead[:, None], ahead[None, :])
    level = (ahead[:, None] == 0).astype(int) + (ahead[None, :] == 0)
    expected = [int((disjoint & (both <= 0) & (level == j)).sum()) for j in range(3)]

    found = exact_multiway((own[0], own[1]), known, 2)

    assert found.shares == (990 * 903 - sum(expected), *expected)


@settings(max_examples=40, deadline=None)
@given(
    st.permutations(DECK),
    st.sampled_from([(5, 11, 5), (5, 10, 4), (5, 9, 3), (4, 9, 3), (3, 8, 2), (3, 9, 3), (0, 9, 2)]),
)
def test_short_decks_are_counted_as_if_every_deal_were_dealt(deck: list[int], sizes: tuple[int, int, int]) -> None:
    on_board, left, opponents = sizes
    hole, board = (deck[0], deck[1]), tuple(deck[2 : 2 + on_board])
    live, dead = deck[2 + on_board : 2 + on_board + left], tuple(deck[2 + on_board + left :])

    counts = exact_multiways(hole, board, opponents, dead)

    assert list(counts[-1].shares) == listed_shares(hole, board, opponents, sorted(live))
    assert list(counts[0].shares) == listed_shares(hole, board, 1, sorted(live))


@pytest.mark.parametrize(
    ("hole", "board", "live", "opponents"),
    [
        ("AhKs", "Kh9h4h4cTd", "QhJh8h3h2h4s4dTsTcAd", 3),
        ("AhQh", "Kh9h4h4cTd", "8h3h2h4s4dTsTcAdKcKd", 5),
        ("9s9d", "Kh9h4h4cTd", "QhJh8h3h2h4s4dKsKc9c", 4),
        ("Qs7h", "Kh9h4h3hTd", "6hJh8h2h5h4s7sTcAdKc", 2),
        ("Ks2c", "Kh9h4h3hTd", "QhKd8d2d5d4s7cTcAdKc", 3),
        ("7h2c", "Kh9h8h6h5h", "Qh4h2h3h4s7sTcAdKcKd", 3),
        ("3s2c", "Kh9h8h6h5h", "4h7s2s3dTc4cAdKcKd8d", 5),
        ("Ah3c", "5h4h2h", "6h3h7hAdKd6s3sQh", 3),
        ("6h7h", "5h4hKc", "Th8h2hJhAdAcKs5d", 3),
        ("AhQd", "Kh9h3s", "Th8h2hJhAdAcKs5d", 2),
        ("AdQd", "Kh9c3s", "Th8h2hJhAhAcKs5d", 3),
    ],
)
def test_flushes_of_every_size_are_counted_as_if_every_deal_were_dealt(
    hole: str, board: str, live: str, opponents: int
) -> None:
    own, known, left = parse_cards(hole), parse_cards(board), parse_cards(live)
    dead = tuple(card for card in DECK if card not in (*own, *known, *left))

    found = exact_multiway((own[0], own[1]), known, opponents, dead)

    assert list(found.shares) == listed_shares((own[0], own[1]), known, opponents, left)
    assert found.wins + found.ties > 0


@pytest.mark.parametrize("opponents", [1, 2, 3, 4, 5])
def test_everybody_shares_a_board_that_plays(opponents: int) -> None:
    found = count("2c2d", ROYAL_BOARD, opponents)

    assert found.shares[opponents + 1] == found.total
    assert found.equity == 1 / (opponents + 1)


def test_the_best_possible_hand_wins_every_deal() -> None:
    found = count("AsKs", "QsJsTs2c3d", 5)

    assert (found.wins, found.ties, found.equity) == (found.total, 0, 1.0)
    assert found.total == 990 * 903 * 820 * 741 * 666


# Exact shares against one random hand, from a count of all 1,070,190 deals.
@pytest.mark.parametrize(
    ("hole", "board", "exact"),
    [
        ("AsKd", "7h2cKs", 0.8966641437501752),
        ("AhTh", "7h2cKs", 0.5502962090843682),
        ("AhTh", "7h2hKs", 0.7042819499341239),
        ("8c8d", "7h6hKh", 0.582442837253198),
    ],
)
def test_a_flop_against_one_hand_has_its_known_equity(hole: str, board: str, exact: float) -> None:
    assert count(hole, board, 1).equity == pytest.approx(exact, rel=1e-14)
    assert count(hole, board, 1).total == 1_070_190


@settings(max_examples=25, deadline=None)
@given(st.permutations(DECK), st.sampled_from([3, 4, 5]), st.integers(0, 6))
def test_one_opponent_is_counted_as_holdings_are(deck: list[int], on_board: int, dead: int) -> None:
    hole, board, gone = deck[:2], deck[2 : 2 + on_board], deck[7 : 7 + dead]
    counts = np.zeros(3, dtype=np.int64)
    arrays = [np.array(cards, dtype=np.int64) for cards in (hole, board, gone)]
    count_against_random(arrays[0], arrays[1], arrays[2], counts, BOARD_TABLES)

    assert exact_multiway((hole[0], hole[1]), tuple(board), 1, tuple(gone)).shares == tuple(counts.tolist())


def test_aces_before_the_flop_win_as_often_as_published() -> None:
    found = count("AsAh", "", 1)

    assert found.total == comb(50, 5) * 990
    assert found.equity == pytest.approx(0.852037, abs=5e-7)


@pytest.mark.parametrize(("hole", "board"), [("AsKd", "7h2hKs"), ("8h9h", "7h2hKsTd"), ("JcTc", "7h2hKs9hJd")])
def test_a_large_sample_agrees_with_the_exact_equities(hole: str, board: str) -> None:
    first, second = parse_cards(hole)
    for found in exact_multiways((first, second), parse_cards(board), 5):
        effort = Effort(trials=400_000, seed=found.opponents, method="monte-carlo")
        sample = estimate_equity((first, second), parse_cards(board), found.opponents, effort)

        assert sample.method == "monte-carlo"
        assert abs(sample.equity - found.equity) < 4 * sample.stderr


@settings(max_examples=15, deadline=None)
@given(st.permutations(DECK), st.sampled_from([3, 4, 5]), st.permutations(range(4)))
def test_swapping_suits_changes_no_count(deck: list[int], on_board: int, suits: list[int]) -> None:
    swapped = [4 * (card >> 2) + suits[card & 3] for card in deck]
    counts = [
        exact_multiways((cards[0], cards[1]), tuple(cards[2 : 2 + on_board]), 4, (cards[9],))
        for cards in (deck, swapped)
    ]

    assert counts[0] == counts[1]


@settings(max_examples=15, deadline=None)
@given(st.permutations(DECK), st.sampled_from([3, 4, 5]))
def test_another_opponent_never_raises_the_equity(deck: list[int], on_board: int) -> None:
    counts = exact_multiways((deck[0], deck[1]), tuple(deck[2 : 2 + on_board]), 5)
    equities = [found.equity for found in counts]

    assert equities == sorted(equities, reverse=True)
    for found in counts:
        live = 50 - on_board
        boards, cards = comb(live, 5 - on_board), 45
        for _ in range(found.opponents):
            boards, cards = boards * comb(cards, 2), cards - 2
        assert min(found.shares) >= 0
        assert found.wins + found.ties + found.shares[0] == found.total == boards


def test_the_counts_for_all_numbers_of_opponents_are_those_for_each() -> None:
    first, second = parse_cards("AsKd")
    counts = exact_multiways((first, second), parse_cards("7h2hKs"), 5)

    assert list(counts) == [count("AsKd", "7h2hKs", opponents) for opponents in range(1, 6)]


@pytest.mark.parametrize(
    ("hole", "board", "opponents", "message"),
    [
        ("AsKd", "As2c3d", 1, "As comes twice"),
        ("AsKd", "2c3d", 1, "0, 3, 4 or 5"),
        ("AsKd", "2c3d4h", 0, "0 opponents: expected 1 to 5"),
        ("AsKd", "2c3d4h", 6, "6 opponents: expected 1 to 5"),
    ],
)
def test_impossible_deals_are_refused(hole: str, board: str, opponents: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        count(hole, board, opponents)


def test_a_deck_without_enough_cards_is_refused() -> None:
    board = parse_cards("2c3d4h")
    dead = tuple(card for card in DECK[:46] if card not in board)

    with pytest.raises(ValueError, match="4 live cards are too few for 2 to come and 2 hands"):
        exact_multiway((50, 51), board, 2, dead)
