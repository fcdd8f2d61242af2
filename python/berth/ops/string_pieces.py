"""string_pieces - Texts cut into pieces and characters: results are ragged, or sparse."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops
from berth.ops.ragged_tensor import RaggedTensor, is_ragged, to_tensor_or_ragged
from berth.ops.sparse_tensor import SparseTensor


def _sparse_split(texts: Any, sep: Any, maxsplit: int) -> SparseTensor:
    sep = convert.convert_to_tensor('' if sep is None else sep, dtype=dtypes.string)
    parts = gen.apply('StringSplitV2', None, {'input': texts, 'sep': sep}, {'maxsplit': maxsplit})
    return _made_sparse(*parts)


def _made_sparse(indices: Any, values: Any, shape: Any) -> SparseTensor:
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    return SparseTensor(indices, values, shape)


def _rows(sparse: SparseTensor) -> RaggedTensor:
    return RaggedTensor.from_value_rowids(sparse.values, sparse.indices[:, 0], sparse.dense_shape[0], validate=False)


def split(input: Any, sep: Any = None, maxsplit: int = -1,  # pylint: disable=redefined-builtin
          name: str | None = None) -> Any:
    """Cuts texts apart at |sep|, or at spaces."""
    with scopes.name_scope(name, 'StringSplit', [input]):
        texts = to_tensor_or_ragged(input, dtypes.string, name='input')
        if is_ragged(texts):
            return texts.with_flat_values(split(texts.flat_values, sep, maxsplit))
        if texts.shape.rank == 0:
            return split(array_ops.stack([texts]), sep, maxsplit)[0]
        if texts.shape.rank in (1, None):
            return _rows(_sparse_split(texts, sep, maxsplit))
        return split(RaggedTensor.from_tensor(texts), sep, maxsplit)


def split_v1(input: Any = None, sep: Any = None, maxsplit: int = -1,  # pylint: disable=redefined-builtin
             result_type: str = 'SparseTensor', source: Any = None, name: str | None = None) -> Any:
    """Cuts texts apart at |sep|, or at spaces."""
    with scopes.name_scope(name, 'StringSplit', [input]):
        texts = to_tensor_or_ragged(source if input is None else input, dtypes.string, name='input')
        if texts.shape.rank == 0:
            texts = array_ops.expand_dims(texts, 0)
        if result_type == 'SparseTensor':
            return (_sparse_split(texts, sep, maxsplit) if texts.shape.rank == 1
                    else split(texts, sep, maxsplit).to_sparse())
        return _only_ragged(result_type, split(texts, sep, maxsplit))


def _only_ragged(result_type: str, result: Any) -> Any:
    if result_type != 'RaggedTensor':
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    return result


def string_split(source: Any, sep: Any = None, skip_empty: bool = True, delimiter: Any = ' ',
                 result_type: str = 'SparseTensor', name: str | None = None) -> Any:
    """Cuts texts apart at every character of a delimiter."""
    with scopes.name_scope(name, 'StringSplit', [source]):
        texts = convert.convert_to_tensor(source, dtype=dtypes.string, name='source')
        mark = convert.convert_to_tensor(delimiter if sep is None else sep, dtype=dtypes.string)
        parts = gen.apply('StringSplit', None, {'input': texts, 'delimiter': mark}, {'skip_empty': skip_empty})
        sparse = _made_sparse(*parts)
        return sparse if result_type == 'SparseTensor' else _only_ragged(result_type, _rows(sparse))


def bytes_split(input: Any, name: str | None = None) -> Any:  # pylint: disable=redefined-builtin
    """Cuts texts into bytes."""
    with scopes.name_scope(name, 'StringsByteSplit', [input]):
        texts = to_tensor_or_ragged(input, name='input')
        if is_ragged(texts):
            return texts.with_flat_values(bytes_split(texts.flat_values))
        if texts.shape.rank is None:
            raise ValueError('input must have a statically-known rank.')
        if texts.shape.rank == 0:
            return bytes_split(array_ops.stack([texts]))[0]
        if texts.shape.rank > 1:
            return bytes_split(RaggedTensor.from_tensor(texts))
        parts = gen.apply('StringSplit', None, {'input': texts, 'delimiter': ''}, {'skip_empty': False})
        return _rows(_made_sparse(*parts))


# ---- Characters ----

def _decoded(texts: Any, attrs: dict[str, Any], with_offsets: bool) -> tuple[Any, Any]:
    """Returns the characters of texts, and where they begin."""
    texts = to_tensor_or_ragged(texts, name='input')
    rank = texts.shape.rank
    if rank is None:
        raise ValueError('Rank of `input` must be statically known.')
    if rank > 1 and not is_ragged(texts):
        texts = RaggedTensor.from_tensor(texts, ragged_rank=rank - 1)
    flat = array_ops.reshape(texts.flat_values if is_ragged(texts) else texts, [-1])
    op = 'UnicodeDecodeWithOffsets' if with_offsets else 'UnicodeDecode'
    splits, *found = gen.apply(op, None, {'input': flat}, attrs)
    if rank > 0:
        found = [RaggedTensor.from_row_splits(values, splits, validate=False) for values in found]
    if rank > 1:
        found = [texts.with_flat_values(values) for values in found]
    return found[0], found[1] if with_offsets else None


def _attrs(input_encoding: str, errors: str, replacement_char: int, replace_control: bool) -> dict[str, Any]:
    return {'input_encoding': input_encoding, 'errors': errors, 'replacement_char': replacement_char,
            'replace_control_characters': replace_control}


def unicode_decode(input: Any, input_encoding: str, errors: str = 'replace',  # pylint: disable=redefined-builtin
                   replacement_char: int = 0xFFFD, replace_control_characters: bool = False,
                   name: str | None = None) -> Any:
    """Returns the characters of texts."""
    with scopes.name_scope(name, 'UnicodeDecode', [input]):
        return _decoded(input, _attrs(input_encoding, errors, replacement_char, replace_control_characters), False)[0]


def unicode_decode_with_offsets(input: Any, input_encoding: str,  # pylint: disable=redefined-builtin
                                errors: str = 'replace', replacement_char: int = 0xFFFD,
                                replace_control_characters: bool = False, name: str | None = None) -> Any:
    """Returns the characters of texts, and at which byte each begins."""
    with scopes.name_scope(name, 'UnicodeDecodeWithOffsets', [input]):
        return _decoded(input, _attrs(input_encoding, errors, replacement_char, replace_control_characters), True)


def unicode_encode(input: Any, output_encoding: str, errors: str = 'replace',  # pylint: disable=redefined-builtin
                   replacement_char: int = 65533, name: str | None = None) -> Any:
    """Makes texts of characters."""
    with scopes.name_scope(name, 'UnicodeEncode', [input]):
        chars = to_tensor_or_ragged(input)
        attrs = {'output_encoding': output_encoding, 'errors': errors, 'replacement_char': replacement_char}
        if chars.shape.rank is None:
            raise ValueError('Rank of input_tensor must be statically known.')
        if is_ragged(chars):
            if is_ragged(chars.values):
                return chars.with_values(unicode_encode(chars.values, output_encoding, errors, replacement_char))
            return gen.apply('UnicodeEncode', None, {
                'input_values': chars.values, 'input_splits': chars.row_splits}, attrs)
        if chars.shape.rank == 0:
            raise ValueError("input_tensor's rank must be at least 1.")
        if chars.shape.rank == 1:
            row = RaggedTensor.from_tensor(array_ops.expand_dims(chars, 0))
            return array_ops.reshape(unicode_encode(row, output_encoding, errors, replacement_char), [])
        flat = array_ops.reshape(chars, array_ops.stack([-1, array_ops.shape(chars)[-1]]))
        texts = unicode_encode(RaggedTensor.from_tensor(flat), output_encoding, errors, replacement_char)
        return array_ops.reshape(texts, array_ops.shape(chars)[:-1])


def _split_chars(input: Any, encoding: str, errors: str,  # pylint: disable=redefined-builtin
                 replacement_char: int) -> tuple[Any, Any]:
    points, offsets = _decoded(input, _attrs(encoding, errors, replacement_char, False), True)
    flat = points.flat_values if is_ragged(points) else points
    column = RaggedTensor.from_tensor(array_ops.expand_dims(flat, 1))
    chars = unicode_encode(column, encoding, errors, replacement_char)
    return points.with_flat_values(chars) if is_ragged(points) else chars, offsets


def unicode_split(input: Any, input_encoding: str, errors: str = 'replace',  # pylint: disable=redefined-builtin
                  replacement_char: int = 0xFFFD, name: str | None = None) -> Any:
    """Cuts texts into characters, each a text."""
    with scopes.name_scope(name, 'UnicodeSplit', [input]):
        return _split_chars(input, input_encoding, errors, replacement_char)[0]


def unicode_split_with_offsets(input: Any, input_encoding: str, errors: str = 'replace',  # pylint: disable=redefined-builtin
                               replacement_char: int = 0xFFFD, name: str | None = None) -> Any:
    """Cuts texts into characters, each a text, and tells at which byte each begins."""
    with scopes.name_scope(name, 'UnicodeSplitWithOffsets', [input]):
        return _split_chars(input, input_encoding, errors, replacement_char)


def _pads(pad_values: Any) -> tuple[Any, Any]:
    """Returns what stands left and right of a row."""
    pair = pad_values if isinstance(pad_values, (list, tuple)) else (pad_values, pad_values)
    if pad_values is None:
        return '', ''
    if not all(isinstance(pad, (str, bytes)) for pad in pair[:2]):
        raise TypeError('pad_values must be a string, tuple of strings, or None.')
    return pair[0], pair[1]


def ngrams(data: Any, ngram_width: Any, separator: str = ' ', pad_values: Any = None, padding_width: Any = None,
           preserve_short_sequences: bool = False, name: str | None = None) -> Any:
    """Joins every run of so many texts along the last dimension."""
    with scopes.name_scope(name, 'StringNGrams', [data]):
        left, right = _pads(pad_values)
        if padding_width is not None and padding_width < 1:
            raise ValueError('padding_width must be greater than 0.')
        if padding_width is not None and pad_values is None:
            raise ValueError('pad_values must be provided if padding_width is set.')
        more = (ngram_width, separator, pad_values, padding_width, preserve_short_sequences, name)
        data = to_tensor_or_ragged(data, dtypes.string, 'data')
        shape = None
        if not isinstance(data, RaggedTensor):
            shape = array_ops.concat([array_ops.shape(data)[:-1], [-1]], axis=0)
            if data.shape.rank is None:
                raise ValueError('Rank of data must be known.')
            if data.shape.rank == 0:
                raise ValueError('Data must have rank>0')
            if data.shape.rank == 1:
                return ngrams(RaggedTensor.from_row_starts(data, [0], validate=False), *more)[0]
            data = RaggedTensor.from_tensor(data, ragged_rank=data.shape.rank - 1)
        if data.ragged_rank > 1:
            made = data.with_values(ngrams(data.values, *more))
        else:
            padding = 0 if pad_values is None else -1 if padding_width is None else padding_width
            made = _row_ngrams(data, ngram_width, {
                'separator': separator, 'left_pad': left, 'right_pad': right, 'pad_width': padding,
                'preserve_short_sequences': preserve_short_sequences})
        return made if shape is None else array_ops.reshape(made.flat_values, shape)


def _row_ngrams(data: RaggedTensor, ngram_width: Any, attrs: dict[str, Any]) -> RaggedTensor:
    widths = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
    if any(width < 1 for width in widths):
        raise ValueError(f'All ngram_widths must be greater than 0. Got {ngram_width}')
    values, splits = gen.apply('StringNGrams', None, {'data': data.flat_values, 'data_splits': data.row_splits},
                               {'ngram_widths': widths, **attrs})
    return RaggedTensor.from_row_splits(values, splits, validate=False)


def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str = 'edit_distance') -> Any:
    """Returns how many changes make each sequence another."""
    from berth.ops.sparse_tensor import SparseTensorValue

    for side, title in ((hypothesis, 'Hypothesis'), (truth, 'Truth')):
        if not isinstance(side, (SparseTensor, SparseTensorValue)):
            raise TypeError(f'{title} must be a SparseTensor.')
    return gen.apply('EditDistance', name, {
        'hypothesis_indices': hypothesis.indices, 'hypothesis_values': hypothesis.values,
        'hypothesis_shape': hypothesis.dense_shape, 'truth_indices': truth.indices, 'truth_values': truth.values,
        'truth_shape': truth.dense_shape}, {'normalize': normalize})


def fingerprint(data: Any, method: Any = 'farmhash64', name: str | None = None) -> Any:
    """Returns eight bytes for each row, which depend on all of it."""
    return gen.apply('Fingerprint', name, {'data': data, 'method': method})
