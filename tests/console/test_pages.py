import itertools
import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from agent.console.pages import PAGES
from tests.console.conftest import LOOKS, PATIENCE_MS, Visit, end_console, keep_picture, start_console

expect.set_options(timeout=PATIENCE_MS)

IN_MENU = [page for page in PAGES if page.in_menu]
UNNAMED = """() => [...document.querySelectorAll("button, a, input, [role=button], [role=switch], [role=slider]")]
  .filter((e) => e.offsetParent && !e.ariaLabel && !e.innerText.trim() && !e.labels?.length && !e.title)
  .map((e) => e.outerHTML.slice(0, 200))"""


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("path", ["/odds", "/table"])
def test_each_page_loads_in_every_look(visit: Visit, path: str, look: str) -> None:
    page = visit(path, look)
    expect(page.locator(".console-content section").first).to_be_visible()
    keep_picture(page, f"{path.strip('/')}-{look}")

    expect(page.locator("body")).to_have_class(re.compile("body--dark" if look == "dark" else "body--light"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(UNNAMED) == []


def test_the_first_page_is_found_at_the_root_and_the_others_by_the_menu(visit: Visit) -> None:
    page = visit("/")
    for target in IN_MENU:
        page.get_by_role("link", name=target.title, exact=True).click()
        page.wait_for_url(f"**{target.path}")
        expect(page.get_by_role("heading", level=1)).to_have_text(target.title)
        expect(page.locator("nav [aria-current=page]")).to_have_text(re.compile(f"{target.title}$"))


def test_the_colours_are_switched_and_kept_by_the_browser(visit: Visit) -> None:
    page = visit("/odds", "dark")
    switch, body = page.get_by_role("button", name="Change colours"), page.locator("body")
    expect(body).to_have_class(re.compile("body--dark"))
    switch.click()
    expect(body).to_have_class(re.compile("body--light"))
    page.reload()
    expect(body).to_have_class(re.compile("body--light"))
    switch.click()
    expect(body).to_have_class(re.compile("body--dark"))
    switch.click()
    assert page.evaluate("document.documentElement.dataset.theme") == "auto"


def test_the_first_tab_skips_to_the_content(visit: Visit) -> None:
    page = visit("/odds")
    expect(page.locator(".card-grid")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator(".console-content")).to_be_focused()


def test_odds_by_clicking_cards_and_typing(visit: Visit) -> None:
    page = visit("/odds")
    for card in ("As", "Kd"):
        page.locator(f"[data-card={card}]").click()
    expect(page.get_by_label("Hand 1", exact=True)).to_have_value("AsKd")
    page.get_by_label("Board", exact=True).fill("7h 2c")
    expect(page.get_by_text("a flop has three cards")).to_be_visible()
    page.locator("[data-card=Ks]").click()
    expect(page.get_by_label("Board", exact=True)).to_have_value("7h2cKs")
    expect(page.locator(".odds-table tbody tr").first).to_have_text(re.compile(r"A♠ K♦89\.67 %exact"))
    expect(page.locator(".odds-status")).to_have_text("Exact: all 1,070,190 deals enumerated")
    keep_picture(page, "odds-answer")

    page.locator("[data-card=Ks]").click()
    expect(page.get_by_label("Board", exact=True)).to_have_value("7h2c")
    expect(page.locator(".odds-table")).to_have_count(0)


def test_a_card_that_lies_twice_is_told_where_it_stands(visit: Visit) -> None:
    page = visit("/odds")
    page.get_by_label("Hand 1", exact=True).fill("AsKd")
    page.get_by_label("Dead cards", exact=True).fill("As")
    fault = page.locator(".odds-field", has=page.get_by_label("Dead cards", exact=True)).locator(".q-field__messages")
    expect(fault).to_have_text("A♠ lies twice: in hand 1 and among the dead cards")
    expect(page.locator(".odds-table")).to_have_count(0)


def test_a_range_is_drawn_by_dragging_and_weighed(visit: Visit) -> None:
    page = visit("/odds")
    page.get_by_label("Hand 1", exact=True).fill("AsKs")
    page.get_by_role("button", name="Hand 2").click()
    page.get_by_role("switch", name="Paint a range").click()
    expect(page.get_by_text("Nothing is painted: any two cards")).to_be_visible()
    cells = [page.locator(f"[data-cell='{place}']").bounding_box() for place in (0, 14, 28)]
    middles = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in cells if box]
    page.mouse.move(*middles[0])
    page.mouse.down()
    for middle in middles[1:]:
        page.mouse.move(*middle, steps=8)
    page.mouse.up()
    text = page.get_by_label("Hand 2", exact=True)
    expect(text).to_have_value("QQ+")

    page.get_by_role("slider", name="Weight in percent").locator("[tabindex='0']").press("ArrowLeft")
    expect(page.locator(".weight-value")).to_have_text("95 %")
    page.locator("[data-cell='1']").click()
    expect(text).to_have_value("QQ+,AKs:0.95")
    page.locator("[data-cell='1']").press("ArrowRight")
    page.keyboard.press("Space")
    expect(text).to_have_value("QQ+,AQs+:0.95")
    expect(page.locator(".odds-table tbody tr").nth(1)).to_contain_text("QQ+")
    keep_picture(page, "odds-range")


def test_a_sample_goes_on_until_it_is_stopped_or_another_question_is_asked(visit: Visit) -> None:
    page = visit("/odds")
    page.get_by_label("Opponents with any two cards").fill("7")
    page.get_by_label("Hand 1", exact=True).fill("AsKd")
    status = page.locator(".odds-status")
    expect(status).to_have_text(re.compile("going on"))
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    expect(status).to_have_text(re.compile(", stopped$"))
    stopped = status.inner_text()
    page.wait_for_timeout(1_500)
    assert status.inner_text() == stopped

    page.get_by_label("Opponents with any two cards").fill("0")
    page.get_by_label("Hand 2", exact=True).fill("QhQs")
    expect(status).to_have_text(re.compile("Exact"))
    expect(page.locator(".odds-table tbody tr")).to_have_count(2)


def sit_down(page: Page, *, seed: int, players: int = 5) -> None:
    page.get_by_label("Seed of the cards").fill(str(seed))
    page.get_by_label("House players, 1 to 5").fill(str(players))
    page.get_by_role("button", name="Sit down").click()
    page.get_by_label("Pause after each step").click()
    page.get_by_role("option", name="none").click()
    deal = page.get_by_role("button", name="Deal the first hand")
    deal.click()
    expect(deal).to_be_hidden()
    wait_for_turn(page)


def wait_for_turn(page: Page) -> bool:
    """Wait for the person's turn, or the end of the hand: whether it is their turn."""
    page.wait_for_selector("[data-key=c]:enabled, [data-key=Enter]:visible, .table-rebuy:visible")
    return page.locator("[data-key=c]").is_enabled()


def lines(page: Page) -> int:
    return page.locator(".story-now p").count()


def play(page: Page, key: str) -> bool:
    """Press a key that acts, and wait for what comes of it."""
    before = lines(page)
    page.keyboard.press(key)
    expect(page.locator(".story-now p")).not_to_have_count(before)
    return wait_for_turn(page)


def test_a_whole_hand_by_keys(visit: Visit) -> None:
    page = visit("/table")
    sit_down(page, seed=12)
    expect(page.locator(".advice-said")).to_be_visible()
    expect(page.locator(".range-picture").first).to_be_visible()
    keep_picture(page, "table-turn")

    amount = page.get_by_role("spinbutton", name="Bet or raise to")
    low = int(amount.input_value())
    page.keyboard.press("ArrowUp")
    expect(amount).to_have_value(str(low + 20))
    expect(page.locator("[data-key=r]")).to_have_text(f"Raise to {low + 20}")
    is_turn = play(page, "r")
    assert f"You raise to {low + 20}." in page.locator(".story-now").inner_text()
    while is_turn:
        is_turn = play(page, "c")
    expect(page.locator(".felt-seat.winner")).to_be_visible()
    expect(page.locator(".table-result")).to_contain_text("1 hand, net")
    keep_picture(page, "table-over")

    page.keyboard.press("Enter")
    expect(page.locator(".table-earlier .q-expansion-item")).to_have_count(1)
    wait_for_turn(page)


def test_a_whole_hand_by_buttons_on_a_phone(visit: Visit) -> None:
    page = visit("/table", "phone")
    sit_down(page, seed=12, players=2)
    page.get_by_role("button", name="½ pot").click()
    half = page.locator("[data-key=r]").inner_text()
    page.get_by_role("button", name="Pot", exact=True).click()
    expect(page.locator("[data-key=r]")).not_to_have_text(half)
    page.get_by_role("button", name="All in").click()
    expect(page.locator("[data-key=r]")).to_have_text("Raise to 2,000 all in")
    before = lines(page)
    page.locator("[data-key=r]").click()
    expect(page.locator(".story-now p")).not_to_have_count(before)
    assert not wait_for_turn(page)
    assert "You raise to 2,000 all in." in page.locator(".story-now").inner_text()
    keep_picture(page, "table-phone-over")


def test_keys_belong_to_the_field_that_is_typed_in_and_fold_needs_a_bet(visit: Visit) -> None:
    page = visit("/table")
    sit_down(page, seed=5, players=1)
    amount = page.get_by_role("spinbutton", name="Bet or raise to")
    before = lines(page)
    amount.press("f")
    amount.press("c")
    amount.fill("1")
    expect(page.get_by_text(re.compile(r"^\d+ to 2,000$"))).to_be_visible()
    page.locator("[data-key=c]").focus()
    page.keyboard.press("r")
    page.wait_for_timeout(300)
    assert lines(page) == before

    for _ in range(20):
        if page.locator(".table-said", has_text="checking is free").is_visible():
            break
        if not play(page, "c"):
            page.keyboard.press("Enter")
            wait_for_turn(page)
    expect(page.get_by_text("Checking is free: there is nothing to fold to")).to_be_visible()
    expect(page.locator("[data-key=f]")).to_be_disabled()
    before = lines(page)
    page.keyboard.press("f")
    page.wait_for_timeout(300)
    assert lines(page) == before


def test_the_lamp_can_be_switched_off_and_a_reload_keeps_the_game(visit: Visit) -> None:
    page = visit("/table")
    sit_down(page, seed=3)
    expect(page.locator(".advice")).to_be_visible()
    page.get_by_role("switch", name="Lamp").click()
    expect(page.locator(".advice")).to_have_count(0)
    told = page.locator(".story-now").inner_text()
    page.reload()
    expect(page.locator(".story-now p").first).to_be_visible()
    assert page.locator(".story-now").inner_text() == told
    page.get_by_role("button", name="Leave the table").click()
    expect(page.get_by_role("button", name="Sit down")).to_be_visible()


def go_broke(page: Page) -> None:
    """Lose everything in the first hand: with this seed and one opponent, going all in does."""
    sit_down(page, seed=2, players=1)
    page.get_by_role("button", name="All in").click()
    page.keyboard.press("r")
    expect(page.locator(".table-said")).to_have_text("You have lost your chips: buy in again.")


# The browser sees only later that the buttons rest: until then all clicks reach the console, some of them in an unlucky moment.
PRESS_MANY_TIMES = """() => new Promise((done) => {
  let left = 40;
  const press = setInterval(() => {
    document.querySelector("[data-key=c]").click();
    if (!--left) { clearInterval(press); done(); }
  });
})"""


def test_pressing_many_times_never_leaves_a_turn_without_buttons(visit: Visit) -> None:
    page = visit("/table")
    sit_down(page, seed=7, players=1)
    for _ in range(12):
        page.evaluate(PRESS_MANY_TIMES)
        if not wait_for_turn(page):
            page.keyboard.press("Enter")
            wait_for_turn(page)


# In the browser, so that nothing is waited for between the two.
PRESS_TWICE = """() => new Promise((done) => {
  const press = () => document.querySelector("[data-key=c]").click();
  press();
  setTimeout(() => { press(); done(); }, 200);
})"""


def test_two_presses_play_one_turn_also_without_a_pause(visit: Visit) -> None:
    page = visit("/table")
    sit_down(page, seed=1, players=1)
    own = page.locator(".story-now p", has_text=re.compile("^You (check|call)"))
    for turn in range(3):
        page.evaluate(PRESS_TWICE)
        expect(own).to_have_count(turn + 1)
        assert wait_for_turn(page)
        page.wait_for_timeout(300)
        expect(own).to_have_count(turn + 1)


def test_enter_deals_on_after_the_mouse_has_played(visit: Visit) -> None:
    page = visit("/table")
    sit_down(page, seed=1, players=1)
    for key in itertools.chain("r", itertools.repeat("c")):
        page.locator(f"[data-key={key}]").click()
        expect(page.locator("[data-key=c]")).to_be_disabled()
        if not wait_for_turn(page):
            break
    told = page.locator(".story-now").inner_text()
    page.keyboard.press("Enter")
    expect(page.locator(".table-earlier .q-item").first).to_have_text(re.compile("1 hand before"))
    assert page.locator(".story-now").inner_text() != told


def test_a_second_page_of_a_game_goes_on_after_it_has_acted_too_late(visit: Visit) -> None:
    page = visit("/table")
    sit_down(page, seed=1, players=1)
    page.get_by_label("Pause after each step").click()
    page.get_by_role("option", name="long").click()
    with page.expect_popup() as opened:
        page.evaluate("window.open(location.href)")
    second = opened.value
    assert wait_for_turn(second)
    page.locator("[data-key=c]").click()
    expect(page.locator("[data-key=c]")).to_be_disabled()
    second.locator("[data-key=c]").click()
    expect(second.locator("[data-key=c]")).to_be_disabled()
    expect(second.locator("[data-key=c]")).to_be_enabled()
    expect(second.locator(".table-said")).to_contain_text("Your turn")
    expect(page.locator("[data-key=c]")).to_be_enabled()
    assert second.locator(".story-now").inner_text() == page.locator(".story-now").inner_text()


def test_the_keys_play_on_after_the_pause_is_chosen(visit: Visit) -> None:
    page = visit("/table")
    sit_down(page, seed=12)
    page.get_by_label("Pause after each step").click()
    page.get_by_role("option", name="short").click()
    expect(page.locator(".table-game")).to_be_focused()
    before = lines(page)
    page.keyboard.press("c")
    expect(page.locator(".story-now p")).not_to_have_count(before)


def test_a_rebuy_that_no_table_takes_is_told_and_another_one_goes_on(visit: Visit) -> None:
    page = visit("/table")
    go_broke(page)
    chips, again = page.get_by_label("Chips"), page.get_by_role("button", name="Buy in again")
    chips.fill("50")
    again.click()
    expect(page.locator(".table-said")).to_have_text("a buy-in of 50 chips: expected 1,000 to 5,000")
    chips.fill("1500")
    again.click()
    expect(page.get_by_role("button", name="Next hand")).to_be_visible()


def test_with_a_password_the_console_begins_with_the_login(browser: Browser, tmp_path: Path) -> None:
    program, url = start_console(tmp_path, CONSOLE_PASSWORD="correct horse")
    try:
        page = browser.new_page()
        page.goto(f"{url}/table")
        page.get_by_label("Password of this console").fill("wrong guess")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_have_text("That is not the password.")
        keep_picture(page, "login")
        page.get_by_label("Password of this console").fill("correct horse")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
        page.goto(f"{url}/odds")
        expect(page.locator(".card-grid")).to_be_visible()
        code, told = end_console(program)
        assert (code, "Traceback" in told, "correct horse" in told) == (0, False, False)
        page.close()
    finally:
        if program.poll() is None:
            program.send_signal(signal.SIGKILL)
