"""From a person's settings to a chat model, with a clear word about what is missing."""

import logging
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from agent.llm.effort import EFFORTS
from agent.llm.fault import shown_url
from agent.llm.learned import Learned
from agent.llm.openai_chat import OpenAIChat
from agent.llm.presets import DEFAULT_MAX_TOKENS, PRESETS, Preset

log = logging.getLogger(__name__)

# What a client adds to an address by itself, and what people copy with it.
_ENDPOINTS: Final = ("/chat/completions", "/completions", "/responses", "/messages", "/models")

# The agent sets these itself and reads one whole reply.
_RESERVED: Final = frozenset({"model", "messages", "stream"})


class ModelSettingsError(ValueError):
    """A model cannot be built from these settings; the message names the variable to set."""


def build_chat(
    provider: str,
    *,
    model: str | None,
    api_key: str | None = None,
    base_url: str | None = None,
    max_tokens: int = DEFAULT_MAX_TOKENS,
    temperature: float | None = None,
    reasoning_effort: str | None = None,
    extra_body: Mapping[str, object] | None = None,
    learned: Learned | None = None,
) -> OpenAIChat:
    """The chat model of `provider`, one of the presets; `base_url` overrides the preset's own.

    `reasoning_effort` is one of `EFFORTS`, sent as the provider spells it, and only when given; `extra_body` wins over
    it. What the model turns out to accept is read from and kept in `learned`.

    Raises `ModelSettingsError` when something is missing or cannot work. Nothing is sent yet.
    """
    preset = PRESETS.get(provider.strip().lower())
    if preset is None:
        raise ModelSettingsError(f"LLM_PROVIDER is {provider!r}; it can be {', '.join(PRESETS)}")
    name = (model or "").strip()
    if not name:
        raise ModelSettingsError(f"LLM_MODEL is missing: the name of a model at {preset.name}")
    key = _header_text(api_key)
    if preset.needs_key and not key:
        raise ModelSettingsError(f"LLM_API_KEY is missing: {preset.name} needs one")
    reserved = sorted(_RESERVED.intersection(extra_body or {}))
    if reserved:
        raise ModelSettingsError(f"LLM_EXTRA_BODY must not set {', '.join(reserved)}")
    return OpenAIChat(
        preset,
        model=name,
        api_key=key,
        base_url=_address(base_url or preset.base_url, preset.name),
        max_tokens=max_tokens,
        temperature=temperature,
        effort=_effort(reasoning_effort, preset),
        extra_body=extra_body,
        learned=learned,
    )


def _effort(reasoning_effort: str | None, preset: Preset) -> Mapping[str, object]:
    """What tells the provider how long to think."""
    words = (reasoning_effort or "").strip().lower()
    if not words:
        return {}
    effort = next((effort for effort in EFFORTS if effort == words), None)
    if effort is None:
        raise ModelSettingsError(f"LLM_REASONING_EFFORT is {words!r}; it can be {', '.join(EFFORTS)}")
    fields = preset.spell_effort(effort)
    if not fields:
        log.warning("%s ignores LLM_REASONING_EFFORT; LLM_EXTRA_BODY can hold what it wants instead", preset.name)
    return fields


def _header_text(api_key: str | None) -> str:
    """The key without the spaces and line breaks around it that copying leaves; it has to fit into a header."""
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ModelSettingsError("LLM_API_KEY holds a space or a character that no key has: copy it again")
    return key


def _address(base_url: str | None, provider: str) -> str:
    url = (base_url or "").strip().rstrip("/")
    if not url:
        raise ModelSettingsError(f"LLM_BASE_URL is missing: {provider} has no address of its own")
    try:
        is_address = urlsplit(url).scheme in ("http", "https") and bool(urlsplit(url).hostname)
    except ValueError:
        is_address = False
    if not is_address:
        raise ModelSettingsError("LLM_BASE_URL is no address: it looks like http://127.0.0.1:8000/v1")
    if urlsplit(url).query:
        raise ModelSettingsError(
            f"LLM_BASE_URL holds a query (?...), which no request would carry; leave it out: {shown_url(url)}"
        )
    endpoint = next((end for end in _ENDPOINTS if urlsplit(url).path.endswith(end)), None)
    if endpoint is not None:
        meant = shown_url(url).removesuffix(endpoint)
        raise ModelSettingsError(f"LLM_BASE_URL ends in {endpoint}, which is added to it; did you mean {meant}?")
    return url
