"""What is known beforehand about each provider of OpenAI-compatible chat completions."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from agent.llm.request_shape import Structured, TokenLimit


@dataclass(frozen=True, slots=True)
class Preset:
    """One provider: where it is, and the request it most likely accepts.

    `base_url` is None where everybody has their own. A preset only saves the first refusals: what it has wrong is
    learned from the provider's answers.
    """

    name: str
    base_url: str | None
    needs_key: bool
    structured: Structured
    token_limit: TokenLimit = "max_tokens"  # noqa: S105
    temperature_ok: bool = True


_ALL: Final = (
    Preset("openai", "https://api.openai.com/v1", True, "json_schema", "max_completion_tokens"),
    # Its compatible endpoint ignores response_format, and its newer models refuse every sampling parameter.
    Preset("anthropic", "https://api.anthropic.com/v1", True, "plain", temperature_ok=False),
    Preset("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", True, "json_schema"),
    Preset("deepseek", "https://api.deepseek.com", True, "json_object"),
    Preset("mistral", "https://api.mistral.ai/v1", True, "json_schema"),
    # Only a few of its models take a schema.
    Preset("groq", "https://api.groq.com/openai/v1", True, "json_object"),
    Preset("openrouter", "https://openrouter.ai/api/v1", True, "json_schema"),
    Preset("together", "https://api.together.xyz/v1", True, "json_schema"),
    Preset("xai", "https://api.x.ai/v1", True, "json_schema"),
    Preset("azure", None, True, "json_schema", "max_completion_tokens"),
    # Local servers listen on IPv4; `localhost` may mean ::1 first.
    Preset("ollama", "http://127.0.0.1:11434/v1", False, "json_schema"),
    Preset("vllm", "http://127.0.0.1:8000/v1", False, "json_schema"),
    Preset("lmstudio", "http://127.0.0.1:1234/v1", False, "json_schema"),
    Preset("llamacpp", "http://127.0.0.1:8080/v1", False, "json_schema"),
    Preset("custom", None, False, "json_schema"),
)

DEFAULT_MAX_TOKENS: Final = 2048
"""Room for a model that thinks before its short answer; a model that does not think uses a tenth of it."""

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType({preset.name: preset for preset in _ALL})
