import pytest

from agent.console.odds_question import ALL, BOARD, DEAD, Calculation, Question, merged, read
from agent.poker.equity import Effort
from agent.poker.players import equities


def answer(question: Question, rounds: int = 1) -> list[float]:
    calculation = Calculation(read(question))
    found = [calculation.improve() for _ in range(rounds)][-1]
    return [report.equity for report in found.reports]


def test_hands_ranges_board_dead_cards_and_opponents_go_to_the_engine() -> None:
    reading = read(Question(("As Kd", "QQ+"), board="7h 2c Ks", dead="Qh", opponents=1))

    assert reading.is_ready
    assert reading.labels == ("A♠ K♦", "QQ+", "any two cards")
    assert sum(answer(Question(("As Kd", "QQ+"), board="7h 2c Ks", dead="Qh", opponents=1))) == pytest.approx(1)
    assert answer(Question(("AsKd",), board="7h 2c Ks", opponents=1), 2)[0] == pytest.approx(0.896664, abs=0.003)


@pytest.mark.parametrize(
    ("question", "place", "problem"),
    [
        (Question(("AsKd", "AsQd")), "1", "A♠ lies twice: in hand 1 and in hand 2"),
        (Question(("AsKd", "QQ"), board="7h 2c As"), BOARD, "A♠ lies twice: in hand 1 and on the board"),
        (
            Question(("AsKd", "QQ"), board="7h 2c 3s", dead="7h"),
            DEAD,
            "7♥ lies twice: on the board and among the dead cards",
        ),
        (Question(("AsKd", "QQx")), "1", "'QQx' is no hand class"),
        (Question(("AsKdQh", "QQ")), "0", "has 3 cards: a hand has two"),
        (Question(("AsKd", "AA"), board="AhAdAc"), "1", "no holding of this range is left"),
        (Question(("AsKd", "QQ"), board="7x"), BOARD, "'7x' is no card"),
        (Question(("AsKd", "QQ"), board="2c3c4c5c6c7c"), BOARD, "at most five cards"),
        (Question(("AsKd",) + ("random",) * 4, opponents=5), ALL, "10 players: at most 9"),
        (Question(("AsKd", "QQ"), opponents=-1), ALL, "-1 opponents: 0 or more"),
    ],
)
def test_what_is_wrong_is_told_where_it_stands(question: Question, place: str, problem: str) -> None:
    reading = read(question)

    assert problem in reading.problems[place]
    assert not reading.is_ready


@pytest.mark.parametrize(
    ("question", "place", "hint"),
    [
        (Question(("", "QQ")), "0", "pick two cards"),
        (Question(("As", "QQ")), "0", "one more card"),
        (Question(("AsKd", "QQ"), board="7h"), BOARD, "a flop has three cards"),
        (Question(("AsKd",)), ALL, "add a hand or an opponent"),
    ],
)
def test_what_is_missing_is_no_fault(question: Question, place: str, hint: str) -> None:
    reading = read(question)

    assert hint in reading.hints[place]
    assert not reading.problems


def test_each_round_makes_the_answer_better_until_it_is_good_enough() -> None:
    calculation = Calculation(read(Question(("AsKd",), opponents=8)))
    first, second = calculation.improve(), calculation.improve()

    assert not first.is_final
    assert second.reports[0].trials == 105_000
    assert second.reports[0].stderr < first.reports[0].stderr / 3
    assert second.reports[0].ci_low < 0.1922 < second.reports[0].ci_high
    assert sum(second.ends_as.values()) == pytest.approx(1)


def test_what_can_be_enumerated_is_exact_at_once() -> None:
    found = Calculation(read(Question(("AsKd", "QhQs"), board="7h 2c Ks"))).improve()

    assert found.is_exact
    assert found.is_final


def test_two_samples_together_are_one_of_their_size() -> None:
    players = read(Question(("AsKd", "QQ", "random"))).players
    one, other = (equities(players, (), Effort(trials=2_000, seed=seed, method="monte-carlo"))[0] for seed in (1, 2))
    both = merged(one, other)

    assert both.trials == 4_000
    assert both.wins is not None
    assert both.win == pytest.approx(both.wins / both.trials)
    assert both.equity == pytest.approx((one.equity + other.equity) / 2)
    assert both.stderr == pytest.approx(one.stderr / 2**0.5, rel=0.02)
