"""Compares what the libraries make of a network before any is timed."""

import array
import math
import os

# How much of itself a value may differ by; model.c and onnxruntime_side.py
# allow their results as much.
TOLERANCE = 1e-3


class DisagreeError(Exception):
    """Two libraries give different results."""


def read(path: str, count: int) -> array.array:
    """Reads |count| floats."""
    values = array.array("f")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    if len(values) != count:
        raise DisagreeError(f"{path} has {len(values)} values, not {count}")
    return values


def difference(left: array.array, right: array.array) -> float:
    """Returns the largest difference, as a part of the larger value."""
    worst = 0.0
    for a, b in zip(left, right):
        if not (math.isfinite(a) and math.isfinite(b)):
            return math.inf
        if a != b:
            worst = max(worst, abs(a - b) / max(abs(a), abs(b)))
    return worst


def check_probabilities(values: array.array, classes: int) -> None:
    """Refuses what no softmax gives, and images that all come out the same."""
    images = [values[i:i + classes] for i in range(0, len(values), classes)]
    if any(abs(sum(image) - 1) > TOLERANCE for image in images):
        raise DisagreeError("probabilities do not add up to 1")
    for last, image in zip(images, images[1:]):
        if difference(last, image) <= 2 * TOLERANCE:
            raise DisagreeError("two images give one result: a mistake could "
                                "not be seen")


def agree(results: dict[str, array.array], classes: int) -> None:
    """Raises DisagreeError unless all |results| are the same."""
    peers = list(results)
    for i, peer in enumerate(peers):
        check_probabilities(results[peer], classes)
        for other in peers[:i]:
            found = difference(results[peer], results[other])
            if not found <= TOLERANCE:
                raise DisagreeError(f"{other} and {peer} differ by {found:.3g} "
                                    "of a value")


def write_expected(path: str, values: array.array) -> None:
    with open(f"{path}.part", "wb") as file:
        file.write(values.tobytes())
    os.rename(f"{path}.part", path)
