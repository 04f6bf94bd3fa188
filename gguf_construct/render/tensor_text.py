"""Tensors as text for people: lists, totals, statistics, a block taken apart, a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .escaping import name_text
from .sizes import shape_text, size_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..comparison.tensor_errors import TensorComparison
    from ..comparison.tensor_list import TypeTotal
    from ..comparison.tensor_stats import TensorStats
    from ..core.tensors import TensorInfo
    from ..quants.inspect import DecodedBlock

_BAR_WIDTH = 50
_EIGHTHS = " ▏▎▍▌▋▊▉"
_HEX_WIDTH = 16
_VALUES_WIDTH = 8


def _bits(value: float | None) -> str:
    return "?" if value is None else f"{value:.4g}"


def list_rows(tensors: Sequence[TensorInfo]) -> list[tuple[str, ...]]:
    """Name, type, shape (numpy's order), elements, bytes, absolute offset, bits per weight."""
    from ..comparison.tensor_list import bits_per_weight

    return [
        (
            name_text(tensor.name),
            tensor.type_name,
            shape_text(tensor.shape),
            f"{tensor.num_elements:,}",
            "?" if tensor.nbytes is None else f"{tensor.nbytes:,}",
            f"0x{tensor.data_offset:x}",
            _bits(bits_per_weight(tensor.num_elements, tensor.nbytes)),
        )
        for tensor in tensors
    ]


def total_rows(totals: Sequence[TypeTotal], all_together: TypeTotal) -> list[tuple[str, ...]]:
    """Type, tensors, elements, bytes, share of all bytes, bits per weight."""
    whole = all_together.nbytes
    rows: list[tuple[str, ...]] = []
    for one in (*totals, all_together):
        share = f"{one.nbytes / whole:.1%}" if whole and one.nbytes is not None else "?"
        rows.append(
            (
                one.type_name,
                str(one.num_tensors),
                f"{one.num_elements:,}",
                "?" if one.nbytes is None else f"{one.nbytes:,}",
                share,
                _bits(one.bits_per_weight),
            )
        )
    return rows


def info_rows(tensor: TensorInfo) -> list[tuple[str, str]]:
    """What the tensor table says of one tensor."""
    from ..comparison.tensor_list import bits_per_weight

    nbytes = tensor.nbytes
    if nbytes is None:
        size = f"unknown; {tensor.extent} bytes up to what follows"
    else:
        bits = _bits(bits_per_weight(tensor.num_elements, nbytes))
        size = f"{nbytes:,} ({size_text(nbytes)}), {bits} bits per element"
    end = "" if nbytes is None else f" to 0x{tensor.data_offset + nbytes:x}"
    return [
        ("name", name_text(tensor.name)),
        ("type", f"{tensor.type_name} ({tensor.type})"),
        ("shape", f"{shape_text(tensor.shape)} (in the file, reversed: {list(tensor.dims)})"),
        ("elements", f"{tensor.num_elements:,}"),
        ("bytes", size),
        ("place", f"0x{tensor.data_offset:x}{end} ({tensor.byte_order}-endian)"),
    ]


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.8g}"


def stats_lines(stats: TensorStats) -> Iterator[str]:
    """Numbers, then the histogram."""
    yield f"min {_number(stats.minimum)}  max {_number(stats.maximum)}"
    yield f"mean {_number(stats.mean)}  std {_number(stats.std)}"
    yield f"zeros {stats.num_zeros:,}  NaN {stats.num_nan:,}  infinite {stats.num_inf:,}"
    if not stats.counts or stats.minimum is None or stats.maximum is None:
        return
    yield ""
    most, bins = max(stats.counts), len(stats.counts)
    for at, count in enumerate(stats.counts):
        share = at / bins
        begin = stats.minimum * (1 - share) + stats.maximum * share
        yield f"{begin:>12.4g} {_bar(count / most).ljust(_BAR_WIDTH)} {count:,}"


def _bar(share: float) -> str:
    whole, rest = divmod(round(share * _BAR_WIDTH * 8), 8)
    bar = "█" * whole + (_EIGHTHS[rest] if rest else "")
    return bar or ("▏" if share else "")


def block_lines(tensor: TensorInfo, index: int, block: DecodedBlock) -> Iterator[str]:
    """A block field by field, then its elements; every offset is one in the file."""
    layout = tensor.require_layout()
    start = tensor.data_offset + index * layout.nbytes
    first = index * layout.num_elements
    last = first + layout.num_elements - 1
    yield f"block {index} of {tensor.size // layout.nbytes}, {layout.name}: {layout.doc}"
    yield f"bytes 0x{start:x} to 0x{start + layout.nbytes:x}, elements {first} to {last}"
    for one in block.fields:
        field = one.field
        many = f"[{field.count}]" if field.count > 1 else ""
        yield ""
        yield f"{field.name}: {field.type}{many}, {tensor.byte_order}-endian. {field.doc}"
        at = tensor.data_offset + one.offset
        for row in range(0, len(one.raw), _HEX_WIDTH):
            yield f"  0x{at + row:08x}  {one.raw[row : row + _HEX_WIDTH].hex(' ')}"
        values = one.value if isinstance(one.value, list) else [one.value]
        for row in range(0, len(values), _HEX_WIDTH):
            mark = "=" if row == 0 else " "
            yield f"  {mark} {', '.join(map(repr, values[row : row + _HEX_WIDTH]))}"
    yield ""
    yield f"elements, from index {index_text(first, tensor.shape)} on"
    yield from _element_lines(block.elements, first)


def _element_lines(elements: Any, first: int) -> Iterator[str]:
    values = [f"{value:.9g}" for value in elements.tolist()]
    width = max(map(len, values), default=0)
    head = len(str(first + len(values)))
    for row in range(0, len(values), _VALUES_WIDTH):
        line = "  ".join(value.rjust(width) for value in values[row : row + _VALUES_WIDTH])
        yield f"  {str(first + row).rjust(head)}  {line}"


def index_text(flat: int, shape: tuple[int, ...]) -> str:
    """The index in numpy's order of the element with this number."""
    index: list[int] = []
    for dim in reversed(shape):
        flat, at = divmod(flat, dim) if dim else (flat, 0)
        index.append(at)
    return str(index[::-1])


def comparison_lines(name: str, other: str, found: TensorComparison) -> Iterator[str]:
    """How far two tensors are apart."""
    yield f"{name} and {other}: {found.num_elements:,} values"
    if not found.num_different:
        yield "all values are equal"
        return
    share = found.num_different / found.num_elements
    yield f"different  {found.num_different:,} ({share:.2%})"
    if found.num_incomparable:
        yield f"           {found.num_incomparable:,} of them NaN or infinite on one side"
    yield f"max error  {found.max_error:.6g} at {list(found.max_index)}{_steps(found, 'max_steps')}"
    yield f"mean error {found.mean_error:.6g}{_steps(found, 'mean_steps')}"
    relative = f" ({found.rmse / found.rms:.3%} of the RMS value)" if found.rms else ""
    yield f"RMSE       {found.rmse:.6g}{relative}"


def _steps(found: TensorComparison, name: str) -> str:
    value = getattr(found, name)
    if found.steps_of is None or value != value:
        return ""
    which = "at most " if name == "max_steps" else ""
    return f", {which}{value:.3g} {found.steps_of} steps"
