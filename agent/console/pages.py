"""The pages of the console, in the order of its menu."""

from typing import Final

from agent.console import odds_page, table_page
from agent.console.page import Page

PAGES: Final[tuple[Page, ...]] = (odds_page.PAGE, table_page.PAGE)
