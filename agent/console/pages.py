"""The pages of the console, in the order of its menu."""

from typing import Final

from agent.console import (
    decision_page,
    decisions_page,
    hands_page,
    models_page,
    odds_page,
    overview_page,
    replay_page,
    table_page,
)
from agent.console.journal_access import JournalAccess
from agent.console.page import Page
from agent.settings import Settings

_JOURNAL: Final = JournalAccess(lambda: Settings.load().journal_path)

PAGES: Final[tuple[Page, ...]] = (
    *(of.page(_JOURNAL) for of in (overview_page, hands_page, replay_page, decisions_page, decision_page, models_page)),
    odds_page.PAGE,
    table_page.PAGE,
)
