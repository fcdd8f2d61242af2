"""io_ops.py - Files, and tensors as bytes."""

from __future__ import annotations

import os
from typing import Any

from berth.framework import gen
from berth.framework.gen import wrapper

read_file = wrapper('ReadFile')
write_file = wrapper('WriteFile')
matching_files = wrapper('MatchingFiles')
decode_base64 = wrapper('DecodeBase64')
encode_base64 = wrapper('EncodeBase64')
parse_tensor = wrapper('ParseTensor')


def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    """Returns a tensor as bytes that parse_tensor reads."""
    return gen.apply('SerializeTensor', name, {'tensor': tensor})


def decode_raw(input_bytes: Any, out_type: Any, little_endian: bool = True, fixed_length: Any = None,
               name: str | None = None) -> Any:
    """Takes bytes for numbers."""
    if fixed_length is not None:
        return gen.apply('DecodePaddedRaw', name, {'input_bytes': input_bytes, 'fixed_length': fixed_length},
                         {'out_type': out_type, 'little_endian': little_endian})
    return gen.apply('DecodeRaw', name, {'bytes': input_bytes},
                     {'out_type': out_type, 'little_endian': little_endian})


def decode_raw_v1(input_bytes: Any = None, out_type: Any = None, little_endian: bool = True, name: str | None = None,
                  bytes: Any = None) -> Any:  # pylint: disable=redefined-builtin
    """Takes bytes for numbers."""
    input_bytes = bytes if input_bytes is None else input_bytes
    if out_type is None:
        raise ValueError("decode_raw_v1() missing 1 positional argument: 'out_type'")
    return decode_raw(input_bytes, out_type, little_endian, name=name)


def decode_csv(records: Any, record_defaults: Any, field_delim: str = ',', use_quote_delim: bool = True,
               na_value: str = '', select_cols: Any = None, name: str | None = None) -> Any:
    """Reads fields that stand between commas."""
    if select_cols is not None and any(a >= b for a, b in zip(select_cols, select_cols[1:])):
        raise ValueError('select_cols is not strictly increasing.')
    if select_cols is not None and select_cols[0] < 0:
        raise ValueError('select_cols contains negative values.')
    if select_cols is not None and len(select_cols) != len(record_defaults):
        raise ValueError('Length of select_cols and record_defaults do not match.')
    return gen.apply('DecodeCSV', name, {'records': records, 'record_defaults': list(record_defaults)}, {
        'field_delim': field_delim, 'use_quote_delim': use_quote_delim, 'na_value': na_value,
        'select_cols': list(select_cols or [])})


def decode_csv_v1(records: Any, record_defaults: Any, field_delim: str = ',', use_quote_delim: bool = True,
                  name: str | None = None, na_value: str = '', select_cols: Any = None) -> Any:
    """Reads fields that stand between commas."""
    return decode_csv(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols, name)


def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Writes a graph to a file and returns its path."""
    message = graph_or_graph_def
    message = message.as_graph_def() if hasattr(message, 'as_graph_def') else message
    path = os.path.join(logdir, name)
    os.makedirs(logdir, exist_ok=True)
    with open(path, 'wb') as file:
        if as_text:
            from google.protobuf import text_format

            file.write(text_format.MessageToString(message, float_format='').encode())
        else:
            file.write(message.SerializeToString())
    return path


def is_jpeg(contents: Any, name: str | None = None) -> Any:
    """Tells whether bytes begin as a JPEG does."""
    return gen.apply('Equal', name, {'x': gen.apply('Substr', None, {'input': contents, 'pos': 0, 'len': 3}),
                                     'y': b'\xff\xd8\xff'})
