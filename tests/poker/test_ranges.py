import copy
import pickle
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.poker.cards import DECK, parse_cards
from agent.poker.evaluator import CARD_WORDS, TABLES, strengths
from agent.poker.ranges import (
    BEST_FIRST,
    CLASS_OF_COMBO,
    CLASSES,
    COMBOS,
    Range,
    RangeError,
    class_of,
    combo_index,
    grid,
    holding_any,
    parse_range,
    to_text,
)


def classes(text: str) -> set[str]:
    """The classes of which a range holds every combo with weight 1."""
    cells = grid(parse_range(text)).reshape(169)
    assert set(cells.tolist()) <= {0.0, 1.0}
    return {name for name, weight in zip(CLASSES, cells, strict=True) if weight == 1}


def weight(range_: Range, hand: str) -> float:
    return float(range_.weights[combo_index(*parse_cards(hand))])


def test_every_holding_has_one_place_whichever_card_comes_first() -> None:
    assert [combo_index(high, low) for high, low in COMBOS] == list(range(1326))
    assert [combo_index(low, high) for high, low in COMBOS] == list(range(1326))


@pytest.mark.parametrize(("first", "second"), [(5, 5), (52, 0), (0, -1)])
def test_a_holding_needs_two_different_cards(first: int, second: int) -> None:
    with pytest.raises(ValueError, match="not two different cards"):
        combo_index(first, second)


@pytest.mark.parametrize(("hand", "name"), [("AsAd", "AA"), ("KhAh", "AKs"), ("2c7d", "72o"), ("3c2c", "32s")])
def test_a_holding_has_a_class(hand: str, name: str) -> None:
    assert class_of(combo_index(*parse_cards(hand))) == name


def test_the_169_classes_have_6_4_or_12_combos() -> None:
    sizes = dict(zip(CLASSES, np.bincount(CLASS_OF_COMBO).tolist(), strict=True))

    assert len(sizes) == 169
    assert {len(name) > 2 and name[2]: size for name, size in sizes.items()} == {False: 6, "s": 4, "o": 12}


@pytest.mark.parametrize(
    ("text", "combos"),
    [("22", 6), ("AKs", 4), ("AKo", 12), ("AK", 16), ("AsKd", 1), ("random", 1326), ("*", 1326), ("Any Two", 1326)],
)
def test_hands_have_their_number_of_combos(text: str, combos: int) -> None:
    assert parse_range(text).combos == combos


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("QQ+", "QQ KK AA"),
        ("AA+", "AA"),
        ("ATs+", "ATs AJs AQs AKs"),
        ("KTo+", "KTo KJo KQo"),
        ("QT+", "QTs QJs QTo QJo"),
        ("JJ-88", "JJ TT 99 88"),
        ("88-JJ", "JJ TT 99 88"),
        ("A5s-A2s", "A5s A4s A3s A2s"),
        ("K6-K7", "K6s K7s K6o K7o"),
        ("T9s-76s", "T9s 98s 87s 76s"),
        ("53o-86o", "53o 64o 75o 86o"),
        ("aks, Kqo", "AKs KQo"),
        ("KAs", "AKs"),
        ("AA;KK\nQQ  JJ,,TT", "AA KK QQ JJ TT"),
        (" JJ - TT ,QQ +", "QQ KK AA JJ TT"),
        ("JJ–99", "JJ TT 99"),
    ],
)
def test_the_notation_means_these_classes(text: str, expected: str) -> None:
    assert classes(text) == set(expected.split())


@pytest.mark.parametrize(
    ("text", "percent"),
    [
        # Opening ranges whose widths are published with them.
        ("66+,A3s+,K8s+,Q9s+,J9s+,T9s,ATo+,KJo+,QJo", 17.0),
        ("55+,A2s+,K6s+,Q8s+,J9s+,T9s,98s,87s,76s,ATo+,KTo+,QTo+", 21.4),
        ("33+,A2s+,K3s+,Q6s+,J8s+,T7s+,97s+,87s,76s,A8o+,KTo+,QTo+,JTo", 27.8),
    ],
)
def test_real_opening_ranges_have_their_published_width(text: str, percent: float) -> None:
    assert parse_range(text).share == pytest.approx(percent, abs=0.05)


def test_weights_follow_a_colon_or_an_at_sign() -> None:
    mixed = parse_range("QQ+, AKs, A5s:0.5, 76s @ 0.25")

    assert (weight(mixed, "AsAd"), weight(mixed, "As5s"), weight(mixed, "7h6h")) == (1.0, 0.5, 0.25)
    assert mixed.total == 18 + 4 + 4 * 0.5 + 4 * 0.25
    assert mixed.share == pytest.approx(100 * 25 / 1326)


def test_a_later_part_counts_where_two_name_the_same_cards() -> None:
    narrowed = parse_range("random:0.1, QQ+, AA:0, AsAd:0.3")

    assert [weight(narrowed, hand) for hand in ("7c2d", "KsKd", "AhAd", "AsAd")] == [0.1, 1.0, 0.0, 0.3]


