"""One decision as a page: whole, by itself, and with nobody's text as markup."""

from dataclasses import replace
from html.parser import HTMLParser

from agent.export.html import page
from agent.journal.reader import DecisionStory
from tests.journal.samples import SYSTEM, decision
from tests.journal.test_terminal_decision import POLICY
from tests.journal.test_terminal_logs import HOSTILE, hostile_story, story

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;</pre></style>"


class Read(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags = list[tuple[str, dict[str, str | None]]]()
        self.open = list[str]()
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def test_the_page_tells_the_whole_decision() -> None:
    told = page(story(decision=replace(decision(), policy=POLICY, names={"2": "Otter"})))
    read = Read(told)
    assert read.open == []
    for words in (
        "A♠ K♦ on the flop: raise to 1,120",
        "the model's choice is legal",
        "top pair",
        "73.1% ± 0.6% standard error, 5,000 trials",
        "▶ chosen",
        SYSTEM,
        '{"id": "raise_75", "why": "top pair"}',
        "worth +120 chips against folding",
        "seat 2 (BB, Otter)",
        "accepted by the server",
        "Heron wins 190 (Two Pair)",
    ):
        assert words in read.words, words


def test_a_range_is_drawn_as_a_grid_of_all_hands() -> None:
    read = Read(page(story(decision=replace(decision(), policy=POLICY))))
    cells = [attributes for tag, attributes in read.tags if tag == "td" and "title" in attributes]
    assert len(cells) == 2 * 169
    assert cells[0] == {"style": "--weight: 100%", "title": "AA: 9 of 9"}
    assert cells[2] == {"style": "--weight: 0%", "title": "AQs: 0 of 9"}


def test_the_page_needs_and_asks_for_nothing_outside() -> None:
    told = page(story())
    read = Read(told)
    assert not [
        tag for tag, _ in read.tags if tag in ("script", "link", "img", "iframe", "a", "form", "object", "base")
    ]
    assert not [
        name for _, attributes in read.tags for name in attributes if name in ("src", "href") or name.startswith("on")
    ]
    assert "url(" not in told
    assert "@import" not in told
    assert (
        "meta",
        {"http-equiv": "Content-Security-Policy", "content": "default-src 'none'; style-src 'unsafe-inline'"},
    ) in read.tags


def test_the_page_has_a_light_and_a_dark_side_and_fits_a_phone() -> None:
    told = page(story())
    assert '<meta name="color-scheme" content="light dark">' in told
    assert "prefers-color-scheme: dark" in told
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in told


def marked_up(told: DecisionStory) -> DecisionStory:
    """The same story with markup in every text of the hostile one."""

    def changed(value: object) -> object:
        if isinstance(value, str):
            return MARKUP if value == HOSTILE else value
        if isinstance(value, dict):
            return {changed(key): changed(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(changed, value))
        fields = getattr(value, "__dataclass_fields__", None)
        return replace(value, **{name: changed(getattr(value, name)) for name in fields}) if fields else value  # type: ignore[type-var]

    found = changed(told)
    assert isinstance(found, DecisionStory)
    return found


def test_markup_in_any_text_is_text() -> None:
    plain_tags = [tag for tag, _ in Read(page(hostile_story())).tags]
    read = Read(page(marked_up(hostile_story())))
    assert [tag for tag, _ in read.tags] == plain_tags
    assert "script" not in plain_tags
    assert read.words.count("<script>alert(1)</script>") >= 20


def test_text_that_works_unseen_is_spelled_out() -> None:
    told = page(hostile_story())
    assert not set(told) & set("\x1b\x07\r\b\u202e\u2066\u200b\U000e0041\ud83d")
    assert "\\u202e" in told
    assert "שלום" in told
    told.encode()


def test_what_is_missing_is_said() -> None:
    read = Read(
        page(story(decision=replace(decision(attempts=(), facts={}), policy=None), sends=(), outcomes=(), hand=None))
    )
    for words in (
        "No model was asked.",
        "Nothing is known.",
        "Nothing was sent.",
        "How the hand ended is not in the journal.",
        "The policy was not asked, or had nothing to say.",
    ):
        assert words in read.words
