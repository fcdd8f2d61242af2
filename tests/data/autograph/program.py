#: program_kmeans
import tensorflow as tf

@tf.function
def kmeans(points, centers, steps):
    for step in tf.range(steps):
        distances = tf.reduce_sum((points[:, None, :] - centers[None, :, :]) ** 2, -1)
        nearest = tf.argmin(distances, 1, output_type=tf.int32)
        new = centers
        for c in tf.range(tf.shape(centers)[0]):
            mine = tf.cast(tf.equal(nearest, c), tf.float32)
            count = tf.reduce_sum(mine)
            if count > 0:
                mean = tf.reduce_sum(points * mine[:, None], 0) / count
                new = tf.tensor_scatter_nd_update(new, [[c]], [mean])
        moved = tf.reduce_max(tf.abs(new - centers))
        centers = new
        if moved < 1e-4:
            break
    return centers, step
p = tf.constant([[0., 0.], [0., 1.], [10., 10.], [10., 11.]])
print(kmeans(p, p[:2], tf.constant(20)))

#: program_rnn
import tensorflow as tf

class Cell(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.eye(2) * 0.5)
        self.u = tf.Variable(tf.ones([2, 2]) * 0.1)
    def step(self, x, h):
        return x @ self.w + h @ self.u
    @tf.function
    def __call__(self, xs, lengths):
        h = tf.zeros([2, 2])
        outputs = tf.TensorArray(tf.float32, size=tf.shape(xs)[0])
        for t in tf.range(tf.shape(xs)[0]):
            new = self.step(xs[t], h)
            h = tf.where((t < lengths)[:, None], new, h)
            outputs = outputs.write(t, h)
        return outputs.stack(), h
cell = Cell()
print(cell(tf.reshape(tf.range(12.), [3, 2, 2]), tf.constant([2, 3])))

#: program_beam
import tensorflow as tf

@tf.function
def search(scores, width):
    best = tf.fill([width], -1e9)
    where = tf.zeros([width], tf.int32)
    for i in tf.range(tf.size(scores)):
        s = scores[i]
        worst = tf.argmin(best, output_type=tf.int32)
        if s > best[worst]:
            best = tf.tensor_scatter_nd_update(best, [[worst]], [s])
            where = tf.tensor_scatter_nd_update(where, [[worst]], [i])
    return best, where
print(search(tf.constant([1., 5., 3., 9., 2.]), 2))

#: program_bisect
import tensorflow as tf

def target(x):
    if x < 0:
        return -x
    return x * x - 2.
@tf.function
def solve(lo, hi, tolerance=1e-4):
    n = 0
    while hi - lo > tolerance:
        mid = (lo + hi) / 2.
        if target(mid) > 0:
            hi = mid
        else:
            lo = mid
        n += 1
        if n > 50:
            break
    return (lo + hi) / 2., n
print(solve(tf.constant(0.), tf.constant(2.)))

#: program_stack_machine
import tensorflow as tf

@tf.function
def run(program, n):
    acc = tf.constant(0)
    pc = tf.constant(0)
    steps = 0
    while pc < n:
        op, arg = program[pc, 0], program[pc, 1]
        pc += 1
        steps += 1
        if op == 0:
            acc += arg
        elif op == 1:
            acc *= arg
        elif op == 2:
            if acc < arg:
                pc = 0
        else:
            break
    return acc, steps
print(run(tf.constant([[0, 3], [1, 2], [2, 50], [3, 0], [0, 100]]), tf.constant(5)))

#: program_sieve
import tensorflow as tf

@tf.function
def sieve(n):
    is_prime = tf.ones([n], tf.bool)
    i = 2
    while i * i < n:
        if is_prime[i]:
            for j in tf.range(i * i, n, i):
                is_prime = tf.tensor_scatter_nd_update(is_prime, [[j]], [False])
        i += 1
    return tf.where(is_prime)[2:, 0]
print(sieve(tf.constant(30)))

#: program_edit_distance
import tensorflow as tf

@tf.function
def distance(a, b):
    row = tf.range(tf.size(b) + 1)
    for i in tf.range(tf.size(a)):
        new = tf.TensorArray(tf.int32, size=tf.size(b) + 1)
        left = i + 1
        new = new.write(0, left)
        for j in tf.range(tf.size(b)):
            cost = 0 if a[i] == b[j] else 1
            left = tf.minimum(tf.minimum(left + 1, row[j + 1] + 1), row[j] + cost)
            new = new.write(j + 1, left)
        row = new.stack()
    return row[-1]
