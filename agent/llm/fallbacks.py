"""The models that are asked when the first one fails, as a person writes them down."""

import re
from dataclasses import dataclass
from typing import Final

from agent.llm.presets import PRESETS

# What is meant to be an address after a model's name: a scheme, a path, a port or a host. Some names hold an @ too.
_URL_AFTER: Final = re.compile(r"@(?=[a-z][a-z0-9+.-]*://)", re.IGNORECASE)
_HOST_AFTER: Final = re.compile(r".@(?:[^@]*(?:/|:\d{2,5}$)|localhost$|\d+(?:\.\d+){3}$|[\w-]+\.[a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fallback:
    """A model to ask when the ones before it fail; `base_url` is None where the provider's own is meant."""

    provider: str
    model: str
    base_url: str | None = None

    @property
    def address(self) -> str:
        """Where it is, in a form that can be compared; empty where that is not known."""
        preset = PRESETS.get(self.provider)
        return (self.base_url or (preset.base_url if preset else None) or "").rstrip("/")


def read_fallback(text: str) -> Fallback:
    """The model that `PROVIDER/MODEL[@URL]` names; raises ValueError with what is expected. The URL is not examined.

    >>> read_fallback("custom/qwen3@http://127.0.0.1:8000/v1")
    Fallback(provider='custom', model='qwen3', base_url='http://127.0.0.1:8000/v1')
    """
    provider, _, rest = text.partition("/")
    provider, (model, *urls) = provider.lower(), _URL_AFTER.split(rest, maxsplit=1)
    if provider not in PRESETS or not model:
        raise ValueError(
            f"must be PROVIDER/MODEL[@URL], separated by commas; a provider is one of {', '.join(PRESETS)}"
        )
    if _HOST_AFTER.search(model):
        raise ValueError("must be PROVIDER/MODEL[@URL], where the URL begins with http:// or https://")
    if not urls and PRESETS[provider].base_url is None:
        raise ValueError(f"{provider} has no address of its own: write {provider}/{model}@URL")
    return Fallback(provider, model, urls[0] if urls else None)