@pytest.mark.parametrize(
    ("text", "expected", "combos"),
    [
        ("0.1%", "AA", 6),
        ("1%", "AA KK", 12),
        ("5%", "AA KK QQ JJ TT 99 88 AKs 77 AQs AJs AKo", 72),
    ],
)
def test_a_percentage_is_the_best_classes_nearest_to_it(text: str, expected: str, combos: int) -> None:
    assert classes(text) == set(expected.split())
    assert parse_range(text).combos == combos


def test_all_percent_are_any_two_cards() -> None:
    assert parse_range("100%") == Range.random()


def test_a_wider_percentage_holds_the_narrower_one() -> None:
    widths = [parse_range(f"{percent}%") for percent in range(1, 101)]

    assert all((wide.weights >= narrow.weights).all() for narrow, wide in pairwise(widths))
    assert all(abs(range_.share - percent) < 0.5 for percent, range_ in enumerate(widths, 1))


def test_the_order_of_the_classes_is_that_of_their_equity_against_a_random_hand() -> None:
    deals, rng = 4_000, np.random.default_rng(7)
    equities, names = [], [class_of(combo) for combo in range(1326)]
    for name in BEST_FIRST:
        own = COMBOS[names.index(name)]
        rest = np.setdiff1d(DECK, own)
        dealt = rng.permuted(np.tile(rest, (deals, 1)), axis=1)[:, :7]
        ours = np.hstack([np.tile(own, (deals, 1)), dealt[:, 2:]])
        mine, theirs = (strengths(hands.astype(np.int64), CARD_WORDS, TABLES) for hands in (ours, dealt))
        equities.append(float((mine > theirs).mean() + (mine == theirs).mean() / 2))

    assert sorted(BEST_FIRST) == sorted(CLASSES)
    # A share of 4,000 deals has a standard error below 0.008: five of them between two differ by chance.
    lowest_so_far = np.minimum.accumulate(equities)
    assert (np.array(equities) - lowest_so_far).max() < 5 * 0.008 * 2**0.5
    assert np.corrcoef(np.argsort(np.argsort(equities)), np.arange(169))[0, 1] < -0.99


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an empty text is no range: expected hands such as AA"),
        (" ,; \n", "an empty text is no range"),
        ("QQ+, KQx", "'KQx' is no hand class: expected hands such as AA"),
        ("1Ks", "'1Ks' is no hand class"),
        ("ſ", "'ſ' is no hand class"),
        ("\u212aQs", "is no hand class"),
        ("AAs", "'AAs' is no hand class: a pair is neither suited nor offsuit, write AA"),
        ("AsKd+", r"'AsKd\+' is no hand class"),
        ("AsAs", "'AsAs' is no hand: As comes twice"),
        ("AsKx", "'AsKx' is no hand: 'Kx' is no card"),
        ("AKs-AQo", "'AKs-AQo' is no run of hands: expected two pairs"),
        ("AKs-AQ", "'AKs-AQ' is no run of hands"),
        ("KJs-Q9s", "'KJs-Q9s' is no run of hands"),
        ("22-A2s", "'22-A2s' is no run of hands"),
        ("AA-QQ-TT", "'AA-QQ-TT' is no hand class"),
        ("0%", "'0%' is no share of all hands: expected more than 0% and at most 100%"),
        ("100.1%", "'100.1%' is no share"),
        ("nan%", "'nan%' is no share"),
        ("x%", "'x%' is no share"),
        ("AA:1.01", "'1.01' in 'AA:1.01' is no weight: expected a number from 0 to 1"),
        ("AA:-0.5", "'-0.5' in 'AA:-0.5' is no weight"),
        ("AA:nan", "'nan' in 'AA:nan' is no weight"),
        ("AA:inf", "'inf' in 'AA:inf' is no weight"),
        ("AA:50%", "'50%' in 'AA:50%' is no weight"),
        ("AA:", "'' in 'AA:' is no weight"),
        ("AA:0.5:0.5", "'0.5:0.5' in 'AA:0.5:0.5' is no weight"),
        (":0.5", "'' is no hand class"),
    ],
)
def test_what_is_no_range_is_refused_with_the_part_named(text: str, message: str) -> None:
    with pytest.raises(RangeError, match=message):
        parse_range(text)


@settings(max_examples=400)
@given(st.text(alphabet="AKQT98752sohdc+-–%:@.,* \n10rany", max_size=24) | st.text(max_size=12))
def test_any_text_is_a_range_or_a_range_error(text: str) -> None:
    try:
        parsed = parse_range(text)
    except RangeError:
        return
    assert 0 <= parsed.weights.min() <= parsed.weights.max() <= 1