f = tf.function(distance.python_function, input_signature=[tf.TensorSpec([None], tf.string)] * 2)
print(f(tf.strings.bytes_split('kitten'), tf.strings.bytes_split('sitting')))

#: program_monte_carlo
import tensorflow as tf

@tf.function
def walk(steps, limit):
    x = 0
    for i in tf.range(steps):
        if i % 3 == 0:
            x += 2
        elif i % 3 == 1:
            x -= 1
        else:
            continue
        if tf.abs(x) >= limit:
            tf.print('left at', i)
            break
    else_ = x
    return else_
print(walk(tf.constant(20), tf.constant(4)))

#: program_train_step
import tensorflow as tf

w = tf.Variable([0., 0.])
steps = tf.Variable(0)
@tf.function
def train(xs, ys, epochs, rate):
    loss = tf.constant(0.)
    for epoch in tf.range(epochs):
        for x, y in zip(tf.unstack(xs), tf.unstack(ys)):
            error = tf.reduce_sum(w * x) - y
            w.assign_sub(rate * error * x)
            steps.assign_add(1)
        loss = tf.reduce_mean((tf.linalg.matvec(xs, w) - ys) ** 2)
        if loss < 0.01:
            tf.print('stopped')
            break
    return loss < 0.01, steps
print(train(tf.constant([[1., 0.], [0., 1.], [1., 1.]]), tf.constant([1., 2., 3.]), tf.constant(100), 0.3))

#: program_dispatch
import tensorflow as tf

handlers = {'add': lambda a, b: a + b, 'sub': lambda a, b: a - b if a > b else b - a}
@tf.function
def apply(name, a, b):
    return handlers[name](a, b)
print(apply('add', tf.constant(1), tf.constant(2)), apply('sub', tf.constant(1), tf.constant(2)))

#: program_config_class
import tensorflow as tf

import dataclasses
@dataclasses.dataclass
class Config:
    scale: float = 2.
    clip: bool = True
@tf.function
def f(x, config):
    y = x * config.scale
    if config.clip:
        if tf.reduce_max(y) > 5.:
            y = tf.minimum(y, 5.)
    return y
print(f(tf.constant([1., 4.]), Config()), f(tf.constant([1., 4.]), Config(clip=False)))

#: program_state_class
import tensorflow as tf

class Counter:
    def __init__(self):
        self.n = tf.Variable(0)
        self.seen = []
    def add(self, k):
        self.n.assign_add(k)
        self.seen.append(k)
        return self
    @tf.function
    def run(self, x):
        if x > 3:
            self.add(1)
        else:
            self.add(10)
        for i in tf.range(x):
            self.n.assign_add(i)
        return self.n.read_value()
c = Counter()
print(c.run(tf.constant(5)), c.run(tf.constant(2)), len(c.seen))

#: program_softmax_sample
import tensorflow as tf

@tf.function
def choose(probabilities, u):
    total = 0.
    chosen = -1
    for i in tf.range(tf.size(probabilities)):
        total += probabilities[i]
        if chosen < 0 and u < total:
            chosen = i
    return chosen
print(choose(tf.constant([0.2, 0.3, 0.5]), tf.constant(0.4)), choose(tf.constant([0.2, 0.3, 0.5]), tf.constant(0.9)))

#: program_pad_batches
import tensorflow as tf

@tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
def trim(batch):
    width = tf.shape(batch)[1]
    while width > 0 and tf.reduce_all(batch[:, width - 1] == 0):
        width -= 1
    return batch[:, :width]
print(trim(tf.constant([[1, 2, 0, 0], [3, 0, 0, 0]])), trim(tf.constant([[0, 0]])))

#: program_lengths
import tensorflow as tf

@tf.function
def run_lengths(x):
    values = tf.TensorArray(tf.int32, 0, dynamic_size=True)
    counts = tf.TensorArray(tf.int32, 0, dynamic_size=True)
    current, count, n = x[0], 0, 0
    for v in x:
        if v == current:
            count += 1
        else:
            values = values.write(n, current)
            counts = counts.write(n, count)
            current, count = v, 1
            n += 1
    values = values.write(n, current)
    counts = counts.write(n, count)
    return values.stack(), counts.stack()
