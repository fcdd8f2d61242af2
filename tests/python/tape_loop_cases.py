"""tape_loop_cases - Gradients of loops that are taken inside of loops, held against TensorFlow.

Each case gets the module and returns tensors in lists, as those of tape_cases.py do.
"""


def _loop_in_loop(tf):
    @tf.function
    def f(x, n, m):
        out = tf.constant(0.0)
        for _ in tf.range(n):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x
                for _ in tf.range(m):
                    y = y * x
            out += t.gradient(y, x)
        return out
    return [f(tf.constant(2.0), tf.constant(n), tf.constant(m)) for n, m in [(3, 2), (0, 2), (2, 0), (1, 5)]]


def _loops_in_loop(tf):
    @tf.function
    def f(x):
        out = tf.zeros([2])
        for k in tf.range(3):
            with tf.GradientTape() as t:
                t.watch(x)
                y = tf.reduce_sum(x)
                for i in tf.range(2):
                    for j in tf.range(i + 1):
                        y = y * tf.reduce_sum(x * x) * tf.cast(j + k + 1, tf.float32)
            out += t.gradient(y, x)
        return out
    return f(tf.constant([0.5, 1.0]))


def _loop_in_loops(tf):
    @tf.function
    def f(x):
        out = tf.constant(0.0)
        for k in tf.range(2):
            for j in tf.range(k + 1):
                with tf.GradientTape() as t:
                    t.watch(x)
                    y = x
                    for _ in tf.range(j + 2):
                        y = y * x
                out += t.gradient(y, x)
        return out
    return f(tf.constant(2.0))


def _loop_in_cond_in_loop(tf):
    @tf.function
    def f(x):
        out = tf.constant(0.0)
        for k in tf.range(4):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x
                if k > 1:
                    for _ in tf.range(k):
                        y = y * x
                else:
                    y = y * 7.0
            out += t.gradient(y, x)
        return out
    return f(tf.constant(2.0))


def _cond_in_loop_in_loop(tf):
    @tf.function
    def f(x):
        out = tf.constant(0.0)
        for k in tf.range(4):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x
                for i in tf.range(3):
                    if i > k:
                        y = y * x
                    else:
                        y = y + tf.sin(x)
            out += t.gradient(y, x)
        return out
    return f(tf.constant(2.0))


def _tape_in_cond_in_loop(tf):
    @tf.function
    def f(x):
        out = tf.constant(0.0)
        for k in tf.range(4):
            if k > 1:
                with tf.GradientTape() as t:
                    t.watch(x)
                    y = x
                    for i in tf.range(3):
                        y = y * x
                out += t.gradient(y, x)
        return out
    return f(tf.constant(2.0))


def _loop_of_array_in_loop(tf):
    @tf.function
    def f(x):
        out = tf.zeros([3])
        for k in tf.range(2):
            with tf.GradientTape() as t:
                t.watch(x)
                parts = tf.TensorArray(tf.float32, 3)
                for i in tf.range(3):
                    parts = parts.write(i, x[i] * x[i] * tf.cast(i + k, tf.float32))
                y = tf.reduce_sum(parts.stack() ** 2)
            out += t.gradient(y, x)
        return out
    return f(tf.constant([1.0, 2.0, 3.0]))


def _while_in_while(tf):
    @tf.function
    def f(x):
        out, k = tf.constant(0.0), tf.constant(0)
        while k < 3:
            with tf.GradientTape() as t:
                t.watch(x)
                y = x
                while tf.reduce_sum(y) < 50.0:
                    y = y * x + tf.cast(k, tf.float32)
            out += t.gradient(y, x)
            k += 1
        return out
    return f(tf.constant(2.0))


def _trained_in_loop(tf):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(0.5)
    @tf.function
    def train(steps):
        loss = tf.constant(0.0)
        for _ in tf.range(steps):
            with tf.GradientTape() as t:
                h = tf.zeros([2])
                for _ in tf.range(3):
                    h = tf.tanh(h * w + v)
                loss = tf.reduce_sum((h - 0.3) ** 2)
            dv, dw = t.gradient(loss, [v, w])
            v.assign_sub(0.1 * dv)
            w.assign_sub(0.1 * dw)
        return loss
    return [train(tf.constant(5)), v, w]


def _rows_trained_in_loop(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    @tf.function
    def train():
        for k in tf.range(3):
            with tf.GradientTape() as t:
                y = tf.constant(0.0)
                for i in tf.range(2):
                    y += tf.reduce_sum(tf.gather(table, [i, k]) ** 2)
            table.assign_sub(0.1 * tf.convert_to_tensor(t.gradient(y, table)))
    train()
    return table


def _loop_of_lengths_in_loop(tf):
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None, None])])
    def f(x, rows):
        out = tf.zeros_like(x)
        for row in rows:
            with tf.GradientTape() as t:
                t.watch(x)
                y = tf.constant(0.0)
                for e in row:
                    y += tf.reduce_sum(x * e) ** 2
            out += t.gradient(y, x)
        return out
    return [f(tf.constant([1.0, 2.0]), tf.constant([[1.0, 2.0], [3.0, 4.0]])), f(tf.zeros([0]), tf.zeros([2, 3])),
            f(tf.ones([3]), tf.ones([0, 3]))]


