"""From settings to parts: which prompts, which journal, which contestant; the models are in `agent.models`."""

import logging
import secrets
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from ulid import ULID

from agent.decision.decide import Thinking
from agent.decision.equity_desk import EquityDesk
from agent.decision.prompt_sets import PromptSets, load_prompt_sets
from agent.decision.when import Asking
from agent.journal.reader import Reader
from agent.journal.records import RunRecord
from agent.journal.retention import Retention
from agent.journal.schema import JournalError
from agent.journal.writer import Journal
from agent.llm.chat import ChatModel
from agent.openpoker.contestant import Contestant, Timing
from agent.openpoker.earlier import Earlier
from agent.openpoker.patience import UNSEEN_S, Patience
from agent.openpoker.rest import RestApi
from agent.openpoker.session import Session
from agent.player import Player
from agent.poker.report import TrialsPerStreet
from agent.redaction import Secrets
from agent.remembered import book_of
from agent.settings import Settings, SettingsError
from agent.strategy.opponents import PLAYERS_KEPT, Opponents
from agent.strategy.policy.policy import Policy

log = logging.getLogger(__name__)


def new_id() -> str:
    """An id that sorts by time and never repeats, across restarts too."""
    return str(ULID())


def prompts_folder(settings: Settings) -> Path:
    """Where prompt sets are: `PROMPTS_DIR`, else those of the installed package, else those of the checkout."""
    if settings.prompts_dir is not None:
        return settings.prompts_dir
    package = Path(__file__).parent
    installed = package / "prompts"
    return installed if installed.is_dir() else package.parent / "prompts"


def load_prompts(settings: Settings, *, seed: int = 0) -> PromptSets:
    """The prompt sets that `PROMPT_SET` names, among which hands are divided by `seed`."""
    return load_prompt_sets(prompts_folder(settings), settings.prompt_sets, seed=seed)


def build_thinking(settings: Settings, models: Sequence[ChatModel] = (), *, seed: int | None = None) -> Thinking:
    """What decisions need; `models` are the first one and its fallbacks.

    The seed is `seed`, else `AGENT_SEED`, else a fresh one, which is logged.
    """
    if seed is None:
        seed = settings.agent_seed if settings.agent_seed is not None else secrets.randbits(48)
    trials = TrialsPerStreet(
        preflop=settings.equity_trials_preflop,
        flop=settings.equity_trials_flop,
        turn=settings.equity_trials_turn,
        river=settings.equity_trials_river,
    )
    return Thinking(
        model=models[0] if models else None,
        fallbacks=tuple(models[1:]),
        prompts=load_prompts(settings, seed=seed),
        equity=EquityDesk(
            seed, time.monotonic, margin=settings.equity_margin, trials=trials, method=settings.equity_method
        ),
        clock=time.monotonic,
        model_time_s=settings.llm_timeout_s,
        policy=Policy(),
        fallback=settings.fallback,
        asking=Asking(settings.llm_mode, settings.llm_grey_margin, settings.llm_grey_pot_bb),
    )


def open_journal(settings: Settings, thinking: Thinking, *, bot: str, ws_url: str) -> Journal:
    """The journal of a run that begins now."""
    run = RunRecord(
        id=new_id(),
        started_at=datetime.now(UTC),
        bot=bot,
        model=thinking.model.name if thinking.model else None,
        prompt_set=thinking.prompts.name,
        prompt_hash=thinking.prompts.hash,
        seed=thinking.equity.seed,
        version=version("open-poker-agent"),
        ws_url=ws_url.partition("?")[0],
    )
    hide = Secrets(settings.secrets()).hide
    return Journal(settings.journal_path, run, hide=hide, retention=_retention(settings))


def _retention(settings: Settings) -> Retention:
    days, megabytes = settings.journal_keep_days, settings.journal_max_mb
    return Retention(
        age=None if days is None else timedelta(days=days),
        most_bytes=None if megabytes is None else megabytes * 1_000_000,
    )


def recalled_opponents(settings: Settings, *, bot: str) -> Opponents:
    """Whom a bot has met in earlier runs, from its journal, which is open; who cannot be read is a stranger again."""
    met = []
    try:
        with Reader(settings.journal_path) as reader:
            met = reader.latest_opponents(bot, PLAYERS_KEPT)
    except JournalError as error:
        log.warning("everybody is a stranger again: %s", error)
    return book_of(reversed(met))


def build_contestant(
    settings: Settings,
    player: Player,
    rest: RestApi,
    *,
    ws_url: str,
    api_key: str,
    timing: Timing | None = None,
    patience: Patience | None = None,
    earlier: Earlier | None = None,
) -> Contestant:
    """The contestant that plays `player` at `ws_url`; timing and patience go by the settings unless they are given.

    `earlier` is what a run that was killed has left behind, as `Session` takes it.
    """
    # Of a short clock, half is a fair share for a turn of which nobody knows how long it has been open.
    patience = patience or Patience(unseen_s=min(UNSEEN_S, settings.open_poker_clock_s / 2))
    session = Session(
        buy_in_chips=settings.open_poker_buy_in,
        auto_rebuy=settings.open_poker_auto_rebuy,
        new_id=new_id,
        patience=patience,
        is_private=settings.open_poker_competition_id is not None,
        earlier=earlier,
    )
    timing = timing or Timing(action_clock_s=settings.open_poker_clock_s, margin_s=settings.open_poker_margin_s)
    return Contestant(
        url=ws_url,
        api_key=api_key,
        session=session,
        decider=player,
        recorder=player,
        rest=rest,
        clock=time.monotonic,
        timing=timing,
    )


def required_key(settings: Settings) -> str:
    """The venue's key; `SettingsError` says where to get one."""
    key = settings.open_poker_api_key
    if key is None:
        raise SettingsError(
            "OPEN_POKER_API_KEY is not set. Register a bot at https://openpoker.ai, copy its key from the dashboard "
            "into .env (see .env.example), and try again. `poker-agent demo` plays without a key."
        )
    return key.get_secret_value()
