from html.parser import HTMLParser

from agent.console.felt import FeltSeat, FeltView, felt_html, side_pots
from agent.poker.cards import parse_cards

STRANGE = "<img src=x onerror=alert(1)>\"'&\n\u202eevil 🂡 ﷽"


class Outline(HTMLParser):
    """The tags and the texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.texts = list[str](), list[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_table_shows_who_sits_where_with_what() -> None:
    hole = parse_cards("AsKd")
    view = FeltView(
        seats=(
            FeltSeat(2, "You", 1_940, 60, cards=hole, to_act=True),
            FeltSeat(4, "Otter", 2_000, hidden=True, position="BTN"),
            FeltSeat(5, "Lynx", 0, folded=True, note="folds"),
            FeltSeat(1, "Kea", None, won_chips=240),
        ),
        board=parse_cards("7h2cKs"),
        pots=(90, 1_200),
        button_seat=4,
    )
    texts = Outline(felt_html(view)).texts

    assert [text for text in texts if text in ("A♠", "K♦", "7♥", "2♣", "K♠")] == ["7♥", "2♣", "K♠", "A♠", "K♦"]
    for text in ("1,940", "60", "to act", "BTN", "folds", "wins 240", "?", "Pot 90", "Side pot 1,200", "D"):
        assert text in texts
    assert felt_html(view).count("card back") == 2


def test_a_name_is_text_whatever_it_holds() -> None:
    plainly = FeltView((FeltSeat(0, "Otter", 1), FeltSeat(1, "Kea", 1)))
    page = felt_html(FeltView((FeltSeat(0, STRANGE, 1, note=STRANGE), FeltSeat(1, "Kea", 1))))

    assert Outline(page).tags == Outline(felt_html(plainly)).tags
    assert "<img" not in page
    assert "\u202e" not in page
    assert "<img src=x onerror=alert(1)>\"'&\\n\\u202eevil 🂡 ﷽" in Outline(page).texts


def test_side_pots_follow_the_all_ins_of_those_who_still_hold_cards() -> None:
    assert side_pots({0: 0, 1: 0}, {0, 1}) == ()
    assert side_pots({0: 60, 1: 60, 2: 20}, {0, 1}) == (140,)
    assert side_pots({0: 100, 1: 500, 2: 500, 3: 300}, {0, 1, 2}) == (400, 1_000)
    assert side_pots({0: 100, 1: 300, 2: 500}, {0, 1}) == (300, 600)
