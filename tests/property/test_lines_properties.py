"""The line protocol holds for any input."""

import codecs
import io
import json

from hypothesis import given, strategies as st

from c4core.lines import BadLine, parse_line, read_lines
from c4core.notation import BoardSize

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(data=st.binary(max_size=300))
def test_any_bytes_give_one_answer_for_each_line(data: bytes) -> None:
    answers = list(read_lines(io.BytesIO(data), board=BoardSize(7, 6)))
    lines = io.BytesIO(data.removeprefix(codecs.BOM_UTF8)).readlines()
    assert len(answers) >= len(lines)
    assert [answer.line for answer in answers] == list(range(1, len(answers) + 1))


@given(
    fields=st.dictionaries(
        st.sampled_from(["id", "moves", "grid", "key", "board", "other"]), json_values
    )
)
def test_any_object_gives_a_position_or_an_error(fields: dict[str, object]) -> None:
    answer = parse_line(json.dumps(fields), board=BoardSize(7, 6))
    if isinstance(answer, BadLine):
        assert answer.error
        assert answer.id == fields.get("id")
        assert answer.field in {"line", "moves", "grid", "key", "board"}
