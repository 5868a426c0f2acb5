"""Find wording that confuses English readers. ``make lint`` runs it; every match is an error.

It reads comments, docstrings, strings, the page's labels and the documents. ``--count`` prints the
number of matches of each pattern in each package instead. A line that has to keep a match, because
it quotes something, ends with ``words: ok``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]

START = {
    "begins with a preposition": (
        r"About|After|Against|Among|As|At|Before|Behind|Beside|Between|By|For|From|In|Into|Of|On|"
        r"Out|Over|Through|To|Under|Upon|With|Within|Without"
    ),
    "begins with a clause": r"How|So|That|There|Those|What|Where|Which|Who|Whom|Whose",
}
"""The first words that a docstring must not have."""

ANYWHERE = {
    '"is no"': r"(?<!there )\b(?:am|are|be|is|was|were) (?:no|(?-i:none))\b(?! (?:longer|more))",
    '"has not"': r"\b(?:had|has|have) not (?:a|an|any|the)\b|\bneeds? no\b",
    '"whoever"': r"\b(?:whatever|whichever|whoever|wherever|whosoever)\b",
    '"so many"': r"\b(?:so (?:few|many|much)|that many|as many as there)\b",
    '"what there is"': (
        r"\bwhat (?:there|nobody|somebody|everybody)\b|(?<!\w)(?:of|with|than|from|by|for) what\b|"
        r"(?:^|[.:;(] )what (?!if\b)[^?.]*(?:[.:;]|$)"
    ),
    '"those who"': (
        r"\b(?:those|the one|the ones) (?:of|that|who|whose|which|with)\b|\bwho(?:m)? asks?\b|"
        r"\bthat which\b"
    ),
    '".."': r"(?<![.\w/'\"])\.\.(?![./\w'\"])",
    "a word with another meaning": (
        r"\bforth\b|\bof old\b|\bdear(?:er|est)?\b|\b(?:is|are|was|were|be|been) told\b|"
        r"\btells? (?:whether|what|how|who)\b|\bstands? (?:in|beside|at|on|there|behind)\b|"
        r"\blies? (?:in|beside|at|there)\b|\bdone without\b|\bthe (?:wish|desk|seat|seats)\b|"
        r"\bstrangers?\b|\bone another's turn\b|\bby turns\b|\bwanders?\b|\bthe like\b|\baught\b"
    ),
}
"""Patterns that no text contains."""

SUFFIXES = {".py", ".pyx", ".pxd", ".pxi", ".pyi", ".h", ".js", ".css", ".html", ".md"}
PYTHON = re.compile(
    r'(?P<doc>^[ \t]*[rR]?"""(?:\\.|[^\\])*?""")'
    r'|(?P<string>\b[rRbBfF]{0,2}"""(?:\\.|[^\\])*?"""|"""(?:\\.|[^\\])*?"""'
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|(?P<comment>#[^\n]*)',
    re.DOTALL | re.MULTILINE,
)
SCRIPT = re.compile(
    r"(?P<comment>/\*.*?\*/|(?<![:\w])//[^\n]*)|(?P<string>`(?:\\.|[^`\\])*`"
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')',
    re.DOTALL,
)
FENCED = re.compile(r"^( *)(```|~~~).*?^\1\2 *$|<!--.*?-->", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"``.*?``|`[^`\n]*`|:\w+:|\]\([^)]*\)|https?://\S+", re.DOTALL)
EXAMPLE = re.compile(r"^ *(?:>>>|\.\.\.|\.\. ).*$", re.MULTILINE)


class Match(NamedTuple):
    """A pattern found in a file."""

    path: str
    line: int
    pattern: str
    text: str


def texts(path: Path, source: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the texts that people read: offset, text, and whether it is a docstring."""
    if path.suffix in {".md", ".html"}:
        yield 0, FENCED.sub(blank, source), False
        return
    pattern = PYTHON if path.suffix.startswith(".p") else SCRIPT
    for found in pattern.finditer(source):
        yield found.start(), found.group(), found.lastgroup == "doc"


def blank(found: re.Match[str]) -> str:
    """The match with a space for each character except line ends."""
    return re.sub(r"[^\n]", " ", found.group())


def check(path: Path) -> Iterator[Match]:
    """Every match in a file."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    name = str(path.relative_to(ROOT))

    def match(offset: int, pattern: str) -> Iterator[Match]:
        line = source.count("\n", 0, offset)
        if not lines[line].rstrip('"').endswith("words: ok"):
            yield Match(name, line + 1, pattern, lines[line].strip())

    for offset, raw, is_docstring in texts(path, source):
        text = EXAMPLE.sub(blank, CODE.sub(lambda found: "x" * len(found.group()), raw))
        if is_docstring:
            first = re.match(r'\s*[rR]?"""\s*(\w+)', text)
            for pattern, words in START.items():
                if first and re.fullmatch(words, first[1]):
                    yield from match(offset + first.start(1), pattern)
        flat = re.sub(r"\n[ \t]*(?:#|\*|//)?[ \t]*", lambda found: " " * len(found.group()), text)
        flat = re.sub(r"  +", squeeze, flat)
        for pattern, words in ANYWHERE.items():
            for found in re.finditer(words, flat, re.IGNORECASE):
                yield from match(offset + found.start(), pattern)


def squeeze(found: re.Match[str]) -> str:
    """One space, after null characters that keep the offsets and match nothing."""
    return "\0" * (len(found.group()) - 1) + " "


def main() -> int:
    """Print every match, or the counts; the exit code is 1 if there is a match."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.split()
    chosen = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    found = [
        match
        for name in listed
        if Path(name).suffix in SUFFIXES
        and (ROOT / name).exists()
        and (not chosen or any(name.startswith(each) for each in chosen))
        and Path(name) != Path(__file__).relative_to(ROOT)
        for match in check(ROOT / name)
    ]
    if "--count" in sys.argv:
        counts = Counter((match.path.partition("/")[0], match.pattern) for match in found)
        packages = sorted({package for package, _ in counts})
        print(f"{'':30}", *(f"{package:>10}" for package in packages))
        for pattern in [*START, *ANYWHERE]:
            print(f"{pattern:30}", *(f"{counts[package, pattern]:10}" for package in packages))
    else:
        for match in found:
            print(f"{match.path}:{match.line}: {match.pattern}: {match.text}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
