import tensorflow as tf


def attempt(label, call):
    try:
        print(label, call())
    except Exception as error:
        print(label, type(error).__name__, str(error)[:60])


def slope(function, *given, **options):
    with tf.GradientTape(**options) as tape:
        tape.watch(given)
        y = function(*given)
    return [None if dy is None else dy.numpy().tolist() for dy in tape.gradient(y, given)]


a, x = tf.constant([1., 2.]), tf.constant([3., 4.])
call = lambda a, x: tf.raw_ops.IgammaGradA(a=a, x=x)
attempt('none', lambda: slope(call, a, x))


@tf.RegisterGradient('IgammaGradA')
def _own(op, dy):
    print(op.type, op.get_attr('T'), [t.numpy().tolist() for t in op.inputs] if tf.executing_eagerly() else len(op.inputs),
          len(op.outputs))
    return dy * op.inputs[1], None


attempt('own', lambda: slope(call, a, x))
attempt('inside', lambda: slope(lambda a, x: 3. * call(a * 2., x) + x, a, x))
attempt('persistent', lambda: slope(call, a, x, persistent=True))
attempt('function', lambda: slope(tf.function(call), a, x))
attempt('function around', lambda: tf.function(lambda: tf.gradients(call(a, x) * 2., [a, x])[0])().numpy().tolist())
with tf.GradientTape() as outer:
    outer.watch(a)
    with tf.GradientTape() as inner:
        inner.watch(a)
        y = call(a, x)
    first = inner.gradient(y, a) * a
attempt('second', lambda: outer.gradient(first, a).numpy().tolist())
attempt('after', lambda: slope(lambda a, x: a * x, a, x))
