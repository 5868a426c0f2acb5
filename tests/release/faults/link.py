"""PostgreSQL behind a network link that can be cut, as if on another machine.

The server runs in a network namespace, at the far end of a virtual Ethernet link. When the link is
cut, packets vanish: connections hang, new ones are not answered, and both ends retry at growing
intervals. Processes of this machine still reach the server through its socket in the file system.
"""

import os
import subprocess
from contextlib import suppress
from typing import Final

from sqlalchemy.engine import make_url

from tests.support.running.servers import PostgreSQLServer

_NUMBER: Final = os.getpid() % (1 << 14)
_NETWORK: Final = f"10.213.{_NUMBER >> 6}.{{}}"
# Other tests may be running.
HERE: Final = _NETWORK.format(4 * (_NUMBER & 63) + 1)
THERE: Final = _NETWORK.format(4 * (_NUMBER & 63) + 2)
NEAR_END: Final = f"c4h{os.getpid()}"
FAR_END: Final = "c4n"
FAR_ADDRESS: Final = "02:c4:00:00:00:02"


class DistantPostgreSQL(PostgreSQLServer):
    """The server at the end of the link; both end together. Only root can create one."""

    apart = ("unshare", "--net", "--")
    listens = "*"

    def __init__(self) -> None:
        super().__init__(durable=True)

    @property
    def url(self) -> str:
        return f"postgresql://c4@/postgres?host={self.directory}&port={self.port}"

    def by_link(self, url: str) -> str:
        way = make_url(url).set(host=THERE, port=self.port, query={})
        return way.render_as_string(hide_password=False)

    def start(self) -> None:
        super().start()
        far = ("peer", "name", FAR_END, "address", FAR_ADDRESS, "netns", str(self.pid))
        _run("ip", "link", "add", NEAR_END, "type", "veth", *far)
        _run("ip", "address", "add", f"{HERE}/30", "dev", NEAR_END)
        _run("ip", "link", "set", NEAR_END, "up")
        # A permanent entry: otherwise a missing answer to "who has" ends connections early with an
        # error.
        permanent = ("lladdr", FAR_ADDRESS, "dev", NEAR_END, "nud", "permanent")
        _run("ip", "neighbour", "replace", THERE, *permanent)
        self._there("ip", "address", "add", f"{THERE}/30", "dev", FAR_END)
        self.mend()

    def close(self) -> None:
        # Done now and not at the end of the namespace, which cut connections keep alive for
        # minutes.
        with suppress(subprocess.CalledProcessError, FileNotFoundError):
            _run("ip", "link", "delete", NEAR_END)
        super().close()

    def cut(self) -> None:
        self._there("ip", "link", "set", FAR_END, "down")

    def mend(self) -> None:
        self._there("ip", "link", "set", FAR_END, "up")

    def _prepare(self) -> None:
        super()._prepare()
        with (self.data / "pg_hba.conf").open("a") as file:
            file.write(f"host all all {HERE}/32 trust\n")

    def _there(self, *command: str) -> None:
        _run("nsenter", "--target", str(self.pid), "--net", *command)


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
