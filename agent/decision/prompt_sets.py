"""The prompt sets of a run: one, or several that share its hands so that they can be compared."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.decision.prompt import PromptError, PromptSet, load_prompt_set, sets_in


@dataclass(frozen=True, slots=True)
class PromptSets:
    """Prompt sets among which hands are divided evenly; the same seed and hand always give the same set."""

    sets: tuple[PromptSet, ...]
    seed: int = 0

    def __post_init__(self) -> None:
        names = [prompts.name for prompts in self.sets]
        if not names:
            raise PromptError("no prompt set is named")
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise PromptError(
                f"two prompt sets call themselves {', '.join(twice)}: their hands could not be told apart; "
                "give each manifest.toml a name of its own"
            )

    def for_hand(self, hand_id: str) -> PromptSet:
        """The set that this hand is played with, from its first turn to its last."""
        digest = hashlib.blake2b(f"{self.seed}/prompts/{hand_id}".encode(), digest_size=8).digest()
        return self.sets[int.from_bytes(digest) % len(self.sets)]

    @property
    def name(self) -> str:
        """The names of all sets, joined by commas."""
        return ",".join(prompts.name for prompts in self.sets)

    @property
    def hash(self) -> str:
        """The hash of the one set, or one over the hashes of all."""
        hashes = [prompts.hash for prompts in self.sets]
        return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()[:16]


def load_prompt_sets(folder: Path, names: Sequence[str], *, seed: int = 0) -> PromptSets:
    """The named sets of `folder` to play with, each tried on the sample spots.

    `PromptError` says what is wrong with the first bad one; one that is not for play is bad here.
    """
    return PromptSets(tuple(_for_play(load_prompt_set(set_folder(folder, name))) for name in names), seed)


def _for_play(prompts: PromptSet) -> PromptSet:
    if not prompts.for_play:
        raise PromptError(
            f"the prompt set {prompts.folder.name} is not for play (its manifest says for_play = false): it asks for more than "
            "a turn has time for; name another one in PROMPT_SET, `poker-agent prompt list` shows which there are"
        )
    return prompts


def set_folder(folder: Path, name: str) -> Path:
    """Where the set of this name is; `PromptError` for a name that is no plain folder name of `folder`."""
    if name in ("", ".", "..") or Path(name).name != name or not (folder / name).is_dir():
        found = ", ".join(sets_in(folder)) or "none"
        raise PromptError(f"there is no prompt set {name!r} in {folder}; found there: {found}")
    return folder / name
