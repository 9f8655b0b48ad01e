"""`poker-agent logs export`: a page of the journal after the other, written as it is read; nothing is held but that page."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Final

from rich.console import Console

from agent.export.formats import Format
from agent.export.html import page
from agent.export.phh import NotReplayable, phh_of
from agent.export.redacted import hashed, redacted_decision, redacted_hand
from agent.export.rows import COLUMNS, csv_row
from agent.export.target import file_in, is_folder, opened, staged
from agent.failure import ExitCode, Failure
from agent.journal.filters import Filter
from agent.journal.plain import as_json, as_plain
from agent.journal.reader import DecisionStory, Reader
from agent.journal.stories import HandStory
from agent.redaction import Secrets
from agent.settings import Settings
from agent.terminal.progress import progress

PAGE_ROWS: Final = 200

_ORDINARY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What the command line asks for; `to` is None for the terminal, and for a page for a file in this folder.

    `page_rows` is how much of the journal is held at once.
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
        except OSError as error:
            place = error.filename or options.to or "the terminal"
            why = f"{place}: {error.strerror or error}"
            raise Failure(f"the export cannot be written: {why}", exit_code=ExitCode.FAILED) from None


Hide = Callable[[str], str]


def _write_page(reader: Reader, err: Console, options: ExportOptions, hide: Hide) -> None:
    story = _one_decision(reader, options)
    name = f"decision-{story.decision.id}.html"
    path = file_in(options.to, name) or Path(name)
    with opened(path) as file:
        file.write(hide(page(redacted_decision(story) if options.redact else story)))
    _tell(err, path, f"decision {story.decision.id}")


def _one_decision(reader: Reader, options: ExportOptions) -> DecisionStory:
    if options.decision is not None:
        return reader.decision(options.decision)
    found = reader.decisions(2, options.where)
    if len(found) != 1:
        many = "no decision" if not found else "more than one decision"
        raise Failure(
            f"a page holds one decision, and {many} matches these filters: name one with --decision ID (or `last`)",
            exit_code=ExitCode.UNUSABLE,
        )
    return reader.decision(found[0].id)


def _write_json_lines(reader: Reader, err: Console, options: ExportOptions, hide: Hide) -> None:
    path, count = file_in(options.to, "decisions.jsonl"), 0
    with opened(path) as file:
        for story in _stories(reader, err, options):
            file.write(hide(as_json(story)) + "\n")
            count += 1
    _tell(err, path, _counted(count, "decision"))


def _write_csv(reader: Reader, err: Console, options: ExportOptions, hide: Hide) -> None:
    path, count = file_in(options.to, "decisions.csv"), 0
    with opened(path) as file:
        row = StringIO()
        table = csv.DictWriter(row, tuple(COLUMNS), lineterminator="\n")
        table.writeheader()
        for story in _stories(reader, err, options):
            table.writerow(csv_row(as_plain(story)))
            file.write(hide(row.getvalue()))
            row.seek(0)
            row.truncate()
            count += 1
        file.write(row.getvalue())
    _tell(err, path, _counted(count, "decision"))


def _write_hands(reader: Reader, err: Console, options: ExportOptions, hide: Hide) -> None:
    """Hands that pokerkit replays; a folder takes a file each, a file that ends in .phh one hand, every other file all."""
    refused = Counter[str]()
    hands = _texts(reader, err, options, hide, refused)
    if options.to is not None and is_folder(options.to):
        written = _write_folder(options.to, hands)
    elif options.to is not None and options.to.suffix == ".phh":
        written = _write_one(options.to, hands)
    else:
        written = 0
        with opened(options.to) as file:
            for written, (_, text) in enumerate(hands, 1):
                file.write(f"[{written}]\n{text}\n\n")
    why = "; ".join(f"{count:,} where {reason}" for reason, count in refused.most_common())
    _tell(
        err, options.to, _counted(written, "hand") + (f", and {refused.total():,} left out: {why}" if refused else "")
    )


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
            why = "no hand that it can hold matches: see the filters" if not found else "name a .phhs file for many"
            raise Failure(f"{path} takes one hand: {why}", exit_code=ExitCode.UNUSABLE)
        file.write(f"{found[0][1]}\n")
    return 1


def _texts(
    reader: Reader, err: Console, options: ExportOptions, hide: Hide, refused: Counter[str]
) -> Iterator[tuple[str, str]]:
    """Each hand's id and text; those that cannot be replayed are counted in `refused` instead, by the reason."""
    number = 1
    for story in _hands(reader, err, options):
        try:
            text = hide(phh_of(story.hand, number))
        except NotReplayable as problem:
            refused[str(problem)] += 1
        else:
            number += 1
            yield story.hand.hand_id, text


def _stories(reader: Reader, err: Console, options: ExportOptions) -> Iterator[DecisionStory]:
    """The decisions that are meant, page by page, newest first."""
    if options.decision is not None:
        yield _story(reader, options, options.decision)
        return
    with progress(err, "decisions", reader.statistics(options.where).decisions) as advance:
        before = None
        while lines := reader.decisions(options.page_rows, options.where, before):
            for line in lines:
                yield _story(reader, options, line.id)
                advance()
            before = lines[-1].id


def _story(reader: Reader, options: ExportOptions, fragment: str) -> DecisionStory:
    story = reader.decision(fragment)
    return redacted_decision(story) if options.redact else story


def _hands(reader: Reader, err: Console, options: ExportOptions) -> Iterator[HandStory]:
    with progress(err, "hands", None) as advance:
        before = None
        while lines := reader.hands(options.page_rows, options.where, before):
            for line in lines:
                story = reader.hand(line.hand.hand_id, line.run_id)
                yield redacted_hand(story) if options.redact else story
                advance()
            before = lines[-1].cursor


def _file_stem(hand_id: str) -> str:
    """The venue's id as a part of a file's name, where it can be one."""
    return hand_id if _ORDINARY.fullmatch(hand_id) else hashed(hand_id)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _tell(err: Console, path: Path | None, what: str) -> None:
    err.print(f"{path}: {what}" if path is not None else what, markup=False)


_WRITERS: Final = {
    Format.PHH: _write_hands,
    Format.JSONL: _write_json_lines,
    Format.CSV: _write_csv,
    Format.HTML: _write_page,
}
