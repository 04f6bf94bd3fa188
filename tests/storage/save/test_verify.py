"""The checks of a written file: each says no to what it is there for, in its own words."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import gguf_construct as gc
from gguf_construct.core import kaitai_reader
from gguf_construct.core.codec import parse
from gguf_construct.errors import VerificationError
from gguf_construct.planning.options import SaveOptions
from gguf_construct.storage.save.verify import (
    LEVELS,
    TensorFacts,
    check_header,
    check_tensors,
    content_of,
    make_check,
    readable,
)
from tests.support import builders as b
from tests.support.cases_valid import base, weight

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAIRS = (
    b.Pair(b"x.text", b.text("one")),
    b.Pair(b"x.list", b.array(b.STRING, b"a", b"bc")),
    b.Pair(b"x.deep", b.array(b.ARRAY, b.Array(b.UINT8, (1, 2)), b.Array(b.STRING, (b"z",)))),
    b.Pair(b"x.nan", b.Value(b.FLOAT32, 0x7FC12345)),
    b.Pair(b"x.flag", b.boolean(1)),
)
TENSORS = (weight(), weight(name=b"other"))


def built(*pairs: b.Pair, **how: Any) -> bytes:
    how.setdefault("tensors", TENSORS)
    return b.build(base(*(pairs or PAIRS), **how)).data


def check(level: str, wanted: bytes, written: bytes, folder: Path) -> None:
    """What the check of a level says of `written` where `wanted` was to be written."""
    path = folder / "m.gguf"
    path.write_bytes(wanted)
    with gc.open(path) as model:
        judge = make_check(model, model.source, SaveOptions(verify=level))
        assert judge is not None
        path.write_bytes(written)
        judge(os.fspath(path))


def test_levels(tmp_path: Path) -> None:
    assert LEVELS == ("none", "header", "full", "kaitai")
    with gc.open(built()) as model:
        assert make_check(model, model.source, SaveOptions(verify="none")) is None
        with pytest.raises(VerificationError, match="'some' is no check") as caught:
            make_check(model, model.source, SaveOptions(verify="some"))
    assert caught.value.hint == "there are none, header, full, kaitai"


@pytest.mark.parametrize("level", ["header", "full", "kaitai"])
@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
def test_what_was_to_be_written_passes(level: str, order: b.ByteOrder, tmp_path: Path) -> None:
    data = built(byte_order=order, tensors=())
    check(level, data, data, tmp_path)
    data = built(byte_order=order, tensors=(weight(order),))
    check(level, data, data, tmp_path)


METADATA = "its metadata are not the ones that were to be written"
TENSOR = "its tensors are not the ones that were to be written"
WRONG: list[tuple[str, bytes, str]] = [
    ("value", built(b.Pair(b"x.text", b.text("two")), *PAIRS[1:]), METADATA),
    ("key", built(b.Pair(b"x.texd", b.text("one")), *PAIRS[1:]), METADATA),
    ("missing", built(*PAIRS[:-1]), METADATA),
    ("more", built(*PAIRS, b.Pair(b"x.more", b.u8(1))), METADATA),
    ("order", built(PAIRS[1], PAIRS[0], *PAIRS[2:]), METADATA),
    ("name", built(tensors=(weight(), weight(name=b"others"))), TENSOR),
    ("type", built(tensors=(weight()._replace(type=26), TENSORS[1])), TENSOR),
    ("dims", built(tensors=(weight()._replace(dims=(4, 2)), TENSORS[1])), TENSOR),
    ("fewer", built(tensors=TENSORS[:1]), TENSOR),
    ("cut", built()[:-20], "the data of a tensor are not all there"),
    ("unreadable", built()[:100], "it cannot be read again"),
]


@pytest.mark.parametrize("level", ["header", "full", "kaitai"])
@pytest.mark.parametrize(("what", "written", "words"), WRONG, ids=[one[0] for one in WRONG])
def test_each_difference_is_told(
    level: str, what: str, written: bytes, words: str, tmp_path: Path
) -> None:
    with pytest.raises(VerificationError, match=f"failed its check: {words}") as caught:
        check(level, built(), written, tmp_path)
    assert "the old file is as it was" in str(caught.value.hint)


def test_only_the_hash_sees_the_data(tmp_path: Path) -> None:
    written = bytearray(built())
    written[-8] ^= 1
    check("header", built(), bytes(written), tmp_path)
    check("kaitai", built(), bytes(written), tmp_path)
    with pytest.raises(VerificationError, match="the hash of a pair or of a tensor is another one"):
        check("full", built(), bytes(written), tmp_path)


def test_the_reserve_may_change(tmp_path: Path) -> None:
    key = b"gguf_construct.padding"
    one, other = (b.Pair(key, b.array(b.UINT8, *[0] * n)) for n in (10, 42))
    for level in ("header", "full", "kaitai"):
        check(level, built(*PAIRS, one), built(*PAIRS, other), tmp_path)
        check(level, built(*PAIRS, one), built(), tmp_path)


def test_another_form_is_compared_by_keys_and_types() -> None:
    wanted = content_of(parse(built()))
    check_header(wanted, parse(built(byte_order=b.BIG)))
    check_header(wanted, parse(built(version=2)))
    changed = b.Pair(b"x.text", b.u8(1))
    with pytest.raises(VerificationError, match=METADATA):
        check_header(wanted, parse(built(changed, *PAIRS[1:], byte_order=b.BIG)))


def test_data_that_were_cut_before_may_stay_so() -> None:
    whole, cut = TensorFacts(b"t", (8,), 0, True), TensorFacts(b"t", (8,), 0, False)
    check_tensors([cut], [cut])
    check_tensors([cut], [whole])
    check_tensors([whole], [whole])
    with pytest.raises(VerificationError, match="not all there"):
        check_tensors([whole], [cut])


def test_only_the_end_of_the_data_counts() -> None:
    document = parse(built())
    end = max(one.data_offset + one.size for one in document.tensors.all)
    for size, is_whole in ((end, True), (end - 1, False)):
        facts = content_of(parse(built()[:size])).tensors
        assert all(one.is_whole for one in facts) is is_whole


def test_other_errors_are_not_taken_for_a_failed_check() -> None:
    with pytest.raises(KeyError, match="mine"), readable():
        raise KeyError("mine")


class _Lying:
    """The Kaitai reader, whose answer is changed on its way."""

    def __init__(self, lie: Callable[[Any], None]) -> None:
        self._real, self._lie = kaitai_reader.load_kaitai(), lie
        self.Gguf = SimpleNamespace(from_file=self._from_file)

    def _from_file(self, path: str) -> Any:
        found = self._real.Gguf.from_file(path)
        self._lie(found)
        return found


def _set(node: Any, name: str, value: object) -> None:
    object.__setattr__(node, name, value)


def _other_text(found: Any) -> None:
    found.body.metadata[4].value.value = b"two"


def _other_element(found: Any) -> None:
    found.body.metadata[5].value.elements[1].value = b"bd"


def _fewer_elements(found: Any) -> None:
    found.body.metadata[5].value.elements.pop()


def _other_inner(found: Any) -> None:
    found.body.metadata[6].value.elements[0].elements[1].value = 3


def _other_key(found: Any) -> None:
    found.body.metadata[4].key.value = b"x.texd"


def _other_value_type(found: Any) -> None:
    pair = found.body.metadata[8]
    pair.value_type = type(pair.value_type)(0)


def _a_number_for_a_nan(found: Any) -> None:
    found.body.metadata[7].value.value = 0.5


def _fewer_pairs(found: Any) -> None:
    found.body.metadata.pop()


def _other_name(found: Any) -> None:
    found.body.tensor_infos[1].name.value = b"others"


def _other_dim(found: Any) -> None:
    found.body.tensor_infos[0].dims[0].value.value = 9


def _other_offset(found: Any) -> None:
    found.body.tensor_infos[1].ofs_data += 32


def _fewer_tensors(found: Any) -> None:
    found.body.tensor_infos.pop()


def _data_elsewhere(found: Any) -> None:
    _ = found.body.ofs_data
    name = next(name for name in vars(found.body) if name.endswith("ofs_data"))
    _set(found.body, name, found.body.ofs_data + 32)


LIES = [
    (_other_text, "metadata"),
    (_other_element, "metadata"),
    (_fewer_elements, "metadata"),
    (_other_inner, "metadata"),
    (_other_key, "metadata"),
    (_other_value_type, "metadata"),
    (_a_number_for_a_nan, "metadata"),
    (_fewer_pairs, "metadata"),
    (_other_name, "tensors"),
    (_other_dim, "tensors"),
    (_other_offset, "tensors"),
    (_fewer_tensors, "tensors"),
    (_data_elsewhere, "the data elsewhere"),
]


@pytest.mark.parametrize(("lie", "what"), LIES, ids=[lie.__name__ for lie, _ in LIES])
def test_a_reader_that_sees_something_else_is_heard(
    lie: Callable[[Any], None], what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = built()
    lying = _Lying(lie)
    monkeypatch.setattr(kaitai_reader, "load_kaitai", lambda: lying)
    words = f"the Kaitai reader finds (other )?{what}"
    with pytest.raises(VerificationError, match=words):
        check("kaitai", data, data, tmp_path)


def test_without_tensors_nobody_asks_where_the_data_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lying = _Lying(_data_elsewhere)
    monkeypatch.setattr(kaitai_reader, "load_kaitai", lambda: lying)
    check("kaitai", built(tensors=()), built(tensors=()), tmp_path)
