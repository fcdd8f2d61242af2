"""Cases of ops between sound and what is heard in it."""

import numpy as np

from golden_case import Case
from golden_types import empty, tensor


def tone(frames, channels=1):
    """Two tones and a slope, in each channel another."""
    t = np.arange(frames)[:, None] + 17 * np.arange(channels)[None, :]
    return tensor("float", np.sin(t * 0.31) * 0.5 + np.cos(t * 1.7) * 0.25 + t * 0.001)


def spectrogram(op):
    def case(kind, sound, window, stride, squared=True):
        return Case(kind, {"window_size": ("int", window), "stride": ("int", stride),
                           "magnitude_squared": ("bool", squared)}, [sound])
    yield case("plain", tone(64), 16, 8)
    yield case("plain long", tone(300, 2), 100, 37)
    yield case("plain magnitude", tone(40), 10, 3, False)
    yield case("other two", tone(8), 2, 1)
    yield case("empty short", tone(5), 16, 8)
    yield case("empty", empty("float", (0, 1)), 4, 2)
    yield case("mismatch rank", tensor("float", [1.0, 2.0]), 4, 2)
    yield case("mismatch window", tone(8), 1, 1)
    yield case("mismatch stride", tone(8), 4, 0)


def mfcc(op):
    def case(kind, shape, rate=16000, **attrs):
        values = np.reshape(np.arange(np.prod(shape)) * 37 % 101, shape) * 0.125
        return Case(kind, attrs, [tensor("float", values), tensor("int32", rate)])
    yield case("plain", (1, 2, 257))
    yield case("plain channels", (2, 3, 129), 8000)
    yield case("plain limits", (1, 1, 65), upper_frequency_limit=("float", 7000.0),
               lower_frequency_limit=("float", 100.0), filterbank_channel_count=("int", 20),
               dct_coefficient_count=("int", 20))
    yield case("zero", (1, 0, 65))
    yield case("mismatch rank", (2, 65))
    yield case("mismatch rate", (1, 2, 65), [16000])
    yield case("mismatch low rate", (1, 2, 65), -1)
    yield case("mismatch coefficients", (1, 2, 65), dct_coefficient_count=("int", 50))
    yield case("mismatch limits", (1, 2, 65), lower_frequency_limit=("float", 5000.0))


OPS = {"AudioSpectrogram": spectrogram, "Mfcc": mfcc}
