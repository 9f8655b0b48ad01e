from xml.etree import ElementTree as ET

import pytest

from agent.evaluation.chart import HEIGHT, Panel, svg
from agent.evaluation.intervals import Interval

NAMES = {"svg": "http://www.w3.org/2000/svg"}
POINTS = tuple(
    (100 * n, Interval(50 / n, 50 / n - 20, 50 / n + 20) if n > 1 else Interval(50, None, None)) for n in range(1, 9)
)


def drawn(*panels: Panel) -> ET.Element:
    return ET.fromstring(svg(panels))


def test_a_panel_has_its_line_its_band_and_its_names() -> None:
    root = drawn(Panel("A <against> B", "hands", "bb/100", POINTS))
    (line,) = root.findall(".//svg:polyline", NAMES)
    assert len(line.attrib["points"].split()) == len(POINTS)
    (band,) = root.findall(".//svg:polygon", NAMES)
    # The band begins with the third point: there and back again.
    assert len(band.attrib["points"].split()) == 2 * (len(POINTS) - 2)
    texts = [text.text for text in root.findall(".//svg:text", NAMES)]
    assert {"A <against> B", "hands", "bb/100", "0", "800"} <= set(texts)


def test_all_that_is_drawn_lies_inside_its_panel() -> None:
    root = drawn(*(Panel("one", "hands", "bb/100", POINTS, mark=-300.0) for _ in range(2)))
    assert root.attrib["height"] == str(2 * HEIGHT)
    for shape in [*root.findall(".//svg:polyline", NAMES), *root.findall(".//svg:polygon", NAMES)]:
        for point in shape.attrib["points"].split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= float(root.attrib["width"])
            assert 0 <= y <= HEIGHT


def test_a_single_block_is_a_point() -> None:
    root = drawn(Panel("one", "hands", "bb/100", POINTS[:1]))
    assert len(root.findall(".//svg:circle", NAMES)) == 1
    assert not root.findall(".//svg:polygon", NAMES)


def test_nothing_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match="nothing to draw"):
        svg([])
    with pytest.raises(ValueError, match="nothing to draw"):
        svg([Panel("one", "hands", "bb/100", ())])
