"""The seam to language models: what is asked, what comes back, and the one method every model has."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol

Role = Literal["system", "user", "assistant"]

MOST_TOKENS: Final = 100_000_000
"""No question and no answer has so many tokens: a larger count is a mistake of who reports it."""

HIDDEN: Final = "[not shown]"
"""What stands in a reply's parameters in the place of a value that a person has set and that may be secret."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A conversation that asks for one of `choices`, the menu ids of this turn.

    The messages must ask for the JSON object themselves: a provider that takes no schema learns the form from
    nothing else. `hand_id` is what the spending of one hand is counted by.
    """

    messages: tuple[Message, ...]
    choices: tuple[str, ...]
    hand_id: str = ""

    def __post_init__(self) -> None:
        if not self.messages or not self.choices:
            raise ValueError("a request needs at least one message and one choice")

    @property
    def schema(self) -> dict[str, object]:
        """The JSON schema of the answer: the id of one choice, the hand and the cards as read, and a reason.

        Amounts hide behind the ids, so there is no range keyword, which several providers refuse. The id comes first:
        what a model writes before it decides takes time and changes nothing for the better.
        """
        texts = {name: {"type": "string"} for name in ("hand", "cards", "reason")}
        return {
            "type": "object",
            "properties": {"id": {"type": "string", "enum": list(self.choices)}, **texts},
            "required": ["id", *texts],
            "additionalProperties": False,
        }


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a model said, word for word, and what it took.

    `model` is the name the provider gave. Token counts are None when they were not reported; `reasoning_tokens` and
    `cached_tokens` are the hidden thinking and the part of the prompt served from the provider's cache. Where it took
    several tries to get words, the counts are those of all of them.
    `parameters` is what was sent apart from the messages; of LLM_EXTRA_BODY the names alone. `latency_ms` runs from the question to this reply.
    `cost_usd` is None where price or usage is not known. `total_tokens` is the provider's own sum, in which some count
    thinking that they name nowhere else. `held_usd` is what counts against the caps in the place of an unknown cost.
    """

    text: str
    model: str
    finish_reason: str | None
    latency_ms: float
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cached_tokens: int | None
    parameters: Mapping[str, object]
    cost_usd: float | None = None
    total_tokens: int | None = None
    held_usd: float | None = None


class ChatModel(Protocol):
    """A language model that can be asked."""

    @property
    def name(self) -> str:
        """Provider and model, as in `openai/gpt-5-mini`."""
        ...

    async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
        """The model's reply within `budget_s` seconds; raises `ModelError`, or `CancelledError` when cancelled."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
