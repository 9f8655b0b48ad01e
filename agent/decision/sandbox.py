"""Where templates run: a Jinja2 sandbox in which a loop or a number too many is an error and not a hang.

Prompt sets are passed around, so their templates may do anything but harm. What one template does is counted and not timed:
a set that works on one machine works on all.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from jinja2 import StrictUndefined, Template, nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_STEPS: Final = 50_000
"""Rounds of loops and calls in one rendering; the shipped turns take a few dozen."""

MAX_LENGTH: Final = 100_000
"""Characters or entries of what an operator may make."""

MAX_BITS: Final = 1_000
"""Size of an integer that an operator may make."""

_COUNTED: Final = "counted"


class _BoundedTemplate(Template):
    """A template that begins to count anew with every rendering."""

    def render(self, *args: Any, **kwargs: Any) -> str:
        assert isinstance(self.environment, Sandbox)
        self.environment.steps = 0
        return super().render(*args, **kwargs)


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of prompt templates: strict, with the filters `chips` and `percent`, and bounded.

    Beyond a bound a rendering ends with a `SecurityError` that says which. Not for several threads at once.
    """

    template_class = _BoundedTemplate
    intercepted_binops = frozenset({"+", "*", "**"})

    def __init__(self) -> None:
        # Not HTML: prompts are plain text, and the values in them are numbers and our own words.
        super().__init__(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
        self.steps = 0
        self.filters["chips"] = lambda amount: f"{amount:,}"
        self.filters["percent"] = lambda share, digits=0: f"{100 * share:.{digits}f} %"
        self.filters[_COUNTED] = _counted

    def template(self, text: str) -> Template:
        """The compiled template of this text, whose loops are counted; raises what Jinja2 raises."""
        tree = self.parse(text)
        for loop in tree.find_all(nodes.For):
            loop.iter = nodes.Filter(loop.iter, _COUNTED, [], [], None, None, lineno=loop.iter.lineno)
        tree.set_environment(self)
        return self.from_string(tree)

    def take_step(self) -> None:
        """Count a round or a call."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise SecurityError(f"it takes more than {MAX_STEPS:,} rounds of loops and calls")

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call something in a template; calls are counted, so that macros cannot multiply."""
        self.take_step()
        return super().call(context, obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """The result of an operator, unless it would be huge."""
        if _is_huge(operator, left, right):
            raise SecurityError(
                f"{operator} would make more than {MAX_LENGTH:,} characters or entries, or a number of {MAX_BITS:,} bits"
            )
        return super().call_binop(context, operator, left, right)


@pass_context
def _counted(context: Context, items: Iterable[Any]) -> Iterator[Any]:
    environment = context.environment
    assert isinstance(environment, Sandbox)
    for item in items:
        environment.take_step()
        yield item


def _is_huge(operator: str, left: Any, right: Any) -> bool:
    match operator, left, right:
        case "**", int(), int():
            return left.bit_length() * abs(right) > MAX_BITS
        case "*", int(), int():
            return left.bit_length() + right.bit_length() > MAX_BITS
        case "*", (str() | list() | tuple()), int():
            return len(left) * right > MAX_LENGTH
        case "*", int(), (str() | list() | tuple()):
            return left * len(right) > MAX_LENGTH
        case "+", (str() | list() | tuple()), (str() | list() | tuple()):
            return len(left) + len(right) > MAX_LENGTH
    return False
