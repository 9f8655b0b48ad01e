import pytest
from jinja2.exceptions import SecurityError

from agent.decision.sandbox import MAX_STEPS, Sandbox


def render(text: str, **variables: object) -> str:
    return Sandbox().template(text).render(**variables)


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("{{ 1940 | chips }} {{ 0.415 | percent }} {{ 0.415 | percent(1) }}", "1,940 42 % 41.5 %"),
        (
            "{% for a in [3, 4] %}{{ loop.index }}/{{ loop.length }}:{{ a }}{{ ' ' if not loop.last }}{% endfor %}",
            "1/2:3 2/2:4",
        ),
        ("{% for a in [1, 2, 3] if a != 2 %}{{ a }}{% else %}none{% endfor %}", "13"),
        ("{% for a in [] %}{{ a }}{% else %}none{% endfor %}", "none"),
        ("{{ 2 ** 10 }} {{ 1.5 * 4 }} {{ '-' * 3 }} {{ 100 * share }} {{ [1] + [2] }}", "1024 6.0 --- 50.0 [1, 2]"),
    ],
)
def test_what_prompts_need_works_as_in_any_template(text: str, rendered: str) -> None:
    assert render(text, share=0.5) == rendered


@pytest.mark.parametrize(
    "text",
    [
        "{% for a in range(999) %}{% for b in range(999) %}{% endfor %}{% endfor %}",
        "{% for a in range(99999) %}{{ a }}{% endfor %}",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    ],
)
def test_loops_and_calls_without_end_are_ended(text: str) -> None:
    with pytest.raises(SecurityError, match="more than 50,000 rounds of loops and calls"):
        render(text)


@pytest.mark.parametrize(
    "text",
    [
        "{{ 9 ** 99999999 }}",
        "{{ 9 ** (9 ** 9) }}",
        "{{ n * n }}",
        "{{ 'word' * 999999999 }}",
        "{{ 999999999 * [1] }}",
        "{% set ns = namespace(x='word') %}{% for a in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    ],
)
def test_huge_values_are_refused(text: str) -> None:
    with pytest.raises(SecurityError, match="would make more than"):
        render(text, n=1 << 600)


def test_every_rendering_counts_from_the_beginning() -> None:
    template = Sandbox().template("{% for a in range(n) %}{% endfor %}done")

    assert [template.render(n=MAX_STEPS - 1) for _ in range(2)] == ["done", "done"]
