"""The answer of the odds page, in words and as HTML."""

from xml.etree.ElementTree import Element, SubElement

from agent.console.markup import markup
from agent.console.odds_question import Answer


def how_found(answer: Answer, *, is_stopped: bool = False) -> str:
    """How the answer was computed, in words; `is_stopped` when it could have become better."""
    first = answer.reports[0]
    if first.method == "table":
        return "Exact, from the table of all hands before the flop"
    if answer.is_exact:
        return f"Exact: all {first.trials:,} deals enumerated"
    state = "" if answer.is_final else ", stopped" if is_stopped else ", going on"
    return f"Sampled: {first.trials:,} deals{state}"


def answer_html(answer: Answer) -> str:
    """The equities as a table, and how often the first hand ends as what."""
    root = Element("div")
    table = SubElement(root, "table", {"class": "odds-table"})
    heads = SubElement(SubElement(table, "thead"), "tr")
    for title in ("Hand", "Equity", "95 % interval", "Win", "Tie", "Lose"):
        SubElement(heads, "th", {"scope": "col"}).text = title
    body = SubElement(table, "tbody")
    for label, report in zip(answer.labels, answer.reports, strict=True):
        row = SubElement(body, "tr")
        SubElement(row, "th", {"scope": "row"}).text = label
        equity = SubElement(row, "td", {"class": "equity", "style": f"--share:{100 * report.equity:.1f}%"})
        equity.text = f"{100 * report.equity:.2f} %"
        low, high = 100 * report.ci_low, 100 * report.ci_high
        SubElement(row, "td").text = "exact" if answer.is_exact else f"{low:.2f} to {high:.2f} %"
        for part in (report.win, report.tie, report.lose):
            SubElement(row, "td").text = "-" if part is None else f"{100 * part:.2f} %"
    if answer.ends_as:
        ends = ", ".join(f"{name} {100 * share:.1f} %" for name, share in answer.ends_as.items() if share)
        SubElement(root, "p", {"class": "odds-ends"}).text = f"{answer.labels[0]} ends as: {ends}"
    return markup(root)
