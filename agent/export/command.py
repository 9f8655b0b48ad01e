"""`poker-agent logs export`: a row of the journal after the other, written as it is read; no more is held than one.

A row that cannot be told is left out and counted, so that the others get out. Where there is nothing to write, nothing is written.
"""

import csv
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import chain, islice
from pathlib import Path
from typing import Final, TypeVar

from rich.console import Console

from agent.export.formats import Format
from agent.export.html import page
from agent.export.phh import DAMAGED, NotReplayable, phh_of
from agent.export.redacted import hashed, redacted_decision, redacted_hand
from agent.export.rows import COLUMNS, Value, csv_row
from agent.export.target import file_in, is_folder, opened, staged
from agent.failure import ExitCode, Failure
from agent.journal.filters import Filter
from agent.journal.plain import as_json, as_plain
from agent.journal.reader import DecisionStory, Reader
from agent.journal.schema import JournalError
from agent.redaction import Secrets
from agent.settings import Settings
from agent.terminal.logs import NO_MATCH
from agent.terminal.progress import progress

PAGE_ROWS: Final = 200

_ORDINARY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What the command line asks for; `to` is None for the terminal, and for a page for a file in this folder.

    `page_rows` is how many rows are looked up at once.
    """

    form: Format
    where: Filter
    decision: str | None
    to: Path | None
    redact: bool
    page_rows: int = PAGE_ROWS


def export(settings: Settings, err: Console, options: ExportOptions) -> None:
    """Write what the filters let through, newest first; a `Failure` where there is nothing, or no file can be written."""
    if options.decision is not None and options.form is Format.PHH:
        raise Failure("--decision is for jsonl, csv and html: phh holds hands, see --hand", exit_code=ExitCode.UNUSABLE)
    secrets = Secrets(settings.secrets())

    def hide(text: str) -> str:
        # Half of a surrogate pair, which a frame can hold and no file, becomes its escape.
        return secrets.hide(text).encode("utf-8", "backslashreplace").decode("utf-8")

    with Reader(settings.journal_path) as reader:
        try:
            # Looked up once: a hand that ends meanwhile does not become the last one.
            _WRITERS[options.form](reader, err, replace(options, where=reader.meant(options.where)), hide)
        except BrokenPipeError:
            # Whoever read it has had enough. The command line ends without a word, as it does for lists.
            raise
        except OSError as error:
            place = error.filename or options.to or "the terminal"
            why = f"{place}: {error.strerror or error}"
            raise Failure(f"the export cannot be written: {why}", exit_code=ExitCode.FAILED) from None


Hide = Callable[[str], str]
Key = TypeVar("Key")
Made = TypeVar("Made")


def _write_page(reader: Reader, err: Console, options: ExportOptions, hide: Hide) -> None:
    refused = Counter[str]()
    named = replace(options, decision=_one_decision(reader, options))
    pages = _decisions(reader, err, named, lambda story: (story.decision.id, hide(page(story))), refused)
    ((decision_id, text),) = _some(pages, "decision", refused)
    name = f"decision-{decision_id}.html"
    path = file_in(options.to, name) or Path(name)
    with opened(path) as file:
        file.write(text)
    _tell(err, path, f"decision {decision_id}")


def _one_decision(reader: Reader, options: ExportOptions) -> str:
    if options.decision is not None:
        return options.decision
    found = list(islice(reader.decision_ids(options.where, page=2), 2))
    if len(found) != 1:
        many = "no decision" if not found else "more than one decision"
        raise Failure(
            f"a page holds one decision, and {many} matches these filters: name one with --decision ID (or `last`)",
            exit_code=ExitCode.UNUSABLE,
        )
    return found[0]


def _write_json_lines(reader: Reader, err: Console, options: ExportOptions, hide: Hide) -> None:
    _write_decisions(reader, err, options, "decisions.jsonl", lambda story: hide(as_json(story)) + "\n")


def _write_csv(reader: Reader, err: Console, options: ExportOptions, hide: Hide) -> None:
    def row(story: DecisionStory) -> str:
        values = csv_row(as_plain(story))
        return hide(_csv_line([values[name] for name in COLUMNS]))

    _write_decisions(reader, err, options, "decisions.csv", row, head=_csv_line(tuple(COLUMNS)))


def _csv_line(values: Sequence[Value]) -> str:
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()


def _write_decisions(
    reader: Reader,
    err: Console,
    options: ExportOptions,
    name: str,
    line: Callable[[DecisionStory], str],
    head: str = "",
) -> None:
    """Each decision as a `line` of one file, which has this name in a folder."""
    path, refused, written = file_in(options.to, name), Counter[str](), 0
    lines = _some(_decisions(reader, err, options, line, refused), "decision", refused)
    with opened(path) as file:
        file.write(head)
        for text in lines:
            file.write(text)
            written += 1
    _tell(err, path, _counted(written, "decision") + _left_out(refused))


def _write_hands(reader: Reader, err: Console, options: ExportOptions, hide: Hide) -> None:
    """Hands that pokerkit replays; a folder takes a file each, a file that ends in .phh one hand, every other file all."""
    refused = Counter[str]()
    hands = _some(_hands(reader, err, options, hide, refused), "hand", refused)
    if options.to is not None and is_folder(options.to):
        written = _write_folder(options.to, hands)
    elif options.to is not None and options.to.suffix == ".phh":
        written = _write_one(options.to, hands)
    else:
        written = 0
        with opened(options.to) as file:
            for written, (_, text) in enumerate(hands, 1):
                file.write(f"[{written}]\n{text}\n\n")
    _tell(err, options.to, _counted(written, "hand") + _left_out(refused))


def _write_folder(folder: Path, hands: Iterable[tuple[str, str]]) -> int:
    written = 0
    with staged(folder) as stage:
        for hand_id, text in hands:
            written += 1
            (stage / f"{_file_stem(hand_id)}.phh").write_text(text + "\n", encoding="utf-8")
    return written


def _write_one(path: Path, hands: Iterable[tuple[str, str]]) -> int:
    with opened(path) as file:
        found = list(islice(hands, 2))
        if len(found) != 1:
            raise Failure(f"{path} takes one hand: name a .phhs file for many", exit_code=ExitCode.UNUSABLE)
        file.write(f"{found[0][1]}\n")
    return 1


def _decisions(
    reader: Reader, err: Console, options: ExportOptions, make: Callable[[DecisionStory], Made], refused: Counter[str]
) -> Iterator[Made]:
    """What is made of each decision that is meant, newest first."""

    def made(decision_id: str) -> Made:
        story = reader.decision(decision_id)
        return make(redacted_decision(story) if options.redact else story)

    if options.decision is not None:
        total, ids = 1, iter((_named(reader, options.decision),))
    else:
        total, ids = reader.count_decisions(options.where), reader.decision_ids(options.where, page=options.page_rows)
    with progress(err, "decisions", total) as advance:
        yield from _each(ids, made, refused, advance)


def _named(reader: Reader, fragment: str) -> str:
    """The id of the decision that is meant by a part of it."""
    try:
        return reader.decision(fragment).decision.id
    except JournalError:
        raise
    except Exception as error:
        raise Failure(f"decision {fragment} cannot be told: {DAMAGED}: {error}", exit_code=ExitCode.FAILED) from error


def _hands(
    reader: Reader, err: Console, options: ExportOptions, hide: Hide, refused: Counter[str]
) -> Iterator[tuple[str, str]]:
    """Each hand's id and text, newest first, numbered without gaps."""
    number = 1

    def made(key: tuple[str, str]) -> tuple[str, str]:
        nonlocal number
        run_id, hand_id = key
        story = reader.hand(hand_id, run_id)
        hand = redacted_hand(story).hand if options.redact else story.hand
        text = hide(phh_of(hand, number))
        number += 1
        return hand.hand_id, text

    with progress(err, "hands", None) as advance:
        yield from _each(reader.hand_keys(options.where, page=options.page_rows), made, refused, advance)


