"""Reading pictures that were written as SVG."""

from xml.etree import ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
"""What the names of elements begin with."""


def parsed(text: str) -> ET.Element:
    """The picture; an error where it is not well-formed."""
    return ET.fromstring(text)  # noqa: S314 (our own)


def elements(text: str, name: str) -> list[ET.Element]:
    """The elements of a name, in order."""
    return list(parsed(text).iter(f"{SVG}{name}"))
