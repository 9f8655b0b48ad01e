"""The options that say which hands and decisions are meant, the same for lists, statistics and exports."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Annotated, Any, Final, Literal

import typer

from agent.journal.filters import Filter
from agent.journal.records import Source
from agent.poker.spot import Street

HAND_HELP: Final = (
    "7 or '#7' for the seventh hand of the latest run (quotes, as a shell takes # for a comment), a hand's id, its beginning "
    "or its end, or `last`."
)
Position = Literal["SB", "BB", "UTG", "HJ", "CO", "BTN", "BTN/BB", "BTN/SB"]
"""All that `agent.poker.positions` calls a seat."""

OPTIONS: Final[dict[str, Any]] = {
    "source": Annotated[Source | None, typer.Option(help="Who decided.")],
    "model": Annotated[str | None, typer.Option(help="The model that was asked, or a part of its name.")],
    "prompt": Annotated[str | None, typer.Option(help="The name of the prompt set.")],
    "street": Annotated[Street | None, typer.Option(help="On which street.")],
    "position": Annotated[Position | None, typer.Option(case_sensitive=False, help="Where we sat.")],
    "opponent": Annotated[str | None, typer.Option(help="Somebody who was dealt in, or a part of the name.")],
    "errors": Annotated[bool, typer.Option("--error", help="Where something went wrong: model, send, or server.")],
    "min_pot_bb": Annotated[
        float | None, typer.Option("--min-pot", min=0, metavar="BB", help="The final pot, in big blinds, at least.")
    ],
    "since": Annotated[
        str | None,
        typer.Option(metavar="ID|TIME", help="A decision's id, 2026-11-30, 2026-11-30T10:00, or an age: 90m, 12h, 3d."),
    ],
    "search": Annotated[str | None, typer.Option(help="Words in prompts, replies, reasons and names; cards.")],
    "hand": Annotated[str | None, typer.Option(help=HAND_HELP)],
    "run": Annotated[str | None, typer.Option(help="A run's id.")],
}
"""By the field of `Filter` that each of them fills."""


def filtered(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the filter options in its signature; it gets them as one `where`, and its other options as they are."""
    defaults = {field.name: field.default for field in fields(Filter)}
    own = [parameter for parameter in inspect.signature(command).parameters.values() if parameter.name != "where"]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=annotation)
        for name, annotation in OPTIONS.items()
    ]

    @wraps(command)
    def filled(**given: Any) -> None:
        where = Filter(**{name: given.pop(name) for name in OPTIONS})
        command(**given, where=where)

    keywords = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    filled.__signature__ = inspect.Signature([*keywords, *added])  # type: ignore[attr-defined]
    filled.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *added)}
    return filled
