"""Images, values rounded as if quantized, and recurrent layers that are one op."""


def _resize(op, size=(5, 3), dtype='float32', **options):
    def case(tf, x):
        a = x([1, 3, 4, 2], 1, dtype=dtype)
        return getattr(tf.raw_ops, op)(images=a, size=list(size), **options), [a]
    return case


def _crop(dtype='float32', method='bilinear'):
    def case(tf, x):
        a, boxes = x([2, 5, 5, 2], 1, dtype=dtype), x([3, 4], 2, 0.1, 0.8)
        op = tf.raw_ops.CropAndResize
        return op(image=a, boxes=boxes, box_ind=[0, 1, 0], crop_size=[2, 3], method=method), [a, boxes]
    return case


def _patches(padding, rates=(1, 1, 1, 1)):
    def case(tf, x):
        a = x([2, 4, 5, 2], 1)
        return tf.image.extract_patches(a, [1, 2, 3, 1], [1, 1, 2, 1], list(rates), padding), [a]
    return case


def _volumes(padding, shape=(2, 3, 4, 5, 2), dtype='float32'):
    def case(tf, x):
        a = x(list(shape), 1, dtype=dtype)
        y = tf.extract_volume_patches(a, [1, 2, 3, 2, 1], [1, 1, 2, 3, 1], padding)
        return y * y, [a]
    return case


def _project(version):
    def case(tf, x):
        a = x([2, 4, 4, 1], 1)
        transforms = tf.constant([[1.0, 0.1, 0.2, -0.1, 0.9, 0.3, 0.0, 0.0], [1.1, 0.0, -0.5, 0.0, 1.0, 0.5, 0.01, 0.0]])
        options = {'images': a, 'transforms': transforms, 'output_shape': [3, 5], 'interpolation': 'BILINEAR'}
        if version == 3:
            options['fill_value'] = 0.5
        return getattr(tf.raw_ops, f'ImageProjectiveTransformV{version}')(**options), [a]
    return case


def _rgb_to_hsv(tf, x):
    a = x([2, 3, 3], 1, 0.1, 0.9)
    return tf.image.rgb_to_hsv(a), [a]


def _fake_args(tf, x):
    a = x([3, 4], 1, -8, 8)
    return tf.quantization.fake_quant_with_min_max_args(a), [a]


def _fake_vars(tf, x):
    a, low, high = x([3, 4], 1, -2, 2), x([], 2, -1, -0.9), x([], 3, 0.9, 1)
    return tf.quantization.fake_quant_with_min_max_vars(a, low, high), [a, low, high]


def _fake_channels(tf, x):
    a, low, high = x([3, 4], 1, -2, 2), x([4], 2, -1, -0.9), x([4], 3, 0.9, 1)
    return tf.quantization.fake_quant_with_min_max_vars_per_channel(a, low, high), [a, low, high]


def _quantize(version):
    def case(tf, x):
        a, low, high = x([3, 4], 1, -2, 2), x([], 2, -1, -0.9), x([], 3, 0.9, 1)
        more = {'num_bits': 8} if version == 3 else {}
        op = getattr(tf.raw_ops, f'QuantizeAndDequantizeV{version}')
        return op(input=a, input_min=low, input_max=high, range_given=True, **more), [a, low, high]
    return case


def _lstm(op):
    def case(tf, x):
        values = [x([2, 2, 3], 1), x([2, 2], 2), x([2, 2], 3), x([5, 8], 4), x([2], 5), x([2], 6), x([2], 7), x([8], 8)]
        names = ('x', 'cs_prev', 'h_prev', 'w', 'wci', 'wcf', 'wco', 'b')
        made = getattr(tf.raw_ops, op)(seq_len_max=tf.constant(2, 'int64'), use_peephole=True, **dict(zip(names, values)))
        return made.h * 2, values
    return case


CASES = {
    'resize_nearest': _resize('ResizeNearestNeighbor'),
    'resize_nearest_corners': _resize('ResizeNearestNeighbor', align_corners=True),
    'resize_nearest_centers': _resize('ResizeNearestNeighbor', half_pixel_centers=True),
    'resize_bilinear': _resize('ResizeBilinear'),
    'resize_bilinear_corners': _resize('ResizeBilinear', align_corners=True),
    'resize_bilinear_centers': _resize('ResizeBilinear', half_pixel_centers=True),
    'resize_bilinear_half': _resize('ResizeBilinear', dtype='float16'),
    'resize_bicubic': _resize('ResizeBicubic'),
    'resize_bicubic_centers': _resize('ResizeBicubic', half_pixel_centers=True),
    'crop_and_resize': _crop(),
    'crop_and_resize_nearest': _crop(method='nearest'),
    'extract_patches': _patches('VALID'),
    'extract_patches_same': _patches('SAME', (1, 2, 1, 1)),
    'volume_patches': _volumes('VALID'),
    'volume_patches_same': _volumes('SAME', dtype='float64'),
    'volume_patches_large': _volumes('SAME', (1, 3, 7, 6, 1)),
    'rgb_to_hsv': _rgb_to_hsv,
    'project_v2': _project(2),
    'project_v3': _project(3),
    'fake_quant_args': _fake_args,
    'fake_quant_vars': _fake_vars,
    'fake_quant_channels': _fake_channels,
    'quantize_v2': _quantize(2),
    'quantize_v3': _quantize(3),
    'quantize_v4': _quantize(4),
    'block_lstm': _lstm('BlockLSTM'),
    'block_lstm_v2': _lstm('BlockLSTMV2'),
}
ROUGH = ('fake_quant_args', 'fake_quant_vars', 'fake_quant_channels', 'quantize_v2', 'quantize_v3', 'quantize_v4',
         'crop_and_resize_nearest', 'project_v2', 'project_v3', 'block_lstm_v2')
STATIC = ('extract_patches', 'extract_patches_same', 'volume_patches', 'volume_patches_same', 'volume_patches_large')
ONCE = ('quantize_v4',)
# TensorFlow's rule multiplies by a sparse matrix of all places; here they are summed.
RENAMED = ('volume_patches', 'volume_patches_same', 'volume_patches_large')
UNNAMED = ('extract_patches', 'extract_patches_same')
