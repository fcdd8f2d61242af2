import tensorflow as tf

values = {
    "scalar int": tf.constant(4),
    "scalar float": tf.constant(4.5),
    "scalar string": tf.constant("Gray wolf"),
    "scalar bool": tf.constant(True),
    "bytes": tf.constant(b"\xff\x00abc"),
    "unicode": tf.constant("\U0001f973\U0001f44d"),
    "vector": tf.constant([2.0, 3.0, 4.0]),
    "strings": tf.constant(["Gray wolf", "Quick brown fox", "Lazy dog"]),
    "empty": tf.constant([]),
    "empty matrix": tf.zeros([0, 3]),
    "empty inner": tf.zeros([2, 0], tf.int32),
    "matrix": tf.constant([[1, 2], [3, 4], [5, 6]], dtype=tf.float16),
    "cube": tf.constant([[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]], [[10, 11, 12, 13, 14], [15, 16, 17, 18, 19]]]),
    "bools": tf.constant([[True, False], [False, True]]),
    "mixed sizes": tf.constant([1e-8, 1.0, 1e8, -3.25]),
    "not numbers": tf.constant([float("nan"), float("inf"), -float("inf"), 0.0]),
    "uint8": tf.constant([0, 255], tf.uint8),
    "int64 large": tf.constant([2**62, -1], tf.int64),
    "double": tf.constant([0.1, 1 / 3], tf.float64),
    "quotes": tf.constant(["it's", 'say "hi"', "tab\t", "back\\slash"]),
}
for name, value in values.items():
    print("#", name)
    print(value)
    print(repr(value))
    print(str(value) == f"{value}", value.shape, value.dtype)
print([tf.constant(1), tf.constant("a")])
print({"a": tf.constant([1.5])})
print((tf.constant(1.0),))
