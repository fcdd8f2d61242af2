"""test_texts.py - Ops on texts of every length give what Python's own texts do."""

from __future__ import annotations

import base64
from typing import Any

import berth as tf
import numpy as np
import pytest

# Around the 22 bytes that need no memory, the eight that are changed at once, and the three of Base64.
LENGTHS = [*range(33), 63, 64, 65, 300]


def texts(seed: int = 1) -> list[bytes]:
    """Bytes at random, of every length several times; some are letters alone."""
    rng = np.random.default_rng(seed)
    found = [rng.integers(0, 256, size, dtype=np.uint8).tobytes() for size in LENGTHS for _ in range(4)]
    letters = np.frombuffer(b"@AMZ[`amz{ \t", np.uint8)
    return found + [rng.choice(letters, size).astype(np.uint8).tobytes() for size in LENGTHS for _ in range(4)]


def constant(values: list[bytes]) -> Any:
    """A tensor of texts."""
    return tf.constant(np.array(values, dtype=object))


def test_cases_change_letters_of_ascii_alone() -> None:
    given = texts()
    assert tf.strings.lower(constant(given)).numpy().tolist() == [text.lower() for text in given]
    assert tf.strings.upper(constant(given)).numpy().tolist() == [text.upper() for text in given]


def test_lengths_are_bytes() -> None:
    given = texts()
    assert tf.strings.length(constant(given)).numpy().tolist() == [len(text) for text in given]
    assert tf.strings.length(constant([])).numpy().tolist() == []


def test_strip_takes_spaces_from_both_ends() -> None:
    given = [b" " * (i % 3) + text + b"\t" * (i % 4) for i, text in enumerate(texts())]
    assert tf.strings.strip(constant(given)).numpy().tolist() == [text.strip(b" \t\n\v\f\r") for text in given]


@pytest.mark.parametrize("pad", [False, True])
def test_base64_goes_there_and_back(pad: bool) -> None:
    given = texts()
    coded = tf.io.encode_base64(constant(given), pad=pad)
    expected = [base64.urlsafe_b64encode(text) for text in given]
    assert coded.numpy().tolist() == [text if pad else text.rstrip(b"=") for text in expected]
    assert tf.io.decode_base64(coded).numpy().tolist() == given


@pytest.mark.parametrize("wrong", [b"ab c", b"abc+", b"ab\x00d", b"abcdab/d", b"abcda\xff"])
def test_what_is_no_letter_of_base64_fails(wrong: bytes) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid character found in base64"):
        tf.io.decode_base64(constant([b"abcd", wrong]))


def test_moved_texts_stay_what_they_are() -> None:
    given = texts()
    x = constant(given)
    assert tf.concat([x, x], 0).numpy().tolist() == given * 2
    assert tf.tile(x, [3]).numpy().tolist() == given * 3
    assert tf.reverse(x, [0]).numpy().tolist() == given[::-1]
    assert x[1::3].numpy().tolist() == given[1::3]
    assert tf.strings.join([x, x], "--").numpy().tolist() == [text + b"--" + text for text in given]
    equal = [a == b for a, b in zip(given, given[1:])]
    assert tf.equal(x[:-1], x[1:]).numpy().tolist() == equal
    assert tf.equal(x, tf.identity(x[::-1])[::-1]).numpy().all()


def test_parts_of_texts() -> None:
    given = [text for text in texts() if len(text) >= 5]
    rng = np.random.default_rng(2)
    at = rng.integers(-5, 6, len(given)).astype(np.int32)
    size = rng.integers(0, 40, len(given)).astype(np.int32)
    expected = [(text[a:] if a >= 0 else text[len(text) + a:])[:n] for text, a, n in zip(given, at, size)]
    assert tf.strings.substr(constant(given), at, size).numpy().tolist() == expected
    assert tf.strings.substr(constant(given), 1, 3).numpy().tolist() == [text[1:4] for text in given]


def test_old_split_cuts_many_texts() -> None:
    given = [b" ".join([b"x" * (i % 30), b"", b"y"]) for i in range(3000)]
    found = tf.raw_ops.StringSplit(input=constant(given), delimiter=constant([b" "])[0], skip_empty=True)
    pieces = [text.split() for text in given]
    assert found.values.numpy().tolist() == [piece for row in pieces for piece in row]
    assert found.shape.numpy().tolist() == [3000, max(map(len, pieces))]