def _waiting_for_what_is_outside(tf):
    v = tf.Variable(1.0)
    @tf.function
    def f(x):
        out = tf.constant(0.0)
        for _ in tf.range(2):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x
                for _ in tf.range(2):
                    y = y * x
            with tf.control_dependencies([v.assign_add(1.0)]):
                out += t.gradient(y, x)
        return out
    return [f(tf.constant(2.0)), v]


def _tf_gradients_in_loop(tf):
    @tf.function
    def f(x):
        out = tf.constant(0.0)
        for _ in tf.range(3):
            y = x
            for _ in tf.range(2):
                y = y * x
            out += tf.gradients(y, x)[0]
        return out
    return f(tf.constant(2.0))


def _call_in_loop(tf):
    @tf.function
    def g(x):
        y = x
        for _ in tf.range(2):
            y = y * x
        return y
    @tf.function
    def f(x):
        out = tf.constant(0.0)
        for _ in tf.range(3):
            with tf.GradientTape() as t:
                t.watch(x)
                y = g(x)
            out += t.gradient(y, x)
        return out
    return f(tf.constant(2.0))


def _carried_in_loop(tf):
    @tf.function
    def f(x):
        for _ in tf.range(3):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x
                for _ in tf.range(2):
                    y = y * tf.sin(x)
            x = x - 0.1 * t.gradient(y, x)
        return x
    return f(tf.constant([1.0, 2.0]))


def _jacobian_in_loop(tf):
    @tf.function
    def f(x):
        out = tf.zeros([2, 2])
        for _ in tf.range(2):
            with tf.GradientTape(persistent=True) as t:
                t.watch(x)
                y = x
                for _ in tf.range(2):
                    y = y * x
            out += t.jacobian(y, x, experimental_use_pfor=False)
        return out
    return f(tf.constant([1.0, 2.0]))


def _linear_loops_in_loop(tf):
    @tf.function
    def f(x):
        out = tf.zeros([2])
        for _ in tf.range(2):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x
                for _ in tf.range(2):
                    for _ in tf.range(3):
                        y = -y * 3.0
            out += t.gradient(y, x)
        return out
    return f(tf.constant([0.5, 1.0]))


def _deep_loops_in_loop(tf):
    @tf.function
    def f(x):
        out = tf.zeros([2])
        for _ in tf.range(2):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x
                for a in tf.range(2):
                    for b in tf.range(a + 1):
                        if b > 0:
                            for _ in tf.range(b + a):
                                y = y * tf.sin(x)
                        else:
                            y = y + tf.reduce_sum(x)
            out += t.gradient(y, x)
        return out
    return f(tf.constant([0.5, 1.0]))


def _shapeless_loops_in_loop(tf):
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        out = tf.zeros_like(x)
        for _ in tf.range(2):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x
                for a in tf.range(3):
                    y = tf.concat([y, x[:1] * y[:1]], 0)
                    for _ in tf.range(a):
                        y = y * 0.5
            out += t.gradient(y, x)
        return out
    return [f(tf.constant([0.5, 1.0])), f(tf.constant([2.0]))]


CASES = {
    'loop_in_loop': _loop_in_loop, 'loops_in_loop': _loops_in_loop, 'loop_in_loops': _loop_in_loops,
    'loop_in_cond_in_loop': _loop_in_cond_in_loop, 'cond_in_loop_in_loop': _cond_in_loop_in_loop,
    'tape_in_cond_in_loop': _tape_in_cond_in_loop, 'loop_of_array_in_loop': _loop_of_array_in_loop,
    'while_in_while': _while_in_while, 'trained_in_loop': _trained_in_loop,
    'rows_trained_in_loop': _rows_trained_in_loop, 'loop_of_lengths_in_loop': _loop_of_lengths_in_loop,
    'waiting_for_what_is_outside': _waiting_for_what_is_outside, 'tf_gradients_in_loop': _tf_gradients_in_loop,
    'call_in_loop': _call_in_loop, 'carried_in_loop': _carried_in_loop, 'jacobian_in_loop': _jacobian_in_loop,
    'linear_loops_in_loop': _linear_loops_in_loop, 'deep_loops_in_loop': _deep_loops_in_loop,
    'shapeless_loops_in_loop': _shapeless_loops_in_loop,
}
