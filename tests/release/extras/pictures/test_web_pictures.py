"""PNG and GIF pictures by address."""

import io

from PIL import Image

from tests.support.web_api import serving
from web.api.picture import PATH


def test_a_position_and_a_game() -> None:
    with serving() as api:
        for kind, frames in (("png", 1), ("gif", 5)):
            answer = api.client.get(f"{PATH}.{kind}?moves=4453")
            assert answer.headers["content-type"] == f"image/{kind}"
            with Image.open(io.BytesIO(answer.content)) as image:
                assert getattr(image, "n_frames", 1) == frames
