"""string_ops - Ops that make strings of values, and values of strings."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.framework.composite import Composite
from berth.framework.gen import wrapper
from berth.ops import array_ops
from berth.ops.signature import reordered

as_string = wrapper('AsString')
_join = wrapper('StringJoin')


def join(inputs: Any, separator: Any = '', name: str | None = None) -> Any:
    """Joins texts element by element."""
    if isinstance(inputs, (str, bytes)):
        raise TypeError(f"Expected list for 'inputs' argument to 'string_join' Op, not {inputs!r}.")
    return _join(inputs, separator, name)


def format(template: str, inputs: Any, placeholder: str = '{}', summarize: int = 3,  # pylint: disable=redefined-builtin
           name: str | None = None) -> Any:
    """Puts values, as tf.print shows them, where |template| has placeholders."""
    if convert.is_tensor(inputs):
        inputs = [inputs]
    values = [convert.convert_to_tensor(value) for value in inputs]
    expected = template.count(placeholder)
    if expected != len(values):
        raise ValueError(f'The template expects {expected} tensors, but the inputs only has {len(values)}. Please '
                         'ensure the number of placeholders in template matches inputs length.')
    if any(isinstance(value, Composite) for value in values):
        from berth.ops import ragged_text

        return ragged_text.formatted(template, placeholder, values, summarize)
    return gen.apply('StringFormat', name, {'inputs': values},
                     {'template': template, 'placeholder': placeholder, 'summarize': summarize})


# ---- One text, one result ----

def length(input: Any, name: str | None = None, unit: str = 'BYTE') -> Any:  # pylint: disable=redefined-builtin
    """Returns the number of bytes or characters of each text."""
    return gen.apply('StringLength', name, {'input': input}, {'unit': unit})


length_v2 = reordered(length, 'input unit name')


def substr(input: Any, pos: Any, len: Any, name: str | None = None,  # pylint: disable=redefined-builtin
           unit: str = 'BYTE') -> Any:
    """Returns a part of each text."""
    return gen.apply('Substr', name, {'input': input, 'pos': pos, 'len': len}, {'unit': unit})


substr_v2 = reordered(substr, 'input pos len unit name')


def to_number(input: Any, out_type: Any = dtypes.float32,  # pylint: disable=redefined-builtin
              name: str | None = None) -> Any:
    """Reads a number in each text."""
    return gen.apply('StringToNumber', name, {'string_tensor': input}, {'out_type': out_type})


def to_number_v1(string_tensor: Any = None, out_type: Any = dtypes.float32, name: str | None = None,
                 input: Any = None) -> Any:  # pylint: disable=redefined-builtin
    """Reads a number in each text."""
    return to_number(string_tensor if input is None else input, out_type, name)


def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Any:  # pylint: disable=redefined-builtin
    """Returns a number below |num_buckets| for each text."""
    return gen.apply('StringToHashBucket', name, {'string_tensor': input}, {'num_buckets': num_buckets})


def to_hash_bucket_v1(string_tensor: Any = None, num_buckets: Any = None, name: str | None = None,
                      input: Any = None) -> Any:  # pylint: disable=redefined-builtin
    """Returns a number below |num_buckets| for each text."""
    return to_hash_bucket(string_tensor if input is None else input, num_buckets, name)


def regex_replace(input: Any, pattern: Any, rewrite: Any, replace_global: bool = True,  # pylint: disable=redefined-builtin
                  name: str | None = None) -> Any:
    """Replaces what a regular expression finds."""
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return gen.apply('StaticRegexReplace', name, {'input': input}, {
            'pattern': pattern, 'rewrite': rewrite, 'replace_global': replace_global})
    return gen.apply('RegexReplace', name, {'input': input, 'pattern': pattern, 'rewrite': rewrite},
                     {'replace_global': replace_global})


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Any:  # pylint: disable=redefined-builtin
    """Tells whether a regular expression matches all of each text."""
    if isinstance(pattern, (str, bytes)):
        return gen.apply('StaticRegexFullMatch', name, {'input': input}, {'pattern': pattern})
    return gen.apply('RegexFullMatch', name, {'input': input, 'pattern': pattern})


# ---- Joining ----

def reduce_join(inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = '',
                name: str | None = None) -> Any:
    """Joins texts over axes."""
    with scopes.name_scope(None, 'ReduceJoin', [inputs, axis]):
        inputs = convert.convert_to_tensor(inputs)
        if axis is None:
            from berth.ops import math_ops

            axis = list(range(inputs.shape.rank))[::-1] if inputs.shape.rank is not None else math_ops.range(
                array_ops.rank(inputs) - 1, -1, -1)
            axis = convert.convert_to_tensor(axis, dtypes.int32)
        return gen.apply('ReduceJoin', name, {'inputs': inputs, 'reduction_indices': axis},
                         {'keep_dims': bool(keepdims), 'separator': separator})


def reduce_join_v1(inputs: Any, axis: Any = None, keep_dims: Any = None, separator: str = '', name: str | None = None,
                   reduction_indices: Any = None, keepdims: Any = None) -> Any:
    """Joins texts over axes."""
    return reduce_join(inputs, reduction_indices if axis is None else axis,
                       bool(keep_dims if keepdims is None else keepdims), separator, name)


def unsorted_segment_join(inputs: Any, segment_ids: Any, num_segments: Any, separator: str = '',
                          name: str | None = None) -> Any:
    """Joins the texts of each segment."""
    return gen.apply('UnsortedSegmentJoin', name, {
        'inputs': inputs, 'segment_ids': segment_ids, 'num_segments': num_segments}, {'separator': separator})
