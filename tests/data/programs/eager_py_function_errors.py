import tensorflow as tf


def bad(x):
    raise ValueError("something went wrong with %s" % x.numpy())


def index(x):
    return [1, 2, 3][int(x)]


def divide(x):
    return 1 // int(x)


class Custom(Exception):
    pass


def custom(x):
    raise Custom("mine")


for fn in (bad, index, divide, custom):
    for api in (tf.py_function, tf.numpy_function):
        if fn is bad and api is tf.numpy_function:
            continue
        try:
            api(fn, [tf.constant(0 if fn is divide else 5)], tf.int32)
            print("fine")
        except Exception as e:
            print(type(e).__name__, "|", str(e).splitlines()[0], "|", str(e).splitlines()[-1])
try:
    tf.function(lambda v: tf.numpy_function(custom, [v], tf.int32))(tf.constant(1))
except Exception as e:
    print(type(e).__name__, e.message.splitlines()[0])
try:
    tf.numpy_function(lambda v: v * 1.5, [tf.constant(1)], tf.int32)
except Exception as e:
    print(type(e).__name__, str(e).splitlines()[0])
