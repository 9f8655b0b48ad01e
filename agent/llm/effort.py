"""How long a model may think, in the spelling that its provider reads."""

from typing import Any, Final, Literal, get_args

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]
EFFORTS: Final[tuple[Effort, ...]] = get_args(Effort)

Fields = dict[str, Any]
"""What goes into the body of a request."""


def as_parameter(effort: Effort) -> Fields:
    """OpenAI's own parameter, which most others have taken over."""
    return {"reasoning_effort": effort}


def as_reasoning_object(effort: Effort) -> Fields:
    """OpenRouter's, which it translates for the host it picks."""
    return {"reasoning": {"effort": effort}}


def as_reasoning_switch(effort: Effort) -> Fields:
    """Together's: a switch for models that can do both, the parameter for those that always think.

    >>> as_reasoning_switch("none"), as_reasoning_switch("low")
    ({'reasoning': {'enabled': False}}, {'reasoning_effort': 'low'})
    """
    return {"reasoning": {"enabled": False}} if effort == "none" else as_parameter(effort)


def as_thinking_object(effort: Effort) -> Fields:
    """DeepSeek's: an object that switches the thinking, never a truth value, and the parameter beside it.

    >>> as_thinking_object("none")
    {'thinking': {'type': 'disabled'}}
    """
    if effort == "none":
        return {"thinking": {"type": "disabled"}}
    return {"thinking": {"type": "enabled"}, **as_parameter(effort)}


def as_template_switch(effort: Effort) -> Fields:
    """The one of servers that fill a chat template: its switch, and the parameter for models that know degrees.

    >>> as_template_switch("none")
    {'chat_template_kwargs': {'enable_thinking': False}}
    """
    switch = {"chat_template_kwargs": {"enable_thinking": effort != "none"}}
    return switch if effort == "none" else {**switch, **as_parameter(effort)}


def not_sent(_: Effort) -> Fields:
    """Nothing: this provider ignores the parameter."""
    return {}
