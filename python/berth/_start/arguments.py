"""arguments - What public functions say of arguments that do not fit.

Most functions of TensorFlow look for other kinds of tensors among their arguments first, and say
in that place, in words of its own, what is missing or too much (`framework/arguments.py`). The
others are functions of Python's like all, and so are their words.
"""

from __future__ import annotations

import functools

# Functions of ops that have Python's words.
_PYTHON = '''
    array_ops: bitcast broadcast_to check_numerics diag dynamic_partition dynamic_stitch identity_n
        invert_permutation matrix_band_part meshgrid placeholder placeholder_with_default reverse
        reverse_sequence scatter_nd tile
    check_ops: is_numeric_tensor
    count_ops: bincount_v1
    einsum_ops: einsum
    flow_ops: while_loop
    functional_ops: map_fn switch_case vectorized_map
    image_color: hsv_to_rgb rgb_to_hsv
    init_ops: he_normal he_uniform lecun_normal lecun_uniform
    io_ops: decode_base64 encode_base64 is_jpeg matching_files parse_tensor read_file
        serialize_tensor write_file write_graph
    logging_ops: print_v2
    lookup_ops: tables_initializer
    math_ops: acosh asin asinh atan atan2 atanh bitwise_and cos cosh digamma erf erfc expm1
        floor_div floormod greater greater_equal is_finite is_inf is_nan less less_equal lgamma log
        log1p logical_and logical_not logical_or maximum minimum mod negative realdiv reciprocal
        rint sin sinh square squared_difference tan tanh truncatediv truncatemod
        unsorted_segment_sum xlogy
    nn_ops: elu l2_loss local_response_normalization lrn relu selu softsign tanh
    order_ops: group no_op
    ragged_ops: map_flat_values
    random_ops: get_seed
    scatter_ops: scatter_add scatter_div scatter_max scatter_min scatter_mul scatter_nd_add
        scatter_nd_sub scatter_nd_update scatter_sub scatter_update
    signal_ops: fft fft2d ifft ifft2d irfft rfft
    sparse_ops: add add_v1 concat concat_v1 expand_dims eye fill_empty_rows from_dense map_values
        mask placeholder reduce_max reduce_max_sparse reduce_max_v1 reduce_sum reduce_sum_sparse
        reduce_sum_v1 reorder reset_shape retain slice sparse_dense_matmul split to_dense
        to_indicator transpose
    sparse_tensor: convert_to_tensor_or_sparse_tensor
    state_ops: assign assign_add assign_sub count_up_to
    string_ops: as_string
    v2_ops: device_v2 while_loop_v2
'''
# Functions of other modules that have TensorFlow's.
_OTHERS = frozenset((
    'framework.convert:convert_to_tensor', 'framework.static_value:broadcast_dynamic_shape',
    'framework.static_value:broadcast_static_shape'))

# Functions that make one op and have TensorFlow's.
_IMAGES = frozenset('''
    DecodeAndCropJpeg DecodeBmp DecodeGif DecodeJpeg DecodeJxl DecodePng DecodeWebP EncodeJpeg
    EncodePng ExtractJpegShape ResizeArea QuantizedAvgPool QuantizedConv2D QuantizedMaxPool
    QuantizedReluX
'''.split())


def looks_first(source: str) -> bool:
    """True for functions, "module:attribute", that look at their arguments before Python does."""
    if source in _OTHERS:
        return True
    return source.startswith('ops.') and source not in _plain() and (
        not source.startswith('ops.plain_ops:') or source.partition(':')[2] in _IMAGES)


@functools.lru_cache(maxsize=None)
def _plain() -> frozenset[str]:
    """Returns the table of functions that have Python's words."""
    found, module = set(), ''
    for word in _PYTHON.split():
        if word.endswith(':'):
            module = word
        else:
            found.add(f'ops.{module}{word}')
    return frozenset(found)
