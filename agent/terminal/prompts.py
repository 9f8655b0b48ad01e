"""Prompt sets in the terminal: which there are, their files, a rendered prompt, and what a check found."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agent.terminal.text import plain


def render_sets(console: Console, folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print one row a set; the ones in use are marked."""
    console.print(plain(f"Prompt sets in {folder}"))
    if not rows:
        console.print("none: a set is a folder with a manifest.toml")
        return
    table = _table("set", "version", "hints", "what it is")
    for row in rows:
        name = plain(f"{row['set']} *" if row["in_use"] else row["set"])
        if row["problem"]:
            table.add_row(name, "", "", plain(row["problem"], "red"))
        else:
            words = row["description"] + (f"\nfor {'; '.join(row['models'])}" if row["models"] else "")
            table.add_row(name, plain(row["version"]), str(len(row["fragments"])), plain(words, lines=True))
    console.print(table)
    console.print("* in use (PROMPT_SET)")


def render_set(console: Console, told: Mapping[str, Any]) -> None:
    """Print a set's name and its files, each under its path."""
    console.print(plain(f"{told['name']} {told['version']}, hash {told['hash']}, in {told['folder']}"))
    for name, text in told["files"].items():
        console.print(_heading(name))
        console.print(plain(text.rstrip("\n"), lines=True), soft_wrap=True)


def render_prompt(console: Console, name: str, texts: Mapping[str, str], tokens: int) -> None:
    """Print the messages of a prompt as a model would get them."""
    for kind, text in texts.items():
        console.print(_heading(f"{name}: {kind}"))
        console.print(plain(text, lines=True), soft_wrap=True)
    console.print(_heading(f"about {tokens:,} tokens, system and turn together"))


def render_checks(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print what a check found, one line a set."""
    for row in rows:
        if row["problem"]:
            console.print(Text("✗ ", "red").append_text(plain(f"{row['set']}: {row['problem']}")))
            continue
        words = (
            f"{row['set']}: {row['name']} {row['version']}, hash {row['hash']}, renders on {row['spots']} sample spots; "
            f"the longest, {row['longest_spot']}, takes about {row['about_tokens']:,} tokens"
        )
        console.print(Text("✓ ", "green").append_text(plain(words)))


def render_variables(console: Console, told: Mapping[str, Sequence[tuple[str, str, str]]]) -> None:
    """Print the variables of each template."""
    for template, rows in told.items():
        console.print(f"{template}.j2" + (" and fragments" if template == "turn" else ""))
        table = _table("variable", "type", "meaning")
        for row in rows:
            table.add_row(*map(plain, row))
        console.print(table)


def _heading(title: str) -> Rule:
    return Rule(plain(title), align="left", style="dim")


def _table(*titles: str) -> Table:
    table = Table(box=SIMPLE_HEAD)
    for title in titles:
        table.add_column(title, overflow="fold")
    return table
