"""plugins - tf.summary.scalar, histogram, image, audio and text of TF2: what TensorBoard's pages show."""

from __future__ import annotations

from typing import Any, Optional

from berth._summary.writing import summary_scope, write
from berth.base import protos
from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, check_ops, check_shapes, functional_ops, image_color, math_ops, v2_ops

_BUCKETS = 30
_WAV = b'\x10\x0b'  # AudioPluginData of files of type WAV.


def _metadata(plugin: str, description: Optional[str], content: bytes = b'') -> Any:
    about = protos.SummaryMetadata(summary_description=description)
    about.plugin_data.plugin_name = plugin
    about.plugin_data.content = content
    return about


def scalar(name: str, data: Any, step: Any = None, description: Optional[str] = None) -> Any:
    """Writes one number."""
    with summary_scope(name, 'scalar_summary', values=[data, step]) as (tag, _):
        check_shapes.assert_scalar_v2(data)
        return write(tag, math_ops.cast(data, dtypes.float32), step, _metadata('scalars', description))


def text(name: str, data: Any, step: Any = None, description: Optional[str] = None) -> Any:
    """Writes texts."""
    with summary_scope(name, 'text_summary', values=[data, step]) as (tag, _):
        check_shapes.assert_type_v2(data, dtypes.string)
        return write(tag, data, step, _metadata('text', description))


# ---- Histograms ----

def histogram(name: str, data: Any, step: Any = None, buckets: Any = None, description: Optional[str] = None) -> Any:
    """Writes how numbers are spread, in buckets of one width."""
    data = array_ops.stop_gradient(data)
    with summary_scope(name, 'histogram_summary', values=[data, buckets, step]) as (tag, _):
        return write(tag, lambda: _spread(data, _BUCKETS if buckets is None else buckets), step,
                     _metadata('histograms', description))


def _spread(data: Any, buckets: Any) -> Any:
    """Returns rows of where a bucket begins and ends, and what it holds."""
    with scopes.name_scope('buckets'):
        check_shapes.assert_scalar_v2(buckets)
        check_shapes.assert_type_v2(buckets, dtypes.int32)
        count = math_ops.maximum(0, buckets)
        data = math_ops.cast(array_ops.reshape(data, [-1]), dtypes.float64)
        is_empty = math_ops.logical_or(math_ops.equal(v2_ops.size_v2(data), 0), math_ops.less_equal(count, 0))
        return v2_ops.cond_v2(is_empty, lambda: array_ops.zeros((count, 3), dtypes.float64),
                              lambda: _of_some(data, count))


def _of_some(data: Any, count: Any) -> Any:
    low, high = v2_ops.reduce_min_v2(data), v2_ops.reduce_max_v2(data)
    return v2_ops.cond_v2(math_ops.equal(high - low, 0), lambda: _of_one_value(data, count, high),
                          lambda: _of_several(data, count, low, high))


def _of_one_value(data: Any, count: Any, value: Any) -> Any:
    """All buckets end at the value, and the last one holds everything."""
    edges = array_ops.fill([count], value)
    held = array_ops.concat([array_ops.fill([count], 0)[:-1], [v2_ops.size_v2(data)]], 0)[:count]
    return v2_ops.transpose_v2(array_ops.stack([edges, edges, math_ops.cast(held, dtypes.float64)]))


def _of_several(data: Any, count: Any, low: Any, high: Any) -> Any:
    width = (high - low) / math_ops.cast(count, dtypes.float64)
    places = math_ops.minimum(math_ops.cast(math_ops.floor((data - low) / width), dtypes.int32), count - 1)
    ones = array_ops.ones_like(data)
    held = gen.apply('UnsortedSegmentSum', None, {'data': ones, 'segment_ids': places, 'num_segments': count})
    edges = array_ops.concat([math_ops.linspace(low, high, count + 1)[:-1], [high]], 0)
    return v2_ops.transpose_v2(array_ops.stack([edges[:-1], edges[1:], held]))


# ---- Images and sound ----

def image(name: str, data: Any, step: Any = None, max_outputs: Any = 3, description: Optional[str] = None) -> Any:
    """Writes images, each as a PNG file."""
    with summary_scope(name, 'image_summary', values=[data, max_outputs, step]) as (tag, _):
        return write(tag, lambda: _files_of_images(data, max_outputs), step, _metadata('images', description))


def _files_of_images(data: Any, most: Any) -> Any:
    check_shapes.assert_rank_v2(data, 4)
    check_ops.assert_non_negative_v2(most)
    images = image_color.convert_image_dtype(data, dtypes.uint8, saturate=True)
    files = gen.apply('EncodePng', None, {'image': images[:most]})
    shape = v2_ops.shape_v2(images)
    sizes = [gen.apply('AsString', name, {'input': shape[axis]}) for axis, name in ((2, 'width'), (1, 'height'))]
    return array_ops.concat([array_ops.stack(sizes, name='dimensions'), files], axis=0)


def audio(name: str, data: Any, sample_rate: Any, step: Any = None, max_outputs: Any = 3,
          encoding: Optional[str] = None, description: Optional[str] = None) -> Any:
    """Writes sound, each as a WAV file."""
    if encoding not in (None, 'wav'):
        raise ValueError(f'Unknown encoding: {encoding!r}')
    with summary_scope(name, 'audio_summary', values=[data, sample_rate, max_outputs, step]) as (tag, _):
        return write(tag, lambda: _files_of_sound(data, sample_rate, max_outputs), step,
                     _metadata('audio', description, _WAV))


def _files_of_sound(data: Any, rate: Any, most: Any) -> Any:
    check_shapes.assert_rank_v2(data, 3)
    check_ops.assert_non_negative_v2(most)
    kept = convert.convert_to_tensor(data)[:most]
    files = functional_ops.map_fn(lambda one: gen.apply('EncodeWav', None, {'audio': one, 'sample_rate': rate}), kept,
                                  dtype=dtypes.string, name='encode_each_audio')
    labels = array_ops.tile([''], v2_ops.shape_v2(kept)[:1])
    return v2_ops.transpose_v2(array_ops.stack([files, labels]))
