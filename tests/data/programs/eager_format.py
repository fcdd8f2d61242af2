import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


x = tf.constant(3.14159)
n = tf.constant(42)
attempt(lambda: f"{x}")
attempt(lambda: f"{x:.2f}")
attempt(lambda: f"{n:5d}|")
attempt(lambda: f"{n:>8}|")
attempt(lambda: "{:.3f}".format(x))
attempt(lambda: "%.2f" % x)
attempt(lambda: "%d" % n)
attempt(lambda: "%s %r" % (n, n))
attempt(lambda: f"{x.numpy():.3f}")
attempt(lambda: f"{tf.constant([1.0, 2.0]):.2f}")
attempt(lambda: f"{tf.constant('a'):>5}")
attempt(lambda: "%d items" % tf.constant([1, 2]))
attempt(lambda: str(tf.constant([1])))
attempt(lambda: f"{tf.Variable(2.5):.1f}")
attempt(lambda: f"{tf.Variable(2.5)}")
attempt(lambda: round(x, 2))
attempt(lambda: round(float(x), 2))
attempt(lambda: f"{x!r}")
attempt(lambda: "|".join([str(v) for v in tf.range(3)]))
attempt(lambda: "|".join(tf.constant(["a", "b"])))
attempt(lambda: ",".join(str(v.numpy()) for v in tf.range(3)))
