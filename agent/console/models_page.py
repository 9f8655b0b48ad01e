"""The page that compares prompt sets and models: what they won, how often they differ, fail, how long they take, what they cost."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nicegui import ui
from starlette.requests import Request

from agent.console import addresses, figures, showing
from agent.console.cells import Cell, Heading, Row, number_cell
from agent.console.charts import interval_bar
from agent.console.filter_form import FilterForm
from agent.console.filter_query import asked_in, filter_from
from agent.console.journal_access import ConsoleReader, JournalAccess
from agent.console.markup import markup
from agent.console.page import Page
from agent.console.records_table import RecordsTable
from agent.console.review_page import Answered, begin
from agent.journal.filters import Filter
from agent.journal.stories import JournalStatistics, ModelUse, Winnings
from agent.terminal.text import name_text

_PATH: Final = "/models"
_ALL: Final = "all prompt sets"
_NOTE: Final = (
    "Rows whose intervals overlap have not shown that one is better. All-ins by equity are the fairer figure."
)
_USE_HEADINGS: Final = (
    Heading("Model"),
    Heading("Prompt set"),
    Heading("Asked", number=True),
    Heading("Not as the rule", number=True),
    Heading("Not as the policy", number=True),
    Heading("Failures"),
    Heading("Half took", number=True),
    Heading("95 % took", number=True),
    Heading("Tokens in", number=True, spare=True),
    Heading("Tokens out", number=True, spare=True),
    Heading("Cost", number=True),
)


@dataclass(frozen=True, slots=True)
class Contender:
    """A model with a prompt set, or with all of them: what its hands came to, and what it did."""

    model: str
    prompt: str
    won: Winnings | None
    use: ModelUse


def page(access: JournalAccess) -> Page:
    """The page of this journal."""

    async def build(request: Request) -> None:
        if not await begin():
            return
        showing.text(_NOTE, "p", "dim")

        async def changed(asked: Mapping[str, str]) -> None:
            ui.navigate.history.replace(addresses.url(_PATH, **asked))
            await show(asked)

        async def show(asked: Mapping[str, str]) -> None:
            await answered.show(lambda reader: read_statistics(reader, filter_from(asked)), _draw)

        asked = asked_in(request.query_params)
        FilterForm(asked, changed)
        answered = Answered(access)
        await show(asked)

    return Page(_PATH, "Models", "compare", build)


def read_statistics(reader: ConsoleReader, where: Filter) -> dict[str, JournalStatistics]:
    """The figures of all prompt sets, and those of each where there are several."""
    where = reader.meant(where)
    total = reader.statistics(where)
    prompts = [] if where.prompt is not None else list(total.prompts)
    each = {prompt: reader.statistics(replace(where, prompt=prompt)) for prompt in prompts}
    return each if len(each) == 1 else {where.prompt or _ALL: total, **each}


def contenders(found: Mapping[str, JournalStatistics]) -> list[Contender]:
    """Each model with each prompt set, the most asked model first, and with all of them where it had several."""
    by_model = defaultdict[str, list[Contender]](list)
    for prompt, statistics in found.items():
        for use in statistics.models:
            by_model[use.model].append(Contender(use.model, prompt, statistics.by_model.get(use.model), use))
    return [rival for rivals in by_model.values() for rival in (rivals if len(rivals) > 2 else rivals[-1:])]


def _draw(found: Mapping[str, JournalStatistics]) -> None:
    rivals = contenders(found)
    if not rivals:
        showing.text("No model was asked in these hands.", "p", "nothing").props("role=status")
    else:
        with showing.section("What they won"):
            _winnings([(rival.model, rival.prompt, rival.won) for rival in rivals if rival.won is not None])
        with showing.section("What they did"):
            RecordsTable(_USE_HEADINGS, [_use_row(rival) for rival in rivals], "What the models did")
    total = next(iter(found.values()))
    for title, column, groups in (
        ("Prompt sets", "Prompt set", total.by_prompt),
        ("Who decided", "Decided by", total.by_source),
    ):
        if len(groups) > 1:
            with showing.section(title):
                _winnings([("", name, won) for name, won in groups.items()], column)


def _winnings(groups: Sequence[tuple[str, str, Winnings]], title: str = "Prompt set") -> None:
    """Groups of hands with their intervals drawn on one scale."""
    ends = [abs(end) for _, _, won in groups for end in (won.low, won.high) if end is not None]
    reach = max(ends, default=1.0)
    has_models = any(model for model, _, _ in groups)
    headings = [*([Heading("Model")] if has_models else []), Heading(title), *figures.WINNING_HEADINGS]
    rows = [
        Row((*([Cell(model)] if has_models else []), Cell(name), *figures.winning_cells(won)))
        for model, name, won in groups
    ]
    RecordsTable(headings, rows, title)
    with ui.element("ul").classes("intervals"):
        for model, name, won in groups:
            if won.bb_per_100 is not None and won.low is not None and won.high is not None:
                with ui.element("li"):
                    showing.text(" · ".join(name_text(part).plain for part in (model, name) if part))
                    ui.html(markup(interval_bar(won.bb_per_100, won.low, won.high, reach)))


def _use_row(rival: Contender) -> Row:
    use = rival.use
    where = {"model": rival.model, "prompt": None if rival.prompt == _ALL else rival.prompt}
    return Row(
        (
            Cell(rival.model, addresses.url("/decisions", **where)),
            Cell(rival.prompt),
            number_cell(f"{use.questions:,}"),
            number_cell(figures.share(use.differed, use.answered)),
            number_cell(figures.share(use.differed_from_policy, use.answered)),
            Cell(figures.failures_text(use), tone="bad" if use.failures else "dim"),
            number_cell(figures.latency_text(use.latency_p50_ms)),
            number_cell(figures.latency_text(use.latency_p95_ms)),
            number_cell(f"{use.prompt_tokens:,}"),
            number_cell(f"{use.completion_tokens:,}"),
            number_cell(figures.cost_text(use.usd)),
        )
    )
