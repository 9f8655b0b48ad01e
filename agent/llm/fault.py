"""From what a provider said to the error it means.

Providers agree on neither status nor body: error bodies are objects, lists, bare strings or empty, a wrong key comes
as 400, spent credit as 429 and an overloaded host as 200. A `Fault` is any of these as plain data, cut loose from the
library's exception and its headers, and `diagnose` gives it its place in the tree.
"""

import base64
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import unquote, urlsplit

from agent.llm.errors import ModelError, NoAnswer, Rejected, SwitchedOff, Unavailable
from agent.llm.refusal import NO_HOST, most_tokens, refused_parameter, values_under

_LONGEST_QUOTE: Final = 200
_LONGEST_TEXT: Final = 4_096
"""What a provider says matters up to here; a whole page is nothing to search with patterns while a turn waits."""
# A shorter key is a placeholder for a server that checks none, and a word of ordinary text.
_SHORTEST_SECRET: Final = 8
_REDIRECTIONS: Final = range(300, 400)
_WORTH_WAITING_FOR: Final = frozenset({408, 409, 425, 429})


def _pattern(*wordings: str) -> re.Pattern[str]:
    return re.compile("|".join(wordings), re.IGNORECASE)


_FILTERED: Final = _pattern("content_filter", "content management policy")
_FAILED_GENERATION: Final = _pattern("json_validate_failed")
_WRONG_KEY: Final = _pattern("api.?key not valid", "(incorrect|invalid).{0,3}api.?key", "api_key_invalid")
_WRONG_MODEL: Final = _pattern(
    "model_not_found", "(invalid|unknown) model", "model.{0,80}not (exist|found)", "not a valid model"
)
# "Exceeded your current quota" is not among them: Gemini says it of a rate limit that is over in a minute.
_NO_CREDIT: Final = _pattern(
    "insufficient_quota",
    "insufficient.?(balance|funds|credit)",
    "credit balance",
    "billing_(hard_limit|not_active)",
    "exceeded_current_quota_error",
    "used all available credits",
)

# What llama.cpp says with status 500 of tools that its flags do not allow.
_NOT_ENABLED: Final = _pattern("param requires")

_CHECK_KEY: Final = "check LLM_API_KEY"
_CHECK_CREDIT: Final = "the account is out of credit: top it up at the provider"
_CHECK_MODEL: Final = "check LLM_MODEL"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no completion.

    `status` is the HTTP status, the code of an error that came inside a 200, 200 itself for a reply without an
    answer, and None when no response came. `text` is the body, or what was wrong with the reply.
    """

    status: int | None
    text: str
    retry_after_s: float | None = None
    finish_reason: str | None = None
    is_refusal: bool = False


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asked: what every message names, and the key that none may hold, nor a password in the address."""

    name: str
    base_url: str = field(repr=False)
    secret: str = field(repr=False)

    def message(self, elapsed_s: float, event: str, *, advice: str) -> str:
        """Who, after how long, what happened, what to do."""
        return self.redact(f"{self.name}, {elapsed_s:.1f} s: {event}; {advice}")

    def quote(self, text: str) -> str:
        """The provider's own words, shortened, without the key, which some of them echo whole."""
        text = self.excerpt(text)
        words = next(iter(values_under(text, "message") or values_under(text, "msg")), text)
        printable = (character if character.isprintable() else " " for character in self.redact(words))
        words = " ".join("".join(printable).split())
        shown = words if len(words) <= _LONGEST_QUOTE else words[:_LONGEST_QUOTE] + "…"
        return f' "{shown}"' if shown else ""

    def excerpt(self, text: str) -> str:
        """The beginning of a text, without the key: all that is searched for what it means."""
        return self.redact(text)[:_LONGEST_TEXT]

    def redact(self, text: str) -> str:
        """The text without the key and without the password of the address, bare or as it is sent."""
        for secret in (self.secret, *_passwords(self.base_url)):
            if len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, "[key]")
        return text


