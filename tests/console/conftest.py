"""The real program, and the system's Chromium in front of it.

A browser ends with the module that uses it: Playwright's loop runs until then, and another cannot run beside it in the thread.
Modules with browser tests hold no asynchronous ones.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.test_cli import PROGRAM, environment

OUTPUT = Path(__file__).parents[1] / "output"
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 900}},
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}, "has_touch": True},
}
PATIENCE_MS = 15_000
# Whoever leaves a page while it still loads breaks nothing.
ABORTED, LEFT_EARLY = "net::ERR_ABORTED", "WebSocket is closed before the connection is established"

Visit = Callable[..., Page]


def start_console(folder: Path, *arguments: str, **environ: str) -> tuple[subprocess.Popen[str], str]:
    """The program, and the address that it tells."""
    program = subprocess.Popen(
        [*PROGRAM, "console", "--port", "0", "--no-open", *arguments],
        cwd=folder,
        env=environment(folder, **environ),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stderr is not None
    told = list[str]()
    for line in program.stderr:
        told.append(line)
        if found := re.search(r"Console: (http://\S+)", line):
            return program, found[1]
    program.communicate(timeout=30)
    raise AssertionError(f"the console ended before it told its address: {''.join(told)}")


def end_console(program: subprocess.Popen[str]) -> tuple[int, str]:
    """Press Ctrl-C: the exit code, and what else was written to stderr."""
    program.send_signal(signal.SIGINT)
    _, told = program.communicate(timeout=30)
    return program.returncode, told


@pytest.fixture(scope="module")
def console_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program, url = start_console(tmp_path_factory.mktemp("console"))
    yield url
    code, told = end_console(program)
    assert code == 0
    assert "Traceback" not in told


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        message = "no Chromium is installed: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser, console_url: str) -> Iterator[Visit]:
    """Open a page of the console; at the end nothing may have gone wrong in it, nor been asked of another host."""
    wrong, contexts = list[str](), []

    def note(is_wrong: bool, what: str) -> None:
        if is_wrong and LEFT_EARLY not in what:
            wrong.append(what)

    def open_page(path: str, look: str = "light") -> Page:
        context = browser.new_context(**LOOKS[look])
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda said: note(said.type != "log", f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: note(True, f"page error: {error}"))
        page.on("requestfailed", lambda request: note(request.failure != ABORTED, f"failed: {request.url}"))
        page.on("request", lambda request: note(_is_outside(request.url), f"asked outside: {request.url}"))
        page.goto(console_url + path)
        return page

    def _is_outside(url: str) -> bool:
        here = console_url.removeprefix("http")
        return not url.startswith((f"http{here}/", f"ws{here}/", "data:", "blob:"))

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def keep_picture(page: Page, name: str) -> None:
    """A screenshot for whoever wants to see what the tests saw."""
    OUTPUT.mkdir(exist_ok=True)
    page.screenshot(path=OUTPUT / f"{name}.png", full_page=True)