print(run_lengths(tf.constant([1, 1, 2, 3, 3, 3])))

#: program_horner
import tensorflow as tf

@tf.function
def poly(cs, x):
    r = tf.zeros_like(x)
    for c in cs:
        r = r * x + c
    return r
print(poly([1., 2., 3.], tf.constant([2., 3.])), poly(tf.constant([1., 2., 3.]), tf.constant([2., 3.])))

#: program_power_iteration
import tensorflow as tf

@tf.function
def eig(m, limit=100):
    v = tf.ones([2, 1])
    last = tf.constant(0.)
    value = tf.constant(0.)
    for i in tf.range(limit):
        v = m @ v
        v = v / tf.norm(v)
        value = tf.squeeze(tf.transpose(v) @ m @ v)
        if tf.abs(value - last) < 1e-6:
            break
        last = value
    return tf.round(value * 1000.)
print(eig(tf.constant([[2., 1.], [1., 3.]])))

#: program_string_words
import tensorflow as tf

@tf.function
def longest(words):
    best = tf.constant('')
    for w in words:
        if tf.strings.length(w) > tf.strings.length(best):
            best = w
    return best
print(longest(tf.constant(['a', 'ccc', 'bb'])))

#: program_mixed_python
import tensorflow as tf

@tf.function
def f(x, layers=(1, 2, 3), activation=None):
    for k, n in enumerate(layers):
        x = x * n
        if activation is not None:
            x = activation(x)
        if k == 1 and tf.reduce_max(x) > 3.:
            x = x - 1.
    return x
print(f(tf.constant([1., 2.])), f(tf.constant([1., -2.]), activation=lambda v: tf.maximum(v, 0.)))

#: program_while_with_assert
import tensorflow as tf

@tf.function
def f(n):
    total = 0
    while n > 0:
        tf.debugging.assert_less(n, 100, message='n is too large')
        total += n
        n -= 1
    return total
print(f(tf.constant(10)))
try:
    f(tf.constant(1000))
except tf.errors.InvalidArgumentError as e:
    print('refused', 'n is too large' in str(e))

#: program_closure_list
import tensorflow as tf

@tf.function
def f(x):
    steps = []
    def note(v):
        steps.append(v)
        return v
    for i in range(3):
        x = note(x + i)
    return tf.stack(steps), len(steps)
print(f(tf.constant(1)))

#: program_gradient_free_search
import tensorflow as tf

def loss(p):
    return tf.reduce_sum((p - tf.constant([1., -2.])) ** 2)
@tf.function
def search(start, step):
    best, best_loss = start, loss(start)
    while step > 1e-2:
        improved = False
        for d in ([1., 0.], [-1., 0.], [0., 1.], [0., -1.]):
            candidate = best + step * tf.constant(d)
            l = loss(candidate)
            if l < best_loss:
                best, best_loss = candidate, l
                improved = True
        if not improved:
            step = step / 2.
    return best, best_loss
print(search(tf.zeros([2]), tf.constant(1.)))

#: program_print_in_loops
import tensorflow as tf

@tf.function
def table(n):
    for i in tf.range(1, n):
        line = tf.constant('')
        for j in tf.range(1, n):
            if j > 1:
                line += ' '
            line += tf.strings.as_string(i * j)
        tf.print(line)
table(tf.constant(4))

#: program_early_exit_nested
import tensorflow as tf

@tf.function
def find(m, target):
    row, col = -1, -1
    for i in tf.range(tf.shape(m)[0]):
        for j in tf.range(tf.shape(m)[1]):
            if m[i, j] == target:
                row, col = i, j
                break
        if row >= 0:
            break
    return row, col
m = tf.constant([[1, 2], [3, 4], [5, 6]])
print(find(m, tf.constant(4)), find(m, tf.constant(9)))

#: program_tf1_to_graph
import tensorflow as tf

def f(x):
    s = 0
    for i in tf.range(x):
        if i % 2 == 0:
            s += i
    return s
with tf.Graph().as_default():
    y = tf.autograph.to_graph(f)(tf.constant(10))
    with tf.compat.v1.Session() as sess:
        print(sess.run(y))

#: program_optional_result
import tensorflow as tf

@tf.function
def f(x, want):
    result = {'x': x}
    if want:
        result['double'] = x * 2
    if x > 0:
        result['x'] = x + 1
    return result
print(f(tf.constant(1), True), f(tf.constant(1), False))

