"""What is known beforehand about each provider of OpenAI-compatible chat completions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from agent.llm import effort
from agent.llm.request_shape import Structured, TokenLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One provider: where it is, and the request it most likely accepts.

    `base_url` is None where everybody has their own, `key_name` is the variable that usually holds the key, None where
    there is none, and `needs_key` whether nothing is answered without it. `is_local` tells a server on one's own machine: it costs nothing and may have to load the model
    first. `closed_schema` is whether the schema may forbid other properties. A preset only saves the first refusals:
    what it has wrong is learned from the provider's answers.
    """

    name: str
    base_url: str | None
    key_name: str | None = None
    needs_key: bool = True
    is_local: bool = False
    structured: Structured = "json_schema"
    token_limit: TokenLimit = "max_tokens"  # noqa: S105
    temperature_ok: bool = True
    closed_schema: bool = True
    spell_effort: Callable[[effort.Effort], effort.Fields] = effort.as_parameter


_ALL: Final = (
    Preset(
        name="openai",
        base_url="https://api.openai.com/v1",
        key_name="OPENAI_API_KEY",
        token_limit="max_completion_tokens",  # noqa: S106
    ),
    # Its compatible endpoint ignores response_format and effort, and its newer models refuse every sampling parameter.
    Preset(
        name="anthropic",
        base_url="https://api.anthropic.com/v1",
        key_name="ANTHROPIC_API_KEY",
        structured="tool",
        temperature_ok=False,
        spell_effort=effort.not_sent,
    ),
    # It took `additionalProperties` for an unknown name, and takes a schema without it everywhere.
    Preset(
        name="gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_name="GEMINI_API_KEY",
        closed_schema=False,
    ),
    Preset(
        name="deepseek",
        base_url="https://api.deepseek.com",
        key_name="DEEPSEEK_API_KEY",
        structured="json_object",
        spell_effort=effort.as_thinking_object,
    ),
    Preset(name="mistral", base_url="https://api.mistral.ai/v1", key_name="MISTRAL_API_KEY"),
    # Only a few of its models take a schema.
    Preset(name="groq", base_url="https://api.groq.com/openai/v1", key_name="GROQ_API_KEY", structured="json_object"),
    Preset(
        name="openrouter",
        base_url="https://openrouter.ai/api/v1",
        key_name="OPENROUTER_API_KEY",
        spell_effort=effort.as_reasoning_object,
    ),
    Preset(
        name="together",
        base_url="https://api.together.xyz/v1",
        key_name="TOGETHER_API_KEY",
        spell_effort=effort.as_reasoning_switch,
    ),
    Preset(name="xai", base_url="https://api.x.ai/v1", key_name="XAI_API_KEY"),
    Preset(
        name="azure",
        base_url=None,
        key_name="AZURE_OPENAI_API_KEY",
        token_limit="max_completion_tokens",  # noqa: S106
    ),
    # Local servers listen on IPv4; `localhost` may mean ::1 first.
    Preset(name="ollama", needs_key=False, base_url="http://127.0.0.1:11434/v1", is_local=True),
    Preset(
        name="vllm",
        needs_key=False,
        base_url="http://127.0.0.1:8000/v1",
        is_local=True,
        spell_effort=effort.as_template_switch,
    ),
    Preset(name="lmstudio", needs_key=False, base_url="http://127.0.0.1:1234/v1", is_local=True),
    Preset(
        name="llamacpp",
        needs_key=False,
        base_url="http://127.0.0.1:8080/v1",
        is_local=True,
        spell_effort=effort.as_template_switch,
    ),
    Preset(name="custom", base_url=None, key_name="CUSTOM_API_KEY", needs_key=False),
)

DEFAULT_MAX_TOKENS: Final = 2048
"""Room for a model that thinks before its short answer; a model that does not think uses a tenth of it."""

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType({preset.name: preset for preset in _ALL})
