"""logging_ops.py - Print: operations that write values while a graph runs."""

from __future__ import annotations

import sys
from typing import Any

from berth.framework import convert, gen, nest, scopes
from berth.framework.composite import Composite
from berth.framework.node import Tensor
from berth.framework.shown import Shown


def _composite_text(value: Any, mark: str, tensors: list[Any]) -> Any:
    """Returns how a sparse or ragged tensor is shown; the parts of a sparse one are printed as tensors."""
    from berth.ops.ragged_tensor import is_ragged

    if not is_ragged(value):
        tensors += [value.indices, value.values, value.dense_shape]
        return Shown(f"'SparseTensor(indices={mark}, values={mark}, shape={mark})'")
    tensors.append(value)
    return Shown(mark)


def Print(input_: Any, data: Any, message: str | None = None, first_n: int | None = None,
          summarize: int | None = None, name: str | None = None) -> Any:
    """Returns |input_|, and prints |data| to stderr when it is computed."""
    if message is not None and not isinstance(message, (str, bytes)):
        raise TypeError(f"Expected string for argument 'message' not {message!r}.")
    return gen.apply('Print', name, {'input': input_, 'data': data},
                     {'message': message or '', 'first_n': -1 if first_n is None else first_n,
                      'summarize': 3 if summarize is None else summarize})



def _stream_name(stream: Any) -> str:
    if stream is sys.stdout:
        return 'stdout'
    if stream is sys.stderr or stream is None:
        return 'stderr'
    if getattr(stream, '__name__', '') in ('info', 'warning', 'error') and callable(stream):
        return f'log({stream.__name__})'
    if isinstance(stream, str) and (stream in ('stdout', 'stderr') or stream.startswith('file://')):
        return stream
    raise ValueError(f'Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, '
                     'sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be in the form '
                     "of 'file://<filepath>'.")


def print_v2(*inputs: Any, **kwargs: Any) -> Any:
    """Prints values to stderr, or another stream, when it runs."""
    stream = _stream_name(kwargs.pop('output_stream', None))
    name = kwargs.pop('name', None)
    summarize = kwargs.pop('summarize', 3)
    sep = kwargs.pop('sep', ' ')
    end = kwargs.pop('end', '\n')
    if kwargs:
        raise ValueError(f'Unrecognized keyword arguments for tf.print: {kwargs}')
    if len(inputs) == 1 and isinstance(inputs[0], Tensor) and inputs[0].dtype.name == 'string' \
            and inputs[0].shape.rank == 0:
        text = inputs[0]
    else:
        mark = _placeholder(str(inputs) + sep)
        template, tensors = _template(inputs, sep, mark)
        text = _formatted(template, mark, tensors, summarize)
    return gen.apply('PrintV2', name, {'input': text}, {'output_stream': stream, 'end': end})


def _formatted(template: str, mark: str, values: list[Any], summarize: int) -> Any:
    """Returns |template| with a text of one of |values| in the place of each mark."""
    if any(isinstance(value, Composite) for value in values):
        from berth.ops import ragged_text

        return ragged_text.formatted(template, mark, values, summarize)
    return gen.apply('StringFormat', None, {'inputs': values}, {
        'template': template, 'placeholder': mark, 'summarize': summarize})


def _placeholder(text: str) -> str:
    """Returns what stands for tensors: braces, with a number that |text| does not have in such."""
    mark, number = '{}', 0
    while mark in text:
        number += 1
        mark = f'{{{number}}}'
    return mark


def _template(inputs: Any, sep: str, mark: str) -> Any:
    """Returns the text to print with |mark| for each tensor, and the tensors."""
    tensors: list[Any] = []

    def show(item: Any) -> Any:
        if isinstance(item, Composite):
            return _composite_text(item, mark, tensors)
        if not convert.is_tensor(item):
            return item
        tensors.append(item)
        return Shown(mark)

    texts = []
    for item in inputs:
        if isinstance(item, str):
            texts.append(item)
        else:
            import pprint
            texts.append(pprint.pformat(nest.map_structure(show, item) if nest.is_nested(item) else show(item)))
    return sep.join(texts), tensors
