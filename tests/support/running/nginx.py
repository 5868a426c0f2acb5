"""A real nginx in front of a server."""

import re
import socket
from collections.abc import Sequence
from pathlib import Path

from tests.support.running.server_process import Server
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.web_server import ROOT

HTTP = """
daemon off;
pid {directory}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    {server}
}}
"""


class Nginx(Server):
    """nginx with the configuration of ``deploy/nginx``, but without TLS and with a short time.

    Behind it is a server, or another nginx. ``folder`` is the path under which the page is, such as
    ``/c4/``. ``source`` is the address from which it connects.
    """

    title = "nginx"
    package = "nginx"
    variable = "C4_TEST_NGINX"
    executable = "nginx"

    def __init__(self, web: Server, folder: str = "/", source: str = "127.0.0.1") -> None:
        super().__init__()
        text = (ROOT / "deploy/nginx/c4.conf").read_text()
        text = re.sub(r"\n *ssl_.*", "", text)
        for old, new in (
            ("listen 443 ssl", f"listen 127.0.0.1:{self.port}"),
            ("location / {", f"location {folder} {{\n        proxy_bind {source};"),
            ("127.0.0.1:8004/;", f"127.0.0.1:{web.port}/;"),
            ("client_header_timeout 10s", "client_header_timeout 1s"),
        ):
            assert old in text
            text = text.replace(old, new)
        config = HTTP.format(directory=self.directory, server=text)
        (self.directory / "nginx.conf").write_text(config)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _command(self) -> Sequence[str | Path]:
        return (self._program(), "-p", self.directory, "-c", self.directory / "nginx.conf")

    def _try(self) -> None:
        self.connected().close()

    def connected(self, source: str = "127.0.0.1") -> socket.socket:
        """A connection from an address of this machine."""
        return socket.create_connection(("127.0.0.1", self.port), HANG_SECONDS, (source, 0))
