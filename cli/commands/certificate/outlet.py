"""Where a certificate goes that a job has made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.positions.books import refuse_existing

if TYPE_CHECKING:
    from cli.shell.settings import Settings


@dataclass(frozen=True, slots=True)
class Outlet:
    """A file that a certificate is written to."""

    name: str
    force: bool
    """Whether another file of this name may be replaced."""

    def check(self) -> None:
        """Make sure that the file can be written and that no other one is lost.

        Raises:
            click.BadParameter: it cannot, or another file is there.
        """
        from cli.output import targets

        if targets.checked(self.name, option="--out").exists() and not self.force:
            refuse_existing(self.name)

    def write(self, settings: Settings, content: bytes, job_id: int, seconds: float | None) -> None:
        """Write the certificate, and say what it claims.

        Args:
            settings: how much talk.
            content: the bytes of the file.
            job_id: the job that has made it.
            seconds: the time that took, if it is known.

        Raises:
            click.BadParameter: another file has come meanwhile.
            OSError: the file cannot be written.
        """
        from c4core.files import atomic_file
        from c4core.proof import Certificate
        from cli.commands.certificate.options import claim, place
        from cli.output import targets
        from cli.output.render import count, duration

        self.check()  # hours may have gone by
        try:
            with atomic_file(targets.checked(self.name, option="--out")) as beside:
                beside.write_bytes(content)
        except OSError as error:
            error.filename = self.name  # a full disk does not say which file
            settings.say(
                f"The proof is kept; write it with: c4 certificate write {job_id} --out FILE"
            )
            raise
        info = Certificate(content, path=self.name).info
        took = "" if seconds is None else f", in {duration(seconds)}"
        settings.say(
            f"{self.name}: {place(info)} {claim(info)}; {count(info.positions, 'position')}, "
            f"{count(info.file_bytes, 'byte')}{took}"
        )
        if settings.json:
            from cli.commands.certificate.info import as_object
            from cli.output.formats import write_object

            about = {"seconds": round(seconds, 3)} if seconds is not None else {}
            write_object({"file": self.name, **as_object(info), "job": job_id, **about})
