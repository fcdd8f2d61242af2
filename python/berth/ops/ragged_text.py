"""ragged_text.py - Ragged tensors as texts."""

from __future__ import annotations

from typing import Any

from berth.framework import dtypes, gen
from berth.ops import array_ops, math_ops, ragged_ops, string_ops
from berth.ops.ragged_tensor import RaggedTensor, is_ragged


def shown(ragged: RaggedTensor, summarize: int) -> Any:
    """Returns the text of |ragged|: of long rows the first and last |summarize| elements; -1 is all."""
    texts = _rows(_nested(ragged), summarize)
    count = array_ops.size(texts, out_type=dtypes.int64)
    return _joined(texts, array_ops.zeros([count], dtypes.int64), array_ops.reshape(count, [1]), summarize)[0]


def formatted(template: str, mark: str, values: list[Any], summarize: int) -> Any:
    """Returns |template| with a text of one of |values| in the place of each mark; some of them are ragged."""
    pieces, texts, begin = template.split(mark), [], 0
    if len(pieces) != len(values) + 1:
        raise ValueError(f'{len(pieces) - 1} placeholder(s) in template does not match {len(values)} tensor(s) provided as '
                         'input')
    for end, value in enumerate([*values, None]):
        if value is None or is_ragged(value):
            texts.append(gen.apply('StringFormat', None, {'inputs': values[begin:end]}, {
                'template': mark.join(pieces[begin:end + 1]), 'placeholder': mark, 'summarize': summarize}))
            texts += [] if value is None else [shown(value, summarize)]
            begin = end + 1
    return string_ops.join(texts)


def _nested(ragged: RaggedTensor) -> RaggedTensor:
    """Returns the same with every dimension a ragged one."""
    if is_ragged(ragged.values):
        return ragged.with_values(_nested(ragged.values))
    rank = ragged.values.shape.rank
    return ragged if rank == 1 else ragged.with_values(RaggedTensor.from_tensor(ragged.values, ragged_rank=rank - 1))


def _rows(ragged: RaggedTensor, summarize: int) -> Any:
    """Returns the text of each row."""
    texts = _rows(ragged.values, summarize) if is_ragged(ragged.values) else _elements(ragged.values)
    return _joined(texts, ragged.value_rowids(), ragged.row_lengths(), summarize)


def _elements(values: Any) -> Any:
    if values.dtype == dtypes.string:
        return string_ops.join(["'", values, "'"])
    return string_ops.as_string(values)


def _joined(texts: Any, rows: Any, lengths: Any, summarize: int) -> Any:
    """Returns one text for each row: what |texts| it has, in brackets."""
    rows, lengths = math_ops.cast(rows, dtypes.int64), math_ops.cast(lengths, dtypes.int64)
    if summarize != -1:
        texts, rows = _shortened(texts, rows, lengths, summarize)
    joined = gen.apply('UnsortedSegmentJoin', None, {'inputs': texts, 'segment_ids': rows,
                                                     'num_segments': array_ops.size(lengths)}, {'separator': ', '})
    return string_ops.join(['[', joined, ']'])


def _shortened(texts: Any, rows: Any, lengths: Any, summarize: int) -> tuple[Any, Any]:
    """Puts an ellipsis in the middle of long rows."""
    whole = array_ops.gather(lengths, rows)
    column = ragged_ops._columns(RaggedTensor.from_row_lengths(texts, lengths, validate=False))
    is_long, is_first = whole > 2 * summarize, math_ops.equal(column, summarize)
    texts = array_ops.where_v2(math_ops.logical_and(is_long, is_first), '...', texts)
    near = math_ops.logical_or(column <= summarize, column >= whole - summarize)
    kept = array_ops.reshape(array_ops.where_v2(math_ops.logical_or(near, math_ops.logical_not(is_long))), [-1])
    return array_ops.gather(texts, kept), array_ops.gather(rows, kept)