NUMBERS = {
    "int8": [-128, -1, 0, 7, 127], "int32": [-2**31, -10, 0, 99, 2**31 - 1],
    "int64": [-2**63, -1, 0, 10**17, 2**63 - 1], "uint8": [0, 7, 255], "uint16": [0, 65535],
    "uint32": [0, 2**32 - 1], "uint64": [0, 10, 2**63 - 1, 2**63, 2**64 - 1],
    "float32": [0.0, -0.0, 1.5, -2.25, 3e38, 1e-45, float("inf"), -float("inf")],
    "float64": [0.0, -0.0, 0.1, -123456.789, 1e300, 5e-324, float("inf")],
}


@pytest.mark.parametrize("fill", ["", " ", "0", "-", "+", "#"])
@pytest.mark.parametrize("width", [-1, 1, 8, 30, 200])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_are_as_wide_as_asked(dtype: str, width: int, fill: str) -> None:
    values = np.array(NUMBERS[dtype], dtype)
    is_real = dtype.startswith("float")
    letter = "f" if is_real else "d"
    flag = "" if dtype[0] == "u" and fill in (" ", "+") else fill  # They say nothing about numbers without a sign.
    directive = (str(width) if width > 0 else "") + letter
    found = tf.strings.as_string(tf.constant(values), width=width, fill=fill).numpy()
    for text, value in zip(found, values.tolist()):  # C fills before infinity with spaces.
        now = "" if flag == "0" and np.isinf(value) else flag
        assert text == (f"%{now}{directive}" % value).encode()


@pytest.mark.parametrize("how", [{"scientific": True}, {"shortest": True}, {"precision": 2}, {"precision": 0}])
@pytest.mark.parametrize("fill", ["", " ", "0", "-", "+", "#"])
def test_notations_are_as_wide_as_asked(fill: str, how: dict[str, Any]) -> None:
    values = np.random.default_rng(3).standard_normal(50) * 10.0 ** np.arange(-25, 25)
    letter = "e" if "scientific" in how else "g" if "shortest" in how else f".{how['precision']}f"
    found = tf.strings.as_string(tf.constant(values), width=25, fill=fill, **how).numpy()
    assert found.tolist() == [(f"%{fill}25{letter}" % value).encode() for value in values]


def test_truths_have_two_texts() -> None:
    values = np.random.default_rng(4).random(100) < 0.5
    assert tf.strings.as_string(tf.constant(values)).numpy().tolist() == [b"true" if x else b"false" for x in values]


KEYS = {
    "int64": lambda rng, count: rng.integers(-500, 500, count),
    "int32": lambda rng, count: rng.integers(-500, 500, count).astype(np.int32),
    "string": lambda rng, count: np.array([b"k" * (i % 40) + b"%d" % i for i in rng.integers(0, 900, count)], object),
}
VALUES = {
    "float32": lambda rng, count: rng.standard_normal(count).astype(np.float32),
    "int64": lambda rng, count: rng.integers(-9, 9, count),
    "bool": lambda rng, count: rng.random(count) < 0.5,
    "string": lambda rng, count: np.array([b"v" * (i % 40) for i in rng.integers(0, 900, count)], object),
}
PAIRS = [("int64", "float32"), ("int64", "int64"), ("int64", "string"), ("string", "bool"), ("string", "float32"),
         ("string", "int64"), ("int32", "float32")]
MISSING = {"float32": np.float32(-1), "int64": np.int64(-1), "bool": np.bool_(False), "string": b"none"}


@pytest.mark.parametrize(("key", "value"), PAIRS)
def test_tables_do_what_dictionaries_do(key: str, value: str) -> None:
    rng = np.random.default_rng([5, len(key), len(value)])
    table = tf.lookup.experimental.MutableHashTable(tf.as_dtype(key), tf.as_dtype(value), MISSING[value])
    known: dict[Any, Any] = {}
    for count in (0, 1, 3, 40, 700, 200):
        keys, values = KEYS[key](rng, count), VALUES[value](rng, count)
        table.insert(tf.constant(keys, tf.as_dtype(key)), tf.constant(values, tf.as_dtype(value)))
        known.update(zip(keys.tolist(), values.tolist()))
        gone = KEYS[key](rng, count // 2)
        table.remove(tf.constant(gone, tf.as_dtype(key)))
        for one in gone.tolist():
            known.pop(one, None)
        asked = KEYS[key](rng, 300)
        found = table.lookup(tf.constant(asked, tf.as_dtype(key))).numpy()
        assert found.tolist() == [known.get(one, MISSING[value]) for one in asked.tolist()]
        assert int(table.size()) == len(known)
        out_keys, out_values = (x.numpy().tolist() for x in table.export())
        assert dict(zip(out_keys, out_values)) == known
