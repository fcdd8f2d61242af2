"""test_wrong_calls.py - Calls that TensorFlow refuses are refused, in its words."""

from __future__ import annotations

from typing import Any

import berth as tf
import numpy as np
import pytest

IMAGE = np.ones((1, 5, 5, 2), np.float32)
SQUARE = np.ones((2, 2, 2), np.float32)
DILATION = {"input": IMAGE, "filter": SQUARE, "strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "SAME"}
GRAMS = {"data": [b"a", b"b"], "data_splits": np.array([0, 2]), "separator": "|", "left_pad": "", "right_pad": "",
         "ngram_widths": [], "preserve_short_sequences": True}
CROPS = {"grads": np.ones((1, 3, 3, 2), np.float32), "image": IMAGE}
ROWS = np.zeros((4, 2), np.float32)


def places(*numbers: Any) -> Any:
    return np.array(numbers, np.int32)


# The op, what it is given, and what it says.
CALLS = [
    ("Dilation2D", DILATION | {"strides": [1, 0, 1, 1]}, "Stride must be > 0, but got 0"),
    ("Dilation2D", DILATION | {"strides": [1, 1, -2, 1]}, "Stride must be > 0, but got -2"),
    ("Dilation2D", DILATION | {"strides": [1, 1, 1, 1, 1]}, "Sliding window stride field must specify 4 dimensions"),
    ("Dilation2D", DILATION | {"rates": [1, 1, 1, 1, 1]},
     "Input stride (atrous rate) field must specify 4 dimensions"),
    ("FractionalMaxPool", {"value": IMAGE, "pooling_ratio": [1.0, 0.5, 1.0, 1.0]},
     "pooling_ratio cannot be smaller than 1, got: 0.5"),
    ("FractionalAvgPool", {"value": IMAGE, "pooling_ratio": [1.0, 1.0, 1.0, 1.0, 1.0]},
     "pooling_ratio field must specify 4 dimensions"),
    ("StringNGrams", GRAMS | {"pad_width": -1},
     "Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, got -1"),
    ("StringSplit", {"input": [b"a b"], "delimiter": [b" "]}, "delimiter must be a scalar, got shape: [1]"),
    ("CropAndResizeGradBoxes", CROPS | {"boxes": np.ones(4, np.float32), "box_ind": places([0])},
     "boxes must be 2-D[4]"),
    ("CropAndResizeGradBoxes", CROPS | {"boxes": np.ones((1, 4), np.float32), "box_ind": places([0])},
     "box_index must be 1-D[1,1]"),
    ("CropAndResize", {"image": IMAGE, "boxes": np.ones(4, np.float32), "box_ind": places([0]), "crop_size": [2, 2]},
     "boxes must be 2-D, got: [4]"),
    ("Conv3D", {"input": np.zeros((1, 2, 3, 4, 0)), "filter": np.zeros((1, 1, 1, 17, 5)), "strides": [1] * 5,
                "padding": "SAME"}, "Number of channels in filter (17) must match last dimension of input (0)"),
    ("Conv3D", {"input": np.zeros((1, 2, 3, 4, 2)), "filter": np.zeros((1, 1, 1, 0, 5)), "strides": [1] * 5,
                "padding": "SAME"}, "filter_depth must be non-zero"),
    ("DepthwiseConv2dNative", {"input": np.zeros((1, 3, 4, 0)), "filter": np.zeros((1, 1, 17, 5)), "strides": [1] * 4,
                               "padding": "SAME"}, "input and filter must have the same depth: 0 vs 17"),
    ("TensorScatterAdd", {"tensor": ROWS, "indices": places(1), "updates": np.ones(2, np.float32)},
     "Dimensions [0,1) of indices[shape=[1]] = 1 must match dimensions [0,1) of updates[shape=[2]] = 2"),
    ("ScatterNd", {"shape": places(4, 2), "indices": places(1), "updates": np.ones(2, np.float32)},
     "Dimensions [0,1) of indices[shape=[1]] = 1 must match dimensions [0,1) of updates[shape=[2]] = 2"),
    ("TensorScatterAdd", {"tensor": ROWS, "indices": places([1]), "updates": np.ones((1, 3), np.float32)},
     "The inner 1 dimensions of output.shape=[4,2] must match the inner 1 dimensions of updates.shape=[1,3]"),
    ("TensorScatterAdd", {"tensor": ROWS, "indices": places([1]), "updates": np.ones((0, 2), np.float32)},
     "Indices and updates specified for empty output shape"),
    ("TensorScatterUpdate", {"tensor": ROWS, "indices": places([], []), "updates": np.ones((2, 4, 2), np.float32)},
     "Indices and updates specified for empty output shape"),
    ("ScatterNd", {"shape": places(4, 0), "indices": places([1]), "updates": np.ones((1, 2), np.float32)},
     "Dimensions [1,2) of input[shape=[4,0]] must match dimensions [1,2) of updates[shape=[1,2]]"),
    ("MatrixDiagPartV3", {"input": np.ones((2, 3)), "k": places(-1, 0), "padding_value": np.zeros(2)},
     "Padding must be scalar."),
]


@pytest.mark.parametrize("op, given, text", CALLS, ids=[f"{op}{i}" for i, (op, _, _) in enumerate(CALLS)])
def test_refused(op: str, given: dict[str, Any], text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as info:
        getattr(tf.raw_ops, op)(**given)
    assert text in str(info.value)


def test_names_of_functions_are_those_of_tensorflow() -> None:
    for op, name in (("Conv2D", "conv2d"), ("Conv3DBackpropInputV2", "conv3d_backprop_input_v2"), ("FFT2D", "fft2d"),
                     ("MaxPool3DGradGrad", "max_pool3d_grad_grad"), ("L2Loss", "l2_loss"), ("InTopKV2", "in_top_kv2"),
                     ("DepthwiseConv2dNative", "depthwise_conv2d_native"), ("RGBToHSV", "rgb_to_hsv")):
        with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword argument 'wrong'"):
            getattr(tf.raw_ops, op)(wrong=1)


def test_one_number_pads_all_diagonals() -> None:
    found = tf.raw_ops.MatrixDiagPartV3(input=np.ones((5, 9, 2)), k=[-8, 1], padding_value=np.array([7.0]))
    same = tf.raw_ops.MatrixDiagPartV3(input=np.ones((5, 9, 2)), k=[-8, 1], padding_value=7.0)
    assert np.array_equal(found, same) and np.count_nonzero(found == 7.0) == 5 * 2


def test_parts_of_negative_length() -> None:
    for unit, wanted in (("BYTE", [b"abc", b"b"]), ("UTF8_CHAR", [b"", b""])):
        for length in (-1, -100):
            found = tf.raw_ops.Substr(input=[b"abc", b"ab"], pos=[0, 1], len=[length] * 2, unit=unit)
            assert list(found.numpy()) == wanted
