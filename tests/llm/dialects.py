"""Servers that speak as the providers do: each takes, refuses and answers a request in its own words, over real HTTP.

What they do follows the providers' documentation and public reports of failures; no provider was asked.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from .scripted import Provider, Reply, completion

Request = dict[str, Any]

ANSWER: Final = '{"id": "call", "hand": "AKo", "cards": "AsKd", "reason": "good price"}'
THOUGHT: Final = "The price is good, so calling seems right."


def error(message: str, *, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """An error as OpenAI words it."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def wanted(request: Request) -> str | None:
    """The type of response that a request asks for."""
    form = request.get("response_format")
    return str(form["type"]) if form else None


def is_forced(request: Request) -> bool:
    """Whether a request leaves the model no choice but to call its tool."""
    return request.get("tool_choice", "auto") not in ("auto", "none")


def schemas(request: Request) -> list[dict[str, Any]]:
    """The schemas in a request: of the response and of the tools."""
    found = [tool["function"]["parameters"] for tool in request.get("tools", ())]
    return [*found, request["response_format"]["json_schema"]["schema"]] if wanted(request) == "json_schema" else found


def called(arguments: str = ANSWER, words: str | None = None) -> dict[str, Any]:
    """A message that calls the tool."""
    call = {"id": "call_1", "type": "function", "function": {"name": "choose", "arguments": arguments}}
    return {"content": words, "tool_calls": [call]}


@dataclass(frozen=True)
class Troubles:
    """How a provider says what a person has to mend or to wait for; None where it cannot happen."""

    key: Reply | None
    model: Reply | None
    credit: Reply | None = None
    busy: Reply = field(default_factory=lambda: Reply(429, error("Rate limit reached"), {"Retry-After": "20"}))


class Dialect(Provider):
    """A provider: `refusal` says what is wrong with a request, `message` what the model says to a right one."""

    troubles: ClassVar[Troubles]
    usage: ClassVar[Mapping[str, Any] | None] = {"prompt_tokens": 60, "completion_tokens": 24, "total_tokens": 84}
    lead_in: ClassVar = ""

    def __init__(self, *, trouble: Reply | None = None, model: str = "m1") -> None:
        super().__init__()
        self.trouble, self.model = trouble, model

    def next_reply(self, request: Request) -> Reply:
        refused = self.trouble or self.refusal(request)
        if refused:
            return refused
        finish_reason = "tool_calls" if request.get("tools") else "stop"
        body = completion(self.message(request), finish_reason=finish_reason, usage=self.usage)
        return Reply(200, self.lead_in + json.dumps(body))

    def refusal(self, request: Request) -> Reply | None:
        return None

    def message(self, request: Request) -> dict[str, Any]:
        return called() if request.get("tools") else {"content": ANSWER}


class OpenAI(Dialect):
    """Reasoning models refuse the old name of the cap and any temperature; a strict schema has to be complete."""

    usage: ClassVar = {
        "prompt_tokens": 1_100,
        "completion_tokens": 408,
        "prompt_tokens_details": {"cached_tokens": 1_024, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 384, "accepted_prediction_tokens": 0},
    }
    troubles = Troubles(
        key=Reply(401, error("Incorrect API key provided: sk-do-n*2c91.", code="invalid_api_key")),
        model=Reply(
            404, error("The model `m1` does not exist or you do not have access to it.", code="model_not_found")
        ),
        credit=Reply(429, error("You exceeded your current quota, please check your plan", code="insufficient_quota")),
    )

    def refusal(self, request: Request) -> Reply | None:
        if "max_tokens" in request:
            hint = "is not supported with this model. Use 'max_completion_tokens' instead."
            words = f"Unsupported parameter: 'max_tokens' {hint}"
            return Reply(400, error(words, code="unsupported_parameter", param="max_tokens"))
        if request.get("temperature", 1) != 1:
            words = "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1)"
            return Reply(400, error(words, code="unsupported_value", param="temperature"))
        for schema in schemas(request):
            is_complete = sorted(schema["required"]) == sorted(schema["properties"])
            if not is_complete or schema.get("additionalProperties") is not False:
                words = "Invalid schema for response_format 'choice': every property must be required"
                return Reply(400, error(words, param="response_format"))
        return None