def diagnose(
    fault: Fault, *, sent: Mapping[str, object], caller: Caller, elapsed_s: float, own: Collection[str] = ()
) -> ModelError:
    """The error that a fault means; `sent` are the parameters of the request, `own` those that a person has set."""
    fault = replace(fault, text=caller.excerpt(fault.text))
    status, quote = fault.status, caller.quote(fault.text)
    if status is None:
        advice = "if this goes on, check LLM_BASE_URL and the network"
        return Unavailable(caller.message(elapsed_s, f"no response,{quote}", advice=advice))
    finish_reason = _finish_reason(fault)
    if status == 200 or finish_reason is not None:
        event = f"no answer in the reply,{quote} (finish reason {finish_reason})"
        cut = (finish_reason or "").lower() in ("length", "max_tokens")
        advice = (
            "raise LLM_MAX_TOKENS or lower LLM_REASONING_EFFORT"
            if cut
            else "if this goes on, check LLM_BASE_URL or try another LLM_MODEL"
        )
        message = caller.message(elapsed_s, event, advice=advice)
        # The finish reason is the provider's text too.
        refused = fault.is_refusal or finish_reason == "content_filter"
        return NoAnswer(message, finish_reason=finish_reason and caller.redact(finish_reason), is_refusal=refused)
    to_check = _what_to_check(fault, caller.base_url)
    if to_check is not None:
        # Providers quote the key they refuse, some of them shortened.
        event = f"HTTP {status}" if to_check == _CHECK_KEY else f"HTTP {status}{quote}"
        return SwitchedOff(caller.message(elapsed_s, event, advice=to_check))
    if status in _WORTH_WAITING_FOR or (status >= 500 and not _NOT_ENABLED.search(fault.text)):
        advice = "ask again later" if fault.retry_after_s is None else f"ask again in {fault.retry_after_s:g} s"
        message = caller.message(elapsed_s, f"HTTP {status}{quote}", advice=advice)
        return Unavailable(message, retry_after_s=fault.retry_after_s, status=status)
    most = most_tokens(fault.text, sent)
    parameter = refused_parameter(fault.text, sent, own)
    advice = f"change {parameter}" if parameter else "change the request or LLM_EXTRA_BODY"
    if most is not None:
        advice = f"lower LLM_MAX_TOKENS to {most}"
    message = caller.message(elapsed_s, f"HTTP {status}{quote}", advice=advice)
    return Rejected(message, parameter=parameter, most_tokens=most)


def shown_url(base_url: str) -> str:
    """The address without what may be secret in it: user, password and query.

    >>> shown_url("https://me:secret@host:8080/v1?key=secret")
    'https://host:8080/v1'
    """
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")


def _passwords(base_url: str) -> tuple[str, ...]:
    """The password in an address, and user and password as the header of a request has them."""
    parts = urlsplit(base_url)
    if not parts.password:
        return ()
    user, password = unquote(parts.username or ""), unquote(parts.password)
    return parts.password, password, base64.b64encode(f"{user}:{password}".encode()).decode()


def _finish_reason(fault: Fault) -> str | None:
    """How the reply ended; a refusal with status 400 may also be about what the model said or was shown."""
    if fault.status == 400 and _FILTERED.search(fault.text):
        return "content_filter"
    if fault.status == 400 and _FAILED_GENERATION.search(fault.text):
        return "error"
    return fault.finish_reason


def _what_to_check(fault: Fault, base_url: str) -> str | None:
    """What a person has to check before asking again makes sense, None when nothing."""
    if fault.status == 401 or _WRONG_KEY.search(fault.text):
        return _CHECK_KEY
    if fault.status == 402 or _NO_CREDIT.search(fault.text):
        return _CHECK_CREDIT
    if fault.status == 403:
        return "check what LLM_API_KEY is allowed to use, and LLM_MODEL"
    if fault.status is not None and fault.status in _REDIRECTIONS:
        return "set LLM_BASE_URL to the address that it has moved to"
    if fault.status in (404, 405) and not NO_HOST.search(fault.text):
        url = shown_url(base_url)
        if re.search(r"/v\d", url):
            return f"{_CHECK_MODEL} and LLM_BASE_URL ({url})"
        return f"check LLM_BASE_URL ({url}): did you mean {url}/v1? Then check LLM_MODEL"
    if fault.status in (400, 422) and _WRONG_MODEL.search(fault.text):
        return _CHECK_MODEL
    return None
