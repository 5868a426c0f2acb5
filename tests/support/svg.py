"""Read pictures that were written as SVG."""

from xml.etree import ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
"""The prefix of element names."""


def parsed(text: str) -> ET.Element:
    """Parse the picture; malformed text is an error."""
    return ET.fromstring(text)  # noqa: S314 (our own)


def elements(text: str, name: str) -> list[ET.Element]:
    return list(parsed(text).iter(f"{SVG}{name}"))
