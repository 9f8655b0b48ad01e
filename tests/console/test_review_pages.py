"""The pages over the journal in a browser: a demo's hands, many old ones, and one of which every text is a stranger's."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.console.conftest import LOOKS, PATIENCE_MS, Visit, end_console, keep_picture, start_console
from tests.console.journals import OLD, SHOWN, STRANGE, everything, flop_hand, run_of, write

expect.set_options(timeout=PATIENCE_MS)

PAGES = {
    "overview": "/overview",
    "hands": "/hands",
    "decisions": "/decisions",
    "models": "/models",
}
CUT_OFF = """() => innerWidth < 1000 ? [] : [...document.querySelectorAll(".wide")]
  .filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.innerText.slice(0, 200))"""
"""The tables that are wider than their place, where the window is none of a phone."""
POLLS_MS = 4_000
"""More than a poll of the overview."""


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return everything(tmp_path_factory.getbasetemp(), tmp_path_factory.mktemp("review"))


@pytest.fixture(scope="module")
def console_url(journal: Path) -> Iterator[str]:
    program, url = start_console(journal.parent)
    yield url
    code, told = end_console(program)
    assert code == 0
    assert "Traceback" not in told


def rows(page: Page) -> Locator:
    """The rows of a list, without those that name a run."""
    return page.locator(".records tbody tr:not(:has(.across))")


def fits(page: Page) -> bool:
    fitting: bool = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return fitting


@pytest.mark.parametrize("look", LOOKS)
def test_hands_lead_to_the_replay_and_on_to_the_decision_in_three_clicks(visit: Visit, look: str) -> None:
    page = visit("/", look)
    page.get_by_role("link", name="Hands", exact=True).click()
    hands = page.locator("tr", has_text="call 20, fold (llm)")
    hands.get_by_role("link", name="#7", exact=True).click()
    expect(page.locator(".felt")).to_be_visible()
    assert fits(page)
    page.get_by_role("link", name="preflop: fold (llm)").click()
    why = page.locator(".decision-why")
    expect(why).to_contain_text("the model (llm): the model chose")
    expect(why).to_contain_text("stand-in: no language model")
    expect(why).to_contain_text("from its threshold")
    assert fits(page)
    keep_picture(page, f"decision-{look}")
    page.get_by_role("link", name="Hand 7, replayed").click()
    expect(page.get_by_role("heading", name="Hand 7 of Heron")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator(".replay-said")).to_contain_text("Our net: -20.")
    keep_picture(page, f"replay-{look}")


@pytest.mark.parametrize("look", LOOKS)
def test_each_page_shows_what_is_in_the_journal_and_names_are_text(visit: Visit, console_url: str, look: str) -> None:
    page = visit("/", look)
    for name, path in PAGES.items():
        page.goto(console_url + path)
        expect(page.locator(".records").first).to_be_visible()
        expect(page.locator(".answered")).to_contain_text(SHOWN)
        assert page.locator("#app img, #app b").count() == 0
        assert fits(page)
        assert page.evaluate(CUT_OFF) == []
        keep_picture(page, f"{name}-with-hands-{look}")


def test_a_hand_is_replayed_by_keys_by_buttons_and_by_its_story(visit: Visit) -> None:
    page = visit("/hands")
    page.locator("tr", has_text="call 20, fold (llm)").get_by_role("link", name="#7").press("Enter")
    said, place = page.locator(".replay-said"), page.locator(".replay-place")
    expect(said).to_have_text("Blinds 10/20. Heron holds A♦ T♣.")
    for words in ("Lynx folds.", "Badger folds.", "Otter folds.", "Heron is to act: 20 to call, pot 30."):
        page.keyboard.press("ArrowRight")
        expect(said).to_have_text(words)
    expect(page.locator(".felt-seat.to-act")).to_contain_text("Heron")
    expect(page.locator(".replay-why")).to_contain_text("Equity, any hands44.3%")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".felt-bet").first).to_have_text("20")
    page.keyboard.press("ArrowLeft")
    expect(place).to_have_text("5 of 21, preflop")
    page.keyboard.press("End")
    expect(said).to_have_text("Stoat wins 3,940 with One Pair. Our net: -20.")
    expect(page.locator(".felt-seat.winner")).to_contain_text("wins 3,940")
    expect(page.locator(".felt-board .card:not(.none)")).to_have_count(5)
    page.keyboard.press("Home")
    expect(said).to_have_text("Blinds 10/20. Heron holds A♦ T♣.")
    page.get_by_role("button", name="Step forward").click()
    expect(said).to_have_text("Lynx folds.")
    page.get_by_role("button", name="Heron folds.").click()
    expect(page.locator(".replay-why .range-picture")).to_have_count(2)
    page.wait_for_url(re.compile(r"step=9"))
    page.reload()
    expect(said).to_have_text("Heron folds.")
    expect(page.locator(".story-lines [aria-current=step]")).to_have_text("Heron folds.")


def test_each_step_shows_what_the_acts_so_far_tell(visit: Visit) -> None:
    page = visit("/hands")
    page.locator("tr", has_text="call 20, fold (llm)").get_by_role("link", name="#7").press("Enter")
    said, read = page.locator(".replay-said"), page.locator(".replay-read")
    expect(read).to_contain_text(re.compile(r"Our equity\d\d\.\d% against the ranges read, exact"))
    expect(read.locator(".range-picture")).to_have_count(5)
    page.get_by_role("button", name="Marten calls 10.").click()
    expect(read).to_contain_text(re.compile(r"against the ranges read, 95 % interval \d\d\.\d% to \d\d\.\d%"))
    expect(read).to_contain_text("Read with all that the journal knows of them today: Marten 12 hands, Stoat 12 hands.")
    expect(read.locator("figcaption").first).to_contain_text("Marten (SB)about")
    page.get_by_role("button", name="Heron is to act: 1,509 to call").click()
    expect(page.locator(".replay-why")).to_contain_text("As the bot recorded it")
    expect(page.locator(".replay-why .range-picture")).to_have_count(2)
    expect(read).to_contain_text("The bot read them itself at this turn, as it knew them then: see above.")
    expect(read.locator(".range-picture")).to_have_count(0)
    page.get_by_role("button", name="Stoat checks.").click()
    expect(read).to_contain_text("We have folded, so we have no equity.")
    expect(read.locator(".range-picture")).to_have_count(2)
    page.keyboard.press("End")
    expect(said).to_contain_text("Our net: -20.")
    expect(read.locator("figcaption").first).to_contain_text("Marten (SB), shows 5♣ A♠")


@pytest.mark.parametrize("look", LOOKS)
def test_a_key_that_is_held_ends_at_the_reading_of_its_step(visit: Visit, look: str) -> None:
    page = visit("/hands", look)
    page.locator("tr", has_text="call 1,763, check, call 217").get_by_role("link", name="#1").press("Enter")
    place, found = page.locator(".replay-place"), page.locator(".replay-read-found:not([aria-busy])")
    expect(found).to_contain_text("Our equity")
    last = int(re.findall(r"of (\d+)", place.inner_text())[0])
    for _ in range(last):
        page.keyboard.press("ArrowRight", delay=0)
    expect(place).to_contain_text(f"{last} of {last}")
    expect(found).to_contain_text("against the cards shown, exact")
    ended = found.inner_text()
    keep_picture(page, f"replay-read-{look}")
    page.keyboard.press("Home")
    expect(found).to_contain_text("against the ranges read, exact")
    page.keyboard.press("End")
    expect(found).to_have_text(ended, use_inner_text=True)
    assert fits(page)


def test_who_leaves_while_a_step_is_read_leaves_no_error(visit: Visit) -> None:
    page = visit("/hands")
    for _ in range(3):
        rows(page).nth(1).get_by_role("link").first.press("Enter")
        page.locator(".felt").wait_for()
        page.keyboard.press("ArrowRight")
        page.goto(page.url.partition("/hands/")[0] + "/hands")


def test_filters_narrow_the_list_and_are_kept_in_the_address(visit: Visit) -> None:
    page = visit("/hands?opponent=Otter")
    expect(rows(page)).to_have_count(12)
    expect(page.get_by_label("Opponent")).to_have_value("Otter")
    page.get_by_label("Pot of at least, bb").fill("190")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("min_pot_bb=190"))
    expect(rows(page).first).to_contain_text("#11")
    fewer = rows(page).count()
    assert 1 <= fewer < 12
    page.get_by_label("Street").click()
    page.get_by_role("option", name="river").click()
    page.wait_for_url(re.compile("street=river"))
    page.reload()
    expect(rows(page).first).to_contain_text("#11")
    assert rows(page).count() <= fewer
    page.get_by_label("Opponent").fill("nobody at all")
    page.get_by_label("Opponent").press("Tab")
    expect(page.get_by_text("No hand matches these filters.")).to_be_visible()
    page.get_by_role("button", name="Clear").filter(has_text="Clear").click()
    expect(rows(page)).to_have_count(50)
    assert page.url.endswith("/hands")


def test_a_search_finds_cards_and_words_of_replies(visit: Visit) -> None:
    page = visit("/decisions")
    search = page.get_by_label("Search")
    search.fill("AdTc stand-in")
    search.press("Enter")
    expect(rows(page)).to_have_count(2)
    search.fill('"onerror')
    search.press("Enter")
    expect(rows(page)).to_have_count(1)
    expect(rows(page)).to_contain_text("repaired")


def test_a_hand_is_found_by_its_number(visit: Visit) -> None:
    page = visit("/decisions")
    expect(rows(page).first).to_be_visible()
    page.get_by_text("More filters").click()
    page.get_by_label("Hand", exact=True).fill("#2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("There is no hand #2 in the latest run")
    page.get_by_label("Hand", exact=True).fill("#1")
    page.keyboard.press("Enter")
    expect(rows(page)).to_have_count(1)


def test_a_long_list_goes_on_page_after_page(visit: Visit) -> None:
    page = visit("/hands")
    expect(rows(page)).to_have_count(50)
    page.get_by_role("link", name="Older").click()
    page.wait_for_url(re.compile("before="))
    expect(rows(page)).to_have_count(1 + 12 + 60 - 50)
    expect(rows(page).last).to_contain_text("#1")
    expect(page.get_by_role("link", name="Older")).to_have_count(0)
    page.get_by_role("link", name="Newest").click()
    expect(rows(page)).to_have_count(50)


def test_what_strangers_wrote_is_only_read(visit: Visit) -> None:
    page = visit("/hands")
    rows(page).first.get_by_role("link", name="#1", exact=True).click()
    expect(page.locator(".felt-name").nth(1)).to_have_text(SHOWN)
    page.keyboard.press("End")
    expect(page.locator(".replay-said")).to_contain_text(f"Heron wins 250 with {SHOWN}.")
    page.get_by_role("link", name="flop: call (repaired)").click()
    expect(page.locator(".decision-reply pre")).to_contain_text(
        "<img src=x onerror=alert(1)>\"'&\n\\u202eevil\\u202c 🂡 אב"
    )
    expect(page.get_by_text(f"did not get out: {SHOWN}")).to_be_visible()
    expect(page.locator(".decision-reply")).to_contain_text("✗ wrong")
    assert page.locator("#app img, #app b").count() == 0
    assert page.locator("pre").first.evaluate("e => getComputedStyle(e).unicodeBidi") == "plaintext"
    keep_picture(page, "decision-of-a-stranger")


def test_texts_are_copied_as_they_are(visit: Visit) -> None:
    page = visit("/decisions?errors=yes")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    rows(page).first.get_by_role("link").click()

    def copied(button: str) -> str:
        page.evaluate("navigator.clipboard.writeText('')")
        page.get_by_role("button", name=button).click()
        page.wait_for_function("async () => await navigator.clipboard.readText() !== ''")
        text: str = page.evaluate("navigator.clipboard.readText()")
        return text

    assert copied("Copy reply").endswith(STRANGE)
    assert copied("Copy prompt") == f"[system]\n{STRANGE}\n\n[user]\n{STRANGE}"
    assert '"source": "repaired"' in copied("Copy as JSON")
    expect(page.get_by_text("Copied.").first).to_be_visible()


def test_decisions_are_leafed_through(visit: Visit) -> None:
    page = visit("/decisions")
    rows(page).nth(1).get_by_role("link").press("Enter")
    page.wait_for_url(re.compile("/decisions/"))
    address = page.url
    page.get_by_role("link", name="Decision after").click()
    expect(page.get_by_role("link", name="Decision after")).to_have_count(0)
    page.get_by_role("link", name="Decision before").click()
    page.wait_for_url(address)


def test_the_overview_follows_the_journal_while_somebody_sees_it(visit: Visit, journal: Path) -> None:
    page = visit("/overview")
    latest = page.locator(".overview-hands")
    expect(latest).to_contain_text(SHOWN)
    page.evaluate("""() => {
      window.drawn = 0;
      new MutationObserver((changes) => window.drawn += changes.length)
        .observe(document.querySelector(".answered"), { subtree: true, childList: true, characterData: true, attributes: true });
    }""")
    page.wait_for_timeout(POLLS_MS)
    assert page.evaluate("window.drawn") == 0

    see = "(hidden) => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(see, True)
    page.wait_for_timeout(500)
    write(journal, run_of("Newcomer"), [flop_hand("new", datetime.now(UTC))], frames=[{"type": "connected"}])
    page.wait_for_timeout(POLLS_MS)
    assert page.evaluate("window.drawn") == 0
    page.evaluate(see, False)
    expect(latest).to_contain_text("Newcomer")
    expect(page.locator(".overview-now")).to_contain_text(f"no frame since {OLD:%Y-%m-%d}")


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/decisions?min_pot_bb=1e999", "'1e999' is no pot in big blinds"),
        ("/hands?min_pot_bb=abc", "'abc' is no pot in big blinds"),
        ("/models?min_pot_bb=-5", "'-5' is no pot in big blinds"),
        ("/decisions?min_pot=3", "There is no filter 'min_pot'"),
        ("/decisions?errors=banana", "'banana' is neither yes nor no"),
        ("/overview?scope=zzz", "'zzz' is no choice of hands: there are all, run, 24h, 7d"),
        ("/hands/x?run=nope", "There is no hand 'x' in the run 'nope'"),
    ],
)
def test_an_address_that_asks_for_nonsense_is_told(visit: Visit, path: str, told: str) -> None:
    page = visit(path)
    expect(page.get_by_role("alert").filter(has_text=told)).to_be_visible()


def test_a_filter_that_is_none_stands_in_its_field_until_it_is_mended(visit: Visit) -> None:
    page = visit("/hands?min_pot_bb=abc")
    pot = page.get_by_label("Pot of at least, bb")
    expect(pot).to_have_value("abc")
    pot.fill("1")
    pot.press("Enter")
    expect(rows(page)).to_have_count(50)
    assert page.url.endswith("/hands?min_pot_bb=1")


def test_a_long_name_fits_a_phone(visit: Visit, journal: Path) -> None:
    bot = run_of("W" * 90, datetime.now(UTC))
    write(journal, bot, [flop_hand("long")])
    page = visit(f"/hands/long?run={bot.id}", "phone")
    expect(page.get_by_role("heading", level=2).first).to_contain_text("Hand 1 of WWW")
    assert fits(page)


def test_a_hand_of_which_a_part_was_not_seen_has_no_figures(visit: Visit, journal: Path) -> None:
    bot = run_of("Half", OLD)
    write(journal, bot, [flop_hand("half", OLD, complete=False)])
    page = visit(f"/hands/half?run={bot.id}")
    expect(page.locator(".replay-read")).to_contain_text("A part of this hand was not seen")
    page.keyboard.press("End")
    expect(page.locator(".replay-said")).to_contain_text("Heron wins 250")
    expect(page.locator(".replay-read")).to_contain_text("A part of this hand was not seen")
    expect(page.locator(".replay-read .range-picture")).to_have_count(0)
