"""Elements as the HTML that a page shows: whatever text they hold is escaped, in attributes too."""

from xml.etree.ElementTree import Element, tostring


def markup(element: Element) -> str:
    """The element as HTML. No element without an end tag, such as `img`, may be in it.

    >>> drawn = Element("b", {"title": "<i>"})
    >>> drawn.text = "<script>"
    >>> markup(drawn)
    '<b title="&lt;i&gt;">&lt;script&gt;</b>'
    """
    return tostring(element, encoding="unicode", short_empty_elements=False)
