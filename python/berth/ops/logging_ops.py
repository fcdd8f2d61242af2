"""logging_ops.py - Print: operations that write values while a graph runs."""

from __future__ import annotations

import sys
from typing import Any

from berth.framework import convert
from berth.framework.node import Tensor
from berth.ops import gen


def Print(input_: Any, data: Any, message: str | None = None, first_n: int | None = None,
          summarize: int | None = None, name: str | None = None) -> Any:
    """Returns |input_|, and prints |data| to stderr when it is computed."""
    return gen.apply('Print', name, {'input': input_, 'data': list(data)},
                     {'message': message or '', 'first_n': -1 if first_n is None else first_n,
                      'summarize': 3 if summarize is None else summarize})





def _stream_name(stream: Any) -> str:
    if stream is sys.stdout:
        return 'stdout'
    if stream is sys.stderr or stream is None:
        return 'stderr'
    if isinstance(stream, str) and (stream in ('stdout', 'stderr') or stream.startswith('file://')):
        return stream
    raise ValueError(f'Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, '
                     'sys.stderr, and file://<path>.')


def print_v2(*inputs: Any, **kwargs: Any) -> Any:
    """Prints values to stderr, or another stream, when it runs."""
    stream = _stream_name(kwargs.pop('output_stream', None))
    name = kwargs.pop('name', None)
    summarize = kwargs.pop('summarize', 3)
    sep = kwargs.pop('sep', ' ')
    end = kwargs.pop('end', '\n')
    if kwargs:
        raise ValueError(f'Unrecognized keyword arguments for tf.print: {kwargs}')
    template, tensors = _template(inputs, sep)
    if len(inputs) == 1 and isinstance(inputs[0], Tensor) and inputs[0].dtype.name == 'string' \
            and inputs[0].shape.rank == 0:
        text = inputs[0]
    elif not tensors:
        text = convert.convert_to_tensor(template)
    else:
        text = gen.apply('StringFormat', None, {'inputs': tensors},
                         {'template': template, 'placeholder': '{}', 'summarize': summarize})
    return gen.apply('PrintV2', name, {'input': text}, {'output_stream': stream, 'end': end})


def _template(inputs: Any, sep: str) -> Any:
    """Returns the text to print with {} for each tensor, and the tensors."""
    texts, tensors = [], []
    for item in inputs:
        if convert.is_tensor(item):
            tensors.append(item)
            texts.append('{}')
        else:
            texts.append(str(item))
    return sep.join(texts), tensors
