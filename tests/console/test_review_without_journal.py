"""The pages where there is nothing to read: no journal, an old one, a locked one, an empty one."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from agent.journal.migrations import MIGRATIONS
from agent.journal.schema import migrate, open_for_writing
from tests.console.conftest import PATIENCE_MS, Visit, end_console, keep_picture, start_console

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nothing")


@pytest.fixture(scope="module")
def console_url(folder: Path) -> Iterator[str]:
    program, url = start_console(folder)
    yield url
    code, told = end_console(program)
    assert code == 0
    assert "Traceback" not in told


@pytest.fixture
def journal(folder: Path) -> Iterator[Path]:
    """Where the console looks; nothing is there, and nothing is left."""
    yield folder / "journal.sqlite3"
    for file in folder.glob("journal.sqlite3*"):
        file.unlink()


def test_without_a_journal_each_page_says_what_to_do(visit: Visit, console_url: str, journal: Path) -> None:
    page = visit("/")
    for path in ("/overview", "/hands", "/hands/x", "/decisions", "/decisions/x", "/models"):
        page.goto(console_url + path)
        expect(page.get_by_role("alert")).to_contain_text("`poker-agent demo` makes one")
    keep_picture(page, "no-journal")
    open_for_writing(journal).close()
    page.goto(f"{console_url}/overview")
    expect(page.locator(".overview-now")).to_contain_text("it has never spoken to a venue")
    expect(page.locator(".overview-net")).to_contain_text("No hands yet.")
    page.goto(f"{console_url}/hands")
    expect(page.get_by_text("No hands yet. `poker-agent demo` makes some.")).to_be_visible()
    page.goto(f"{console_url}/hands/x")
    expect(page.get_by_role("alert")).to_contain_text("No hands yet.")


def test_an_older_journal_is_told_and_read_once_it_is_brought_up_to_date(visit: Visit, journal: Path) -> None:
    connection = sqlite3.connect(journal, isolation_level=None)
    migrate(connection, MIGRATIONS[:2])
    connection.close()
    page = visit("/hands")
    expect(page.get_by_role("alert")).to_contain_text("has journal version 2")
    expect(page.get_by_role("alert")).to_contain_text("starting the agent with it once brings it up to date")
    open_for_writing(journal).close()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("No hands yet. `poker-agent demo` makes some.")).to_be_visible()


def test_what_is_no_journal_is_told(visit: Visit, journal: Path) -> None:
    journal.write_text("This is no database, however long it is. " * 100)
    page = visit("/overview")
    expect(page.get_by_role("alert")).to_contain_text("not a database")


def test_a_locked_journal_is_read_when_it_is_free_again(visit: Visit, journal: Path) -> None:
    open_for_writing(journal).close()
    connection = sqlite3.connect(journal, isolation_level=None)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("BEGIN EXCLUSIVE")
    page = visit("/hands")
    expect(page.get_by_role("alert")).to_contain_text("Another program holds the file")
    connection.close()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("No hands yet. `poker-agent demo` makes some.")).to_be_visible()


def test_the_overview_says_that_it_is_old_while_the_journal_is_gone_or_broken(visit: Visit, journal: Path) -> None:
    open_for_writing(journal).close()
    page = visit("/overview")
    now, alert = page.locator(".overview-now"), page.get_by_role("alert")
    expect(now).to_be_visible()
    expect(alert).to_be_hidden()
    kept = journal.with_name("kept")
    journal.rename(kept)
    expect(alert).to_contain_text("This is what was last read.")
    expect(alert).to_contain_text("`poker-agent demo` makes one")
    expect(now).to_be_visible()
    journal.write_text("This is no database, however long it is. " * 100)
    expect(alert).to_contain_text("not a database")
    kept.replace(journal)
    expect(alert).to_be_hidden()
    expect(now).to_be_visible()