def _each(
    keys: Iterable[Key], made: Callable[[Key], Made], refused: Counter[str], advance: Callable[[], None]
) -> Iterator[Made]:
    """What is made of each row; one of which nothing can be made is counted in `refused` instead, by the reason."""
    for key in keys:
        try:
            text = made(key)
        except NotReplayable as problem:
            refused[str(problem)] += 1
        except Exception as error:  # What was never written so can be at odds with anything that reads it.
            log.warning("%s is left out: %s: %s", key, type(error).__name__, error)
            refused[DAMAGED] += 1
        else:
            yield text
        advance()


def _some(made: Iterator[Made], what: str, refused: Counter[str]) -> Iterator[Made]:
    """The same, with the first of it made already; a `Failure` where nothing is, before any file is touched."""
    for first in made:
        return chain((first,), made)
    why = _left_out(refused) or f". {NO_MATCH.format(what)}"
    raise Failure(f"Nothing is written{why}", exit_code=ExitCode.UNUSABLE)


def _file_stem(hand_id: str) -> str:
    """The venue's id as a part of a file's name, where it can be one."""
    return hand_id if _ORDINARY.fullmatch(hand_id) else hashed(hand_id)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _left_out(refused: Counter[str]) -> str:
    """How many rows are not written, and why, as the end of a sentence; empty when all are."""
    why = "; ".join(f"{count:,} where {reason}" for reason, count in refused.most_common())
    return f", and {refused.total():,} left out: {why}" if refused else ""


def _tell(err: Console, path: Path | None, what: str) -> None:
    err.print(f"{path}: {what}" if path is not None else what, markup=False)


_WRITERS: Final = {
    Format.PHH: _write_hands,
    Format.JSONL: _write_json_lines,
    Format.CSV: _write_csv,
    Format.HTML: _write_page,
}
