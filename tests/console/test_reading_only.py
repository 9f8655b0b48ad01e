"""Whoever looks at pages changes nothing: the journal holds what it held, and no model is asked."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect

from agent.console.pages import PAGES
from agent.llm.stand_in import StandIn
from tests.console.conftest import PATIENCE_MS, Visit, end_console, start_console
from tests.console.journals import everything
from tests.model_server import environment, model_server

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return everything(tmp_path_factory.getbasetemp(), tmp_path_factory.mktemp("only"))


@pytest.fixture(scope="module")
def model() -> Iterator[StandIn]:
    with model_server() as server:
        yield server


@pytest.fixture(scope="module")
def console_url(journal: Path, model: StandIn) -> Iterator[str]:
    """A console whose settings name a model, as those of a bot that plays do."""
    program, url = start_console(journal.parent, **environment(model, journal.parent, JOURNAL_PATH=str(journal)))
    yield url
    assert end_console(program)[0] == 0


def held(journal: Path) -> list[str]:
    """All that a journal holds."""
    with closing(sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True)) as connection:
        return list(connection.iterdump())


def test_no_page_writes_to_the_journal_or_calls_a_model(
    visit: Visit, console_url: str, journal: Path, model: StandIn
) -> None:
    before, page = held(journal), visit("/")
    for path in (target.path for target in PAGES if target.in_menu):
        page.goto(console_url + path)
        expect(page.locator(".console-content :is(.records, section)").first).to_be_visible()

    page.goto(f"{console_url}/hands?search=fold")
    page.get_by_role("link", name="#7", exact=True).click()
    page.get_by_role("button", name="Last step").click()
    expect(page.locator(".replay-read-found")).to_contain_text("We have folded")
    page.get_by_role("link", name="preflop: fold (llm)").click()
    expect(page.locator(".decision-why")).to_be_visible()

    page.goto(f"{console_url}/table")
    page.get_by_role("button", name="Sit down").click()
    page.get_by_role("button", name="Deal the first hand").click()
    expect(page.locator(".story-now p").first).to_be_visible()

    assert held(journal) == before
    assert model.requests == 0
