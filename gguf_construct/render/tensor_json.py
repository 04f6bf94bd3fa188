"""Tensors as JSON: lists with totals, and what `tensor` finds out about one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .json_text import number_json, tensor_json, text_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..comparison.tensor_errors import TensorComparison
    from ..comparison.tensor_list import TypeTotal
    from ..comparison.tensor_stats import TensorStats
    from ..core.tensors import TensorInfo
    from ..quants.inspect import DecodedBlock


def entry_json(tensor: TensorInfo) -> dict[str, Any]:
    """A tensor as `show --json` has it, with elements and bits per weight."""
    from ..comparison.tensor_list import bits_per_weight

    return {
        **tensor_json(tensor),
        "elements": tensor.num_elements,
        "bits_per_weight": bits_per_weight(tensor.num_elements, tensor.nbytes),
    }


def list_json(
    path: str | None,
    tensors: Sequence[TensorInfo],
    totals: Sequence[TypeTotal],
    all_together: TypeTotal,
) -> dict[str, Any]:
    """The document of `tensors --json`."""
    return {
        "path": path,
        "tensors": [entry_json(tensor) for tensor in tensors],
        "types": [{"type": one.type_name, **_total_json(one)} for one in totals],
        "total": _total_json(all_together),
    }


def _total_json(total: TypeTotal) -> dict[str, Any]:
    return {
        "tensors": total.num_tensors,
        "elements": total.num_elements,
        "nbytes": total.nbytes,
        "bits_per_weight": total.bits_per_weight,
    }


def stats_json(stats: TensorStats) -> dict[str, Any]:
    """Statistics; the histogram's bins are of equal width from min to max."""
    return {
        "min": number_json(stats.minimum),
        "max": number_json(stats.maximum),
        "mean": number_json(stats.mean),
        "std": number_json(stats.std),
        "zeros": stats.num_zeros,
        "nan": stats.num_nan,
        "infinite": stats.num_inf,
        "histogram": list(stats.counts),
    }


def block_json(tensor: TensorInfo, index: int, block: DecodedBlock) -> dict[str, Any]:
    """A block; offsets are absolute, `raw` is hex."""
    layout = tensor.require_layout()
    return {
        "index": index,
        "offset": tensor.data_offset + index * layout.nbytes,
        "nbytes": layout.nbytes,
        "first_element": index * layout.num_elements,
        "fields": [
            {
                "name": one.field.name,
                "type": one.field.type,
                "offset": tensor.data_offset + one.offset,
                "raw": one.raw.hex(),
                "value": _values_json(one.value),
            }
            for one in block.fields
        ],
        "elements": _values_json(block.elements.tolist()),
    }


def _values_json(value: Any) -> Any:
    return [number_json(one) for one in value] if isinstance(value, list) else number_json(value)


def comparison_json(other: str, found: TensorComparison) -> dict[str, Any]:
    """A comparison; `steps_of` names the type whose quantisation step is the unit of `*_steps`."""
    numbers = {
        name: list(value) if isinstance(value, tuple) else number_json(value)
        for name, value in found._asdict().items()
    }
    return {"other": text_json(other), **numbers}