class Azure(OpenAI):
    """OpenAI's models behind a filter of its own."""

    prefix: ClassVar = "/openai/v1"
    filtered: ClassVar = Reply(
        400,
        {
            "error": {
                "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management "
                "policy. Please modify your prompt and retry.",
                "type": None,
                "param": "prompt",
                "code": "content_filter",
                "status": 400,
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
    )
    troubles = Troubles(
        key=Reply(401, error("Access denied due to invalid subscription key", code="401")),
        model=Reply(404, error("The API deployment for this resource does not exist.", code="DeploymentNotFound")),
        busy=Reply(429, error("Please retry after 20 seconds.", code="429"), {"retry-after-ms": "20000"}),
    )


class Anthropic(Dialect):
    """Ignores the response format and the effort, fences its JSON, and refuses what samples and what forces a thinker."""

    troubles = Troubles(
        key=Reply(401, error("invalid x-api-key", code="authentication_error")),
        model=Reply(404, error("model: m1", code="not_found_error")),
        credit=Reply(400, error("Your credit balance is too low to access the Anthropic API.")),
        busy=Reply(529, error("Overloaded", code="overloaded_error")),
    )

    def refusal(self, request: Request) -> Reply | None:
        if "temperature" in request:
            return Reply(400, error("`temperature` is deprecated for this model."))
        if "thinking" in request and is_forced(request):
            return Reply(400, error("Thinking may not be enabled when tool_choice forces tool use."))
        return None

    def message(self, request: Request) -> dict[str, Any]:
        return called(words="I will call.") if request.get("tools") else {"content": f"```json\n{ANSWER}\n```"}


class Gemini(Dialect):
    """Errors come in a list and name what is unknown; thinking is counted outside the completion."""

    prefix: ClassVar = "/v1beta/openai"
    usage: ClassVar = {"prompt_tokens": 60, "completion_tokens": 24, "total_tokens": 2_265}
    known: ClassVar = {
        *("model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "n", "stop"),
        *("response_format", "tools", "tool_choice", "reasoning_effort", "extra_body"),
    }

    @staticmethod
    def error(status: int, message: str, name: str = "INVALID_ARGUMENT") -> Reply:
        return Reply(status, [{"error": {"code": status, "message": message, "status": name}}])

    troubles = Troubles(
        key=error(400, "API key not valid. Please pass a valid API key."),
        model=error(404, "models/m1 is not found for API version v1main", "NOT_FOUND"),
        busy=error(429, "You exceeded your current quota. Please retry in 34s.", "RESOURCE_EXHAUSTED"),
    )

    def refusal(self, request: Request) -> Reply | None:
        unknown = sorted(set(request) - self.known)
        if unknown:
            return self.error(400, f'Invalid JSON payload received. Unknown name "{unknown[0]}": Cannot find field.')
        for schema in schemas(request):
            if extra := {"$schema", "$id", "additionalProperties", "propertyNames"} & set(schema):
                where = "at 'generation_config.response_schema'"
                words = f'Invalid JSON payload received. Unknown name "{extra.pop()}" {where}: Cannot find field.'
                return self.error(400, words)
        if request.get("reasoning_effort") == "none" and "pro" in self.model:
            return self.error(400, "Budget 0 is invalid. This model only works in thinking mode.")
        return None


class DeepSeek(Dialect):
    """Thinks unless told not to, and then forces no tool; knows no schema; sends blank lines while it is busy."""

    prefix: ClassVar = ""
    lead_in: ClassVar = "\n\n\n"
    usage: ClassVar = {
        "prompt_tokens": 1_200,
        "completion_tokens": 250,
        "prompt_cache_hit_tokens": 1_024,
        "prompt_cache_miss_tokens": 176,
        "completion_tokens_details": {"reasoning_tokens": 226},
    }
    troubles = Troubles(
        key=Reply(401, error("Authentication Fails (no such user)", code="invalid_request_error")),
        model=Reply(400, error("Model Not Exist", code="invalid_request_error")),
        credit=Reply(402, error("Insufficient Balance", code="unknown_error")),
    )

    def refusal(self, request: Request) -> Reply | None:
        thinking = request.get("thinking", {"type": "enabled"})
        if not isinstance(thinking, dict):
            words = (
                "Failed to deserialize the JSON body: thinking: invalid type: boolean, expected struct ThinkingOptions"
            )
            return Reply(400, error(words))
        if wanted(request) == "json_schema":
            return Reply(400, error("This response_format type is unavailable now"))
        if wanted(request) == "json_object" and "json" not in json.dumps(request["messages"]).lower():
            return Reply(400, error("Prompt must contain the word 'json' in some form"))
        if thinking["type"] == "enabled" and is_forced(request):
            return Reply(400, error("Thinking mode does not support this tool_choice"))
        return None

    def message(self, request: Request) -> dict[str, Any]:
        return {**super().message(request), "reasoning_content": THOUGHT}


class Mistral(Dialect):
    """Takes nothing that it does not know, and says where it found it; thinks in parts of the content."""

    known: ClassVar = {
        *("model", "messages", "max_tokens", "temperature", "top_p", "random_seed", "stop"),
        *("response_format", "tools", "tool_choice", "safe_prompt"),
    }
    troubles = Troubles(
        key=Reply(401, {"detail": "Unauthorized"}),
        model=Reply(400, {"object": "error", "message": "Invalid model: m1", "type": "invalid_model", "code": "1500"}),
        busy=Reply(429, {"message": "Requests rate limit exceeded"}),
    )

    def refusal(self, request: Request) -> Reply | None:
        extra = [
            {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted", "input": 1}
            for name in sorted(set(request) - self.known)
        ]
        body = {"object": "error", "message": {"detail": extra}, "type": "invalid_request_error"}
        return Reply(422, body) if extra else None

    def message(self, request: Request) -> dict[str, Any]:
        if request.get("tools"):
            return called()
        thinking = {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}
        return {"content": [thinking, {"type": "text", "text": ANSWER}]}


class Groq(Dialect):
    """Few models take a schema and none a named tool; JSON that it finds invalid comes inside a 400."""

    prefix: ClassVar = "/openai/v1"
    troubles = Troubles(
        key=Reply(401, error("Invalid API Key", code="invalid_api_key")),
        model=Reply(404, error("The model `m1` does not exist or you do not have access", code="model_not_found")),
        busy=Reply(429, error("Rate limit reached for tokens per minute"), {"retry-after": "20"}),
    )

    def refusal(self, request: Request) -> Reply | None:
        if wanted(request) == "json_schema":
            words = "This model does not support response format `json_schema`."
            return Reply(400, error(words, param="response_format"))
        if is_forced(request):
            return Reply(400, error("tool_choice: a named function is not supported"))
        return None


class OpenRouter(Dialect):
    """Its hosts differ: what they say comes inside a 200 or a 400, and some requests find no host at all."""

    prefix: ClassVar = "/api/v1"
    lead_in: ClassVar = "\n         \n         \n"
    troubles = Troubles(
        key=Reply(401, {"error": {"message": "No auth credentials found", "code": 401}}),
        model=Reply(400, {"error": {"message": "m1 is not a valid model ID", "code": 400}}),
        credit=Reply(402, {"error": {"message": "Insufficient credits. Add more", "code": 402}}),
        busy=Reply(200, {"error": {"message": "Provider returned error", "code": 429}, "user_id": "u1"}),
    )

    def refusal(self, request: Request) -> Reply | None:
        if wanted(request) == "json_schema":
            raw = '{"message":"response_format: json_schema is not available on this host"}'
            metadata = {"raw": raw, "provider_name": "Host"}
            return Reply(400, {"error": {"message": "Provider returned error", "code": 400, "metadata": metadata}})
        if wanted(request) == "json_object":
            words = "No endpoints found that can handle the requested parameters."
            return Reply(404, {"error": {"message": words, "code": 404}})
        if request.get("tools"):
            return Reply(404, {"error": {"message": "No endpoints found that support tool use.", "code": 404}})
        return None


class Together(Dialect):
    """Takes a schema for listed models only, and its thinkers think aloud."""

    troubles = Troubles(
        key=Reply(401, error("Invalid API key provided.", code="invalid_api_key")),
        model=Reply(404, error("Unable to access model m1. It does not exist.", code="model_not_available")),
        busy=Reply(429, error("You have reached the rate limit"), {"x-ratelimit-reset": "1"}),
    )

    def refusal(self, request: Request) -> Reply | None:
        if wanted(request) in ("json_schema", "json_object"):
            return Reply(400, error("Model m1 is not supported for JSON mode/response format", param="response_format"))
        if request.get("tools"):
            return Reply(400, error("m1 is not supported for function calling"))
        return None

    def message(self, request: Request) -> dict[str, Any]:
        return {"content": f'<think>Perhaps {{"id": "fold"}}? {THOUGHT}</think>\n\n{ANSWER}'}


class XAI(Dialect):
    """Refuses what its reasoning models do not read, even when it says nothing."""

    refused: ClassVar = {
        "presence_penalty": "presencePenalty",
        "frequency_penalty": "frequencyPenalty",
        "stop": "stop",
        "reasoning_effort": "reasoningEffort",
    }
    troubles = Troubles(
        key=Reply(
            400, {"code": "Client specified an invalid argument", "error": "Incorrect API key provided: xa***23."}
        ),
        model=Reply(404, {"code": "Some requested entity was not found", "error": "The model m1 does not exist."}),
        credit=Reply(403, {"code": "permission denied", "error": "Your team has used all available credits."}),
    )

    def refusal(self, request: Request) -> Reply | None:
        for name, theirs in self.refused.items():
            if name in request:
                words = f"Argument not supported on this model: {theirs}"
                return Reply(400, {"code": "Client specified an invalid argument", "error": words})
        return None

    def message(self, request: Request) -> dict[str, Any]:
        return {**super().message(request), "reasoning_content": THOUGHT, "refusal": None}


class Ollama(Dialect):
    """Its thinkers put everything into `reasoning` unless the effort is none; it counts what it has read."""

    troubles = Troubles(key=None, model=Reply(404, error('model "m1" not found, try pulling it first')))

    def message(self, request: Request) -> dict[str, Any]:
        if "qwen3" in self.model and request.get("reasoning_effort") != "none":
            return {"content": "", "reasoning": THOUGHT}
        return super().message(request)


class VLLM(Dialect):
    """With a reasoning parser and the thinking off, the JSON is taken for the thought."""

    troubles = Troubles(
        key=Reply(401, {"error": "Unauthorized"}),
        model=Reply(404, {"object": "error", "message": "The model `m1` does not exist.", "code": 404}),
        busy=Reply(503, {"error": "Service Unavailable"}),
    )

    def message(self, request: Request) -> dict[str, Any]:
        return {"content": None, "reasoning_content": ANSWER, "tool_calls": []}


class LMStudio(Dialect):
    """Knows a schema or text, and says so in a bare string; reports no counts."""

    usage: ClassVar = None
    troubles = Troubles(key=None, model=Reply(404, '{"error": "model not found: m1"}'))

    def refusal(self, request: Request) -> Reply | None:
        if wanted(request) == "json_object":
            return Reply(400, {"error": "'response_format.type' must be 'json_schema' or 'text'"})
        return None

    def message(self, request: Request) -> dict[str, Any]:
        return {"content": f"<think>{THOUGHT}</think>{ANSWER}"}


class LlamaCpp(Dialect):
    """Holds the thought to the grammar, so that nothing is left to say, and needs a flag for tools."""

    troubles = Troubles(
        key=Reply(401, {"error": {"code": 401, "message": "Invalid API Key", "type": "authentication_error"}}),
        model=None,
        busy=Reply(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),
    )

    def refusal(self, request: Request) -> Reply | None:
        if request.get("tools"):
            words = "tools param requires --jinja flag"
            return Reply(500, {"error": {"code": 500, "message": words, "type": "server_error"}})
        return None

    def message(self, request: Request) -> dict[str, Any]:
        return {"content": "", "reasoning_content": THOUGHT} if wanted(request) else {"content": ANSWER}


class Custom(Dialect):
    """Any other server that takes what OpenAI's older models take."""

    troubles = Troubles(key=Reply(401, error("Unauthorized")), model=Reply(404, error("model not found")))


DIALECTS: Final[Mapping[str, type[Dialect]]] = {
    "openai": OpenAI,
    "anthropic": Anthropic,
    "gemini": Gemini,
    "deepseek": DeepSeek,
    "mistral": Mistral,
    "groq": Groq,
    "openrouter": OpenRouter,
    "together": Together,
    "xai": XAI,
    "azure": Azure,
    "ollama": Ollama,
    "vllm": VLLM,
    "lmstudio": LMStudio,
    "llamacpp": LlamaCpp,
    "custom": Custom,
}