def test_dead_cards_leave_the_range() -> None:
    aces = parse_range("AA, AKs").without(parse_cards("AsKh"))

    assert aces.combos == 3 + 2
    assert weight(aces, "AsAd") == weight(aces, "AhKh") == 0.0
    assert aces.text == "AA, AKs"
    assert parse_range("22").without(parse_cards("2c2d2h2s")).combos == 0


def test_without_dead_cards_nothing_changes() -> None:
    assert parse_range("QQ+").without(()) == parse_range("QQ+")


def test_a_random_range_is_every_holding_alike() -> None:
    everything = Range.random()

    assert (everything.combos, everything.total, everything.share) == (1326, 1326.0, 100.0)
    assert everything.is_random
    assert everything.text == "random"
    assert parse_range("*:0.5").is_random
    assert not parse_range("random:0").is_random
    assert not everything.without([0]).is_random


def test_the_range_of_a_hand_is_that_hand() -> None:
    ace, king = parse_cards("AsKd")

    assert Range.of_hand(king, ace) == parse_range("AsKd")
    assert Range.of_hand(ace, king).text == "AsKd"


def test_the_cards_a_combo_holds_are_found() -> None:
    held = holding_any(parse_cards("AsKd"))

    assert np.count_nonzero(held) == 51 + 50
    assert held[combo_index(*parse_cards("As2c"))]
    assert not held[combo_index(*parse_cards("Ad2c"))]


def test_ranges_are_values() -> None:
    one, same, other = parse_range("AA,KK"), parse_range("KK+"), parse_range("QQ+")

    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != "AA,KK"
    assert Range(np.full(1326, -0.0)) == parse_range("random:0")
    assert hash(Range(np.full(1326, -0.0))) == hash(parse_range("random:0"))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda range_: pickle.loads(pickle.dumps(range_))])
def test_copies_are_equal_and_read_only_too(duplicate: Callable[[Range], Range]) -> None:
    original = parse_range("QQ+,A5s:0.5")
    copied = duplicate(original)

    assert (copied, copied.text) == (original, original.text)
    with pytest.raises(ValueError, match="read-only"):
        copied.weights[0] = 1.0


def test_the_weights_given_are_copied() -> None:
    weights = np.ones(1326)
    range_ = Range(weights)
    weights[0] = 0.0

    assert range_ == Range.random()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(169), "1326 weights"),
        (np.full(1326, -1.0), "finite numbers of 0 or more"),
        (np.full(1326, np.nan), "finite numbers of 0 or more"),
        (np.full(1326, np.inf), "finite numbers of 0 or more"),
    ],
)
def test_weights_that_are_none_are_refused(weights: np.ndarray, message: str) -> None:
    with pytest.raises(RangeError, match=message):
        Range(weights)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("AA, KK, QQ", "QQ+"),
        ("JJ 99 TT 88 55", "JJ-88,55"),
        ("A2s A3s A4s AQs AKs", "AQs+,A4s-A2s"),
        ("AK", "AKs,AKo"),
        ("76s:0.25, QQ+", "QQ+,76s:0.25"),
        ("AsKs:0.5", "AsKs:0.5"),
        ("AKs, AsKs:0", "AKs,AsKs:0"),
        ("any two", "random"),
        ("random, AA:0", "random,AA:0"),
        ("random:0", "random:0"),
    ],
)
def test_a_range_is_written_in_short(text: str, short: str) -> None:
    assert to_text(parse_range(text)) == short


def test_a_range_made_of_weights_tells_what_it_is() -> None:
    computed = Range(parse_range("QQ+").weights)

    assert computed.text == "QQ+"
    assert repr(computed) == "Range('QQ+', 18 combos)"


def test_weights_above_one_are_written_relative_to_the_largest() -> None:
    assert to_text(Range(parse_range("AA,KK:0.5").weights * 8)) == "AA,KK:0.5"


class_weights = st.dictionaries(
    st.sampled_from(CLASSES), st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1), min_size=1, max_size=40
)


@settings(max_examples=100, deadline=None)
@given(class_weights, st.sets(st.sampled_from(DECK), max_size=5), st.booleans())
def test_a_written_range_reads_back_to_the_same_weights(
    weights: dict[str, float], dead: set[int], from_all: bool
) -> None:
    parts = ["random"] * from_all + [f"{name}:{own!r}" for name, own in weights.items()]
    range_ = parse_range(",".join(parts)).without(dead)

    assert parse_range(to_text(range_)) == range_


def test_the_grid_has_pairs_on_the_diagonal_and_suited_hands_above_it() -> None:
    cells = grid(parse_range("AA, AKs:0.5, AKo:0.25, 22, KsKd"))

    assert (cells[0, 0], cells[0, 1], cells[1, 0], cells[12, 12]) == (1.0, 0.5, 0.25, 1.0)
    assert cells[1, 1] == pytest.approx(1 / 6)
    assert np.count_nonzero(cells) == 5
