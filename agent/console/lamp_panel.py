"""What the lamp shows, as HTML: equity against the price, the recommendation, every option's worth, and the ranges read."""

from xml.etree.ElementTree import Element, SubElement

from agent.console.lamp import Advice
from agent.console.markup import markup
from agent.console.range_picture import range_element
from agent.poker.spot import Action, Spot, Verb
from agent.strategy.policy.options import Option
from agent.terminal.text import plain


def action_words(action: Action, spot: Spot) -> str:
    """An action as its button calls it.

    >>> from agent.poker.spot_text import spot_from
    >>> spot = spot_from({"hole_cards": "AsKd", "hero_seat": 0, "button_seat": 3, "start_stacks": {"0": 2000, "3": 2000}})
    >>> action_words(Action(Verb.CALL), spot), action_words(Action(Verb.RAISE, 60), spot)
    ('call 10', 'raise to 60')
    """
    highest = max(player.bet_chips for player in spot.players)
    match action.verb:
        case Verb.CALL:
            return f"call {spot.to_call_chips:,}"
        case Verb.RAISE:
            return f"raise to {action.raise_to_chips:,}" if highest else f"bet {action.raise_to_chips:,}"
        case Verb.ALL_IN:
            return f"all in, {spot.hero.stack_chips + spot.hero.bet_chips:,}"
        case verb:
            return str(verb)


def advice_html(advice: Advice, spot: Spot) -> str:
    """The advice for a turn."""
    root = Element("div", {"class": "advice"})
    _recommendation(root, advice, spot)
    table = SubElement(root, "table", {"class": "odds-table"})
    heads = SubElement(SubElement(table, "thead"), "tr")
    for title in ("Option", "EV", "All fold", "Equity"):
        SubElement(heads, "th", {"scope": "col"}).text = title
    body = SubElement(table, "tbody")
    for option in advice.options:
        row = SubElement(body, "tr", {"class": "chosen"} if option.action == advice.action else {})
        SubElement(row, "th", {"scope": "row"}).text = action_words(option.action, spot)
        for text in _worth(option):
            SubElement(row, "td").text = text
    ranges = SubElement(root, "div", {"class": "advice-ranges"})
    for name, words in advice.ranges.items():
        figure = SubElement(ranges, "figure")
        figure.append(range_element(words))
        caption = SubElement(figure, "figcaption")
        SubElement(caption, "bdi").text = plain(name).plain
        SubElement(caption, "span").text = f" {words.text}"
    return markup(root)


def _recommendation(root: Element, advice: Advice, spot: Spot) -> None:
    said = SubElement(root, "p", {"class": "advice-said"})
    SubElement(said, "strong").text = action_words(advice.action, spot).capitalize()
    SubElement(said, "span").text = f". {advice.reason[:1].upper()}{advice.reason[1:]}."
    equity, report = SubElement(root, "p", {"class": "advice-equity"}), advice.equity
    slack = "" if not report.stderr else f" ± {196 * report.stderr:.1f}"
    text = f"Equity against the estimated ranges {100 * report.equity:.1f} %{slack}"
    price = f", a call must win {100 * advice.required:.1f} %" if advice.required else ", checking is free"
    SubElement(equity, "span").text = text + price
    bar = SubElement(root, "div", {"class": "advice-bar", "aria-hidden": "true"})
    bar.set("style", f"--share:{100 * report.equity:.1f}%;--price:{100 * advice.required:.1f}%")
    SubElement(bar, "span", {"class": "advice-share"})
    if advice.required:
        SubElement(bar, "span", {"class": "advice-price"})


def _worth(option: Option) -> tuple[str, str, str]:
    fold = "-" if option.fold_share is None else f"{100 * option.fold_share:.0f} %"
    equity = "-" if option.equity is None else f"{100 * option.equity:.0f} %"
    return "not advised" if option.braked else f"{option.ev_chips:+,.0f}", fold, equity
