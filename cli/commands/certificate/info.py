"""``c4 certificate info``: what a certificate claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.commands.certificate import options
from cli.shell.commands import Command

if TYPE_CHECKING:
    from c4core.proof.format import CertificateInfo
    from cli.shell.settings import Settings

EXAMPLES = ("c4 certificate info small.c4proof", "c4 certificate info small.c4proof --json")


@click.command(cls=Command, database=False, examples=EXAMPLES)
@options.file_argument
@click.pass_obj
def info(settings: Settings, *, file: str) -> None:
    """Show what a certificate claims. Whether it proves that "c4 certificate verify" says."""
    said = options.opened(file).info
    if settings.json:
        from cli.output.formats import write_object

        write_object({"file": file, **as_object(said)})
        return
    from c4core.proof.format import RULES
    from cli.output import render
    from cli.output.render import count
    from cli.output.tables import write_facts

    rules = [name for number, name in enumerate(RULES) if said.rules >> number & 1]
    facts = {
        "certificate": file,
        "claim": f"{options.place(said)} {options.claim(said)}",
        "rules": ", ".join(rules) or "none",
    }
    for half in said.halves:
        name = f"at {'most' if half.upper else 'least'} {half.bound}"
        facts[name] = f"{count(half.positions, 'position')}, {count(half.code_bytes, 'byte')}"
    facts["size"] = count(said.file_bytes, "byte")
    facts["made by"] = f"engine {said.engine_version}"
    write_facts(facts)
    if said.start.ply:
        out = render.console()
        out.print()
        out.print(render.board(said.start, None))


def as_object(said: CertificateInfo) -> dict[str, object]:
    """What a certificate says about itself, as a JSON object."""
    from c4core.proof.format import RULES

    return {
        "board": str(said.board),
        "start": said.start.key,
        "lower": said.lower,
        "upper": said.upper,
        "rules": [name for number, name in enumerate(RULES) if said.rules >> number & 1],
        "positions": said.positions,
        "bytes": said.file_bytes,
        "engine_version": said.engine_version,
        "halves": [
            {
                "bound": "upper" if half.upper else "lower",
                "score": half.bound,
                "positions": half.positions,
                "bytes": half.code_bytes,
                "plies": list(half.plies),
            }
            for half in said.halves
        ],
    }
