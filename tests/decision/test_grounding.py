"""What a reply says hero holds, held against what hero holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.decision.grounding import Grounding, ground
from agent.decision.reply import Reply
from agent.poker.cards import parse_cards

FLOP = "7h2cKs"


def grounded(
    hand: str = "", cards: str = "", *, hole: str = "AsKd", board: str = FLOP, repeat: str = "top pair"
) -> Grounding:
    held = parse_cards(hole)
    return ground(Reply("call", hand=hand, cards=cards), (held[0], held[1]), parse_cards(board), repeat)


@pytest.mark.parametrize(
    "cards", ["AsKd", "KdAs", "As Kd", "A♠ K♦", "[A♠, K♦]", "as, kd", "ace of spades and king of diamonds", "AsKd."]
)
def test_the_cards_are_known_in_any_order_and_spelling(cards: str) -> None:
    assert grounded(cards=cards).verdict == "grounded"


@pytest.mark.parametrize("cards", ["AsKs", "As", "AsKdQh", "Ad Ks", "ace of hearts"])
def test_other_cards_are_a_misreading(cards: str) -> None:
    found = grounded(cards=cards)

    assert found.verdict == "misread"
    assert f'"cards" is "{cards}"' in found.problem


@pytest.mark.parametrize("cards", ["AsAs Kd Qd", "two good ones", "AK"])
def test_what_names_no_cards_shows_nothing(cards: str) -> None:
    assert grounded(cards=cards).verdict == "not shown"


def test_a_ten_is_a_ten_in_both_spellings() -> None:
    assert grounded(cards="10h 10s", hole="ThTs", board="").verdict == "grounded"


@pytest.mark.parametrize(
    ("hole", "board", "hand"),
    [
        ("AsKd", FLOP, "top pair"),
        ("AsKd", FLOP, "Top pair, ace kicker"),
        ("AsKd", FLOP, "pair"),
        ("AsKd", FLOP, "a pair of kings"),
        ("QhJh", "7h2hKs", "high card with a flush draw"),
        ("QhJh", "7h2hKs", "queen high"),
        ("7c7d", FLOP, "set of sevens"),
        ("7c7d", FLOP, "three of a kind"),
        ("7c7d", FLOP, "trips"),
        ("9h8h", "7h2hKh", "flush"),
        ("9h8h", "7h6h5h", "straight flush"),
        ("AhKh", "QhJhTh", "royal flush"),
        ("QcQd", FLOP, "pocket pair below the top card"),
        ("AcAd", FLOP, "overpair"),
        ("AcAd", "AhAs2c", "quads"),
        ("KcKd", "KhAsAc", "full house, kings full of aces"),
    ],
)
def test_a_made_hand_answers_to_its_names(hole: str, board: str, hand: str) -> None:
    assert grounded(hand, hole=hole, board=board, repeat="").verdict == "grounded"


@pytest.mark.parametrize(
    ("hole", "board", "hand"),
    [
        ("AsKd", FLOP, "flush"),
        ("AsKd", FLOP, "middle pair"),
        ("AsKd", FLOP, "two pair"),
        ("AsKd", FLOP, "overpair"),
        ("AsQd", FLOP, "top pair"),
        ("QhJh", "7h2hKs", "flush"),
        ("QhJh", "7h2hKs", "straight"),
        ("7c7d", FLOP, "full house"),
        ("9h8h", "7h2hKh", "straight flush"),
        ("5h4h", "7h2hKh", "nut straight"),
    ],
)
def test_another_made_hand_is_a_misreading(hole: str, board: str, hand: str) -> None:
    assert grounded(hand, hole=hole, board=board, repeat="").verdict == "misread"


@pytest.mark.parametrize(
    ("hole", "hand", "is_right"),
    [
        ("AsKd", "AKo", True),
        ("AsKd", "AK", True),
        ("AsKd", "KA offsuit", True),
        ("AsKd", "AK suited", False),
        ("AsKs", "AKs", True),
        ("AsKs", "AKo", False),
        ("AsKs", "AQs", False),
        ("TsTd", "TT", True),
        ("TsTd", "1010", True),
        ("TsTd", "pocket tens", True),
        ("TsTd", "pocket nines", False),
        ("6s6d", "pocket sixes", True),
        ("AsKd", "pocket aces", False),
    ],
)
def test_before_the_flop_the_class_of_the_two_cards_counts(hole: str, hand: str, is_right: bool) -> None:
    assert grounded(hand, hole=hole, board="", repeat="").verdict == ("grounded" if is_right else "misread")


SPELLINGS = [
    ("JsTs", "", ["jack ten suited", "Jack-Ten of spades", "J10s", "jack high", "suited connectors JTs"]),
    ("QsQd", "", ["QQ (pocket queens)", "pair of queens", "Queens", "overpair"]),
    ("7h2c", "", ["a trash hand 72o", "7-2 offsuit", "at the BB with 72o", "seven deuce off"]),
    ("Td9d", "", ["suited connector at the BB, T9s", "10-9 suited", "ten nine suited"]),
    ("AsKd", FLOP, ["top pair top kicker", "kings", "top pair, backdoor flush draw", "pair of kings, no flush draw"]),
    ("AsKd", "7h7c2s", ["pair on the board", "ace high", "pair of sevens (board), AK high", "two overcards"]),
    ("8h7h", "Kh6h2c", ["flush draw", "four to a flush", "drawing to a flush", "straight and flush draw"]),
    ("8h7h", "Kh6h2c", ["flush possible", "one card from a flush", "high card + flush draw (9 outs)"]),
    ("8h7h", "Kh6h2c3s9d", ["missed flush draw", "busted flush", "missed straight draw, nothing"]),
    ("AsKd", "Ah7hKs", ["top two pair", "aces and kings", "two pair, aces and kings"]),
    ("9s9c", "Kh7d2c", ["pocket nines", "second pair", "underpair", "middle pair", "pair below top card", "99"]),
    ("QsJs", "Kh7d7cQd", ["two pair", "second pair and board pair", "pair of queens"]),
    ("As7s", "7h7c2s", ["trips", "three of a kind, sevens", "trip sevens"]),
    ("9h8h", "7h6h5h", ["straight-flush", "Straight flush"]),
    ("KdQd", "Ks9d4d", ["top pair + flush draw", "top pair and second nut flush draw"]),
]
WRONG = [
    (
        "AsKd",
        FLOP,
        ["two pair", "flush", "set of kings", "overpair", "middle pair", "pocket kings", "full house", "AA"],
    ),
    ("8h7h", "Kh6h2c", ["flush", "pair of sixes", "top pair", "straight"]),
    ("JsTs", "", ["JTo", "QJs", "JJ", "pocket jacks", "jack ten offsuit", "T9s"]),
    ("9s9c", "Kh7d2c", ["set", "top pair", "overpair", "two pair", "pair of kings", "pocket tens"]),
    ("AsAc", "Kh7d2c", ["pocket kings", "pair of kings", "set of aces"]),
]


@pytest.mark.parametrize(("hole", "board", "hand"), [(h, b, text) for h, b, texts in SPELLINGS for text in texts])
def test_what_a_model_that_sees_well_writes_is_no_misreading(hole: str, board: str, hand: str) -> None:
    assert grounded(hand, hole=hole, board=board, repeat="").verdict != "misread"


@pytest.mark.parametrize(("hole", "board", "hand"), [(h, b, text) for h, b, texts in WRONG for text in texts])
def test_what_a_model_that_sees_badly_writes_is_one(hole: str, board: str, hand: str) -> None:
    assert grounded(hand, hole=hole, board=board, repeat="").verdict == "misread"


@pytest.mark.parametrize("hand", ["", "strong", "a draw", "no pair yet", "flush draw", "my hand"])
def test_words_that_name_no_made_hand_show_nothing(hand: str) -> None:
    assert grounded(hand, hole="QhJh", board="7h2hKs", repeat="high card").verdict == "not shown"


def test_what_had_to_be_repeated_is_always_right() -> None:
    assert grounded("pair and the pair on the board", repeat="pair and the pair on the board").verdict == "grounded"


@given(st.text(max_size=90), st.text(max_size=90), st.sampled_from(["", FLOP, "7h2cKsKd", "7h2cKsQdQs"]))
def test_any_words_lead_to_a_verdict(hand: str, cards: str, board: str) -> None:
    found = grounded(hand, cards, hole="AsKc", board=board)

    assert found.verdict in ("grounded", "misread", "not shown")
    assert bool(found.problem) == (found.verdict == "misread")
