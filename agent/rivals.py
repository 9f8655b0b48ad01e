"""Everybody who can be seated in a match or put to the test, by name: the contenders of the registry, and full agents.

agent:PROMPT          the whole agent with the prompt set PROMPT and the model of the settings, as it plays live

An agent in a match plays each decision by its whole chain, with what plays in place of a model that fails; `sources` tells
how often that was.
"""

import asyncio
import atexit
from collections import Counter
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cache
from threading import Lock, Thread
from typing import Any, Final, TypeVar

from agent.decision.decide import Decision, Thinking, decide
from agent.decision.modes import AskMode
from agent.decision.prompt import PromptError
from agent.evaluation.contender import Contender, FinishedHand
from agent.evaluation.match import Behind
from agent.evaluation.registry import FACTORIES, UnknownContender, contender
from agent.evaluation.workers import ClusterError
from agent.failure import ExitCode, Failure
from agent.models import build_advisers, spent_today_usd, warmed
from agent.poker.spot import Action, Spot
from agent.settings import Settings, SettingsError
from agent.strategy.reading import Reading, learn
from agent.wiring import build_thinking, load_prompts

AGENT: Final = "agent"
BOT: Final = "agent"
"""The name under which `play` keeps what one bot has spent."""

OWN_TIME_S: Final = 30.0
"""What a turn has beside the model's time: nobody waits for it here."""

Result = TypeVar("Result")


class Agents:
    """The agents of one process: they share the models of the settings with their breakers and caps, and an event loop.

    The loop runs in a thread of its own, so that agents can be asked from any thread; it begins with the first question.
    Raises `SettingsError` where no model is set or the settings cannot be used.
    """

    def __init__(self, settings: Settings) -> None:
        self._advisers = build_advisers(settings, spent_today_usd=spent_today_usd(settings, BOT))
        if not self._advisers:
            raise SettingsError(
                "an agent asks a model, and none is set: set LLM_PROVIDER and LLM_MODEL (see .env.example), or choose "
                f"from {', '.join(FACTORIES)}, which need none"
            )
        self._settings = settings
        self._models = tuple(adviser.model for adviser in self._advisers)
        self._loop: Future[asyncio.AbstractEventLoop] = Future()
        self._ended = asyncio.Event()
        self._thread: Thread | None = None
        self._starting = Lock()

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, in the order in which they are asked."""
        return tuple(model.name for model in self._models)

    def thinking(self, prompt: str, seed: int) -> Thinking:
        """What an agent with this prompt set decides with; `PromptError` for a set that cannot be played with."""
        return build_thinking(self._with(prompt), self._models, seed=seed)

    def behind(self, prompt: str) -> str:
        """In a line all that makes this agent play as it does: models, the prompts' hash, how models are asked."""
        settings = self._settings
        asked = {
            "LLM_MODE": settings.llm_mode,
            "LLM_TEMPERATURE": settings.llm_temperature,
            "LLM_REASONING_EFFORT": settings.llm_reasoning_effort,
            "FALLBACK": settings.fallback,
        }
        told = ", ".join(f"{name}={value}" for name, value in asked.items() if value is not None)
        return f"{' then '.join(self.models)}, prompts {load_prompts(self._with(prompt)).hash}, {told}"

    def decide(self, spot: Spot, thinking: Thinking) -> Decision:
        """The decision of an agent, with all the time that its model may take."""
        deadline = thinking.clock() + thinking.model_time_s + OWN_TIME_S
        return self._run(decide(spot, thinking, deadline=deadline))

    def close(self) -> None:
        """Close the models' connections and end the loop."""
        if self._thread is not None:
            if self._loop.exception() is None:
                self._loop.result().call_soon_threadsafe(self._ended.set)
            self._thread.join()
            self._thread = None

    def _with(self, prompt: str) -> Settings:
        return self._settings.model_copy(update={"prompt_set": prompt})

    def _run(self, question: Coroutine[Any, Any, Result]) -> Result:
        with self._starting:
            if self._thread is None:
                self._thread = Thread(target=asyncio.run, args=(self._serve(),), name="agents", daemon=True)
                self._thread.start()
        return asyncio.run_coroutine_threadsafe(question, self._loop.result()).result()

    async def _serve(self) -> None:
        """Keep the models ready until the end."""
        try:
            async with AsyncExitStack() as stack:
                for model in self._models:
                    stack.push_async_callback(model.aclose)
                if self._settings.llm_mode is not AskMode.NEVER:
                    budget_s = self._settings.llm_warm_up_s
                    await stack.enter_async_context(warmed(self._advisers, budget_s=budget_s, unless=self._ended))
                self._loop.set_result(asyncio.get_running_loop())
                await self._ended.wait()
        except Exception as error:
            if self._loop.done():
                raise
            self._loop.set_exception(error)


