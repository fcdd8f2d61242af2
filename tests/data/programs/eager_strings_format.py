import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


tensor = tf.range(10)
attempt(lambda: tf.strings.format("tensor: {}, suffix", tensor))
attempt(lambda: tf.strings.format("first: {}, second: {}", (tensor, tf.constant([1.5, 2.5]))))
attempt(lambda: tf.strings.format("{}", tf.constant("abc")))
attempt(lambda: tf.strings.format("%t and %t", [tf.constant(1), tf.constant([True])], placeholder="%t"))
attempt(lambda: tf.strings.format("{}", tensor, summarize=1))
attempt(lambda: tf.strings.format("{}", tensor, summarize=-1))
attempt(lambda: tf.strings.format("{} {}", tensor))
attempt(lambda: tf.strings.format("none", []))
attempt(lambda: tf.strings.format("{}", tf.zeros([2, 2])))
attempt(lambda: tf.strings.join(["a", "b"], separator="-"))
attempt(lambda: tf.strings.as_string([1.5, 2.25], precision=1))
attempt(lambda: tf.strings.as_string(tf.constant([1, 20]), width=4, fill="0"))
attempt(lambda: tf.strings.as_string(True))
attempt(lambda: tf.strings.length(["abc", "\u00e9"]))
attempt(lambda: tf.constant("a") + tf.constant(["b", "c"]))
attempt(lambda: tf.function(lambda x: tf.strings.format("x={}", x))(tf.constant([1, 2])))
