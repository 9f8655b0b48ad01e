"""A range as a small picture: the 13 x 13 classes, the darker the likelier, with the words for those who cannot see it."""

from typing import Final
from xml.etree.ElementTree import Element, SubElement

from agent.console.markup import markup
from agent.poker.range_words import RangeWords
from agent.poker.ranges import CLASSES

_SIDE: Final = 13


def range_html(words: RangeWords) -> str:
    """The picture as HTML."""
    return markup(range_element(words))


def range_element(words: RangeWords) -> Element:
    """The picture; each class tells its name and level when pointed at."""
    picture = Element("svg", {"class": "range-picture", "viewBox": f"0 0 {_SIDE} {_SIDE}", "role": "img"})
    picture.set("aria-label", f"Range: {words.text}")
    for place, (name, level) in enumerate(zip(CLASSES, words.levels, strict=True)):
        row, column = divmod(place, _SIDE)
        cell = SubElement(picture, "rect", {"x": str(column), "y": str(row), "width": "0.92", "height": "0.92"})
        cell.set("class", "cell")
        cell.set("style", f"--level:{int(level) / 9:.2f}")
        SubElement(cell, "title").text = f"{name} {int(level)}/9"
    return picture