@dataclass(slots=True)
class AgentContender:
    """A full agent in a seat; like the live one it keeps the statistics of everybody it meets."""

    agents: Agents
    thinking: Thinking
    reading: Reading = field(default_factory=Reading)
    sources: Counter[str] = field(default_factory=Counter)

    def decide(self, spot: Spot) -> Action:
        """What the agent plays, whoever decides it."""
        decision = self.agents.decide(spot, self.thinking)
        if decision.action is None:
            raise ValueError(f"the offer holds nothing that may be played: {spot.legal}")
        self.sources[decision.source] += 1
        return decision.action

    def hand_over(self, hand: FinishedHand) -> None:
        """Learn from the showdown, and count what everybody did."""
        learn(self.thinking.opponents, self.reading, hand.played, hand.public.shown_cards)


@dataclass(frozen=True, slots=True)
class Rivals:
    """Contenders by name, agents among them; in another process agents are those of its settings.

    `behind` is what the agents were where the match was planned; a process that would play others raises `ClusterError`.
    """

    behind: Behind = ()

    def __call__(self, name: str, seed: int) -> Contender:
        """A new contender of that name; `UnknownContender` says which there are."""
        kind, _, prompt = name.partition(":")
        if kind != AGENT:
            return contender(name, seed)
        agents, planned = _agents_here(), dict(self.behind)[name]
        if agents.behind(prompt) != planned:
            raise ClusterError(f"{name} would be {agents.behind(prompt)} here, and the match is of {planned}")
        return AgentContender(agents, agents.thinking(prompt, seed))


@cache
def _agents_here() -> Agents:
    """The agents of this process, by its environment."""
    agents = Agents(Settings.load())
    atexit.register(agents.close)
    return agents


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """The prompt sets of the agents among the names; a `Failure` for a name that is none."""
    prompts = []
    for name in names:
        kind, _, variant = name.partition(":")
        if kind == AGENT:
            prompts.append(variant)
        elif kind not in FACTORIES:
            known = f"{', '.join(FACTORIES)}, with house as house:PROFILE:LEVEL, and agent:PROMPT"
            raise Failure(f"no player is called {name!r}: choose from {known}", exit_code=ExitCode.UNUSABLE)
        else:
            try:
                contender(name, 0)
            except UnknownContender as error:
                raise Failure(str(error), exit_code=ExitCode.UNUSABLE) from None
    return tuple(dict.fromkeys(prompts))


def rivals_of(names: Sequence[str]) -> Rivals:
    """Contenders for a match of these; a `Failure` says who cannot play, a `SettingsError` that no model is set."""
    behind = []
    for prompt in check_names(names):
        try:
            behind.append((f"{AGENT}:{prompt}", _agents_here().behind(prompt)))
        except PromptError as error:
            raise Failure(f"{AGENT}:{prompt} cannot play: {error}", exit_code=ExitCode.UNUSABLE) from None
    return Rivals(tuple(behind))


def notice(behind: Behind, settings: Settings, how_often: str) -> str:
    """What a person should know before agents play: which models are asked, `how_often`, and what bounds their cost."""
    caps = {
        name: getattr(settings, name.lower()) for name in ("LLM_CAP_HAND_USD", "LLM_CAP_DAY_USD", "LLM_CAP_RUN_USD")
    }
    bounds = ", ".join(f"{name}={cap:g}" for name, cap in caps.items() if cap is not None)
    lines = [f"{name} asks {what}: {how_often}." for name, what in behind]
    lines.append(
        f"Each process keeps to {bounds} by itself." if bounds else "No LLM_CAP_..._USD bounds what a paid model costs."
    )
    return "\n".join(lines)
